import Foundation
package import TintypeTesting

/// Makes self-signed certificates for the tests of TLS.
package enum TestCertificate {
    /// Returns a certificate that is valid for one day.
    ///
    /// - Parameter name: The host name. `127.0.0.1` makes a certificate for that address and for `localhost`.
    /// - Throws: An error if the command `openssl` is not installed or fails.
    package static func make(for name: String = "127.0.0.1") throws -> OriginIdentity {
        let names = name == "127.0.0.1" ? "IP:127.0.0.1,DNS:localhost" : "DNS:\(name)"
        let text = try outputOfOpenSSL([
            "req", "-x509", "-days", "1", "-config", "/dev/null", "-subj", "/CN=\(name)",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "subjectAltName=\(names)",
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/stdout",
        ])
        // The key comes first.
        guard let start = text.range(of: "-----BEGIN CERTIFICATE-----")?.lowerBound else { throw POSIXError(.ENOENT) }
        return OriginIdentity(certificates: String(text[start...]), key: String(text[..<start]))
    }

    private static func outputOfOpenSSL(_ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The end of the output is that of the process.
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
