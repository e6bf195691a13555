#if Server
import Foundation
import HTTPTestSupport
import Testing
import TestSupport
import Tintype
import TintypeTesting

/// The server over TLS, with curl as its client.
@Suite(.timeLimited, .enabled(if: TestProgram.curl.path != nil, "curl is not installed"))
struct TLSTests {
    /// Files with a certificate and its key.
    private struct Files {
        let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "tintype-tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        /// Writes a file, and returns its path.
        func write(_ text: String, _ name: String) throws -> String {
            try Data(text.utf8).write(to: folder.appending(path: name))
            return folder.appending(path: name).path(percentEncoded: false)
        }
    }

    private let files: Files
    private let certificate: String
    private let key: String

    init() throws {
        files = try Files()
        let identity = try TestCertificate.make()
        certificate = try files.write(identity.certificates, "certificate.pem")
        key = try files.write(identity.key, "key.pem")
    }

    private var settings: [String: String] {
        ["TINTYPE_TLS_CERTIFICATE": certificate, "TINTYPE_TLS_KEY": key]
    }

    /// Asks for a path with curl, and returns the version of HTTP, the status and the content type.
    private func get(_ path: String, _ server: ServerRun, _ options: String...) async throws -> String {
        let run = try await TestProgram.curl.run(
            ["-sS", "--noproxy", "*", "--cacert", certificate, "-o", "/dev/null"] + options
                + ["-w", "%{http_version} %{http_code} %{content_type} %{ssl_verify_result}"]
                + ["https://127.0.0.1:\(server.port)\(path)"])
        return run.status == 0 ? run.output : run.errors
    }

    @Test func imagesComeOverBothVersionsOfHTTP() async throws {
        let origin = try await Origin.start()
        let pixels = try PixelBuffer.drawn(PixelSize(width: 12, height: 6)) { _, _ in
            Pixel(red: 255, green: 0, blue: 0)
        }
        let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        origin.serve("/a.png", response: .image(data, type: "image/png"))
        let allowed = ["TINTYPE_ALLOWED_SOURCES": origin.url("/").absoluteString]
        try await ServerRun.run(settings.merging(allowed) { $1 }) { server in
            let path = "/unsigned/w:6/plain/\(origin.url("/a.png").absoluteString)"
            for (option, version) in [("--http2", "2"), ("--http1.1", "1.1"), ("--no-alpn", "1.1")] {
                let image = try await get(path, server, option)
                #expect(image == "\(version) 200 image/png 0")
                let health = try await get("/health/ready", server, option)
                #expect(health == "\(version) 200 application/json 0")
                let problem = try await get("/unsigned/w:x/plain/a", server, option)
                #expect(problem == "\(version) 400 application/problem+json 0")
            }
        }
        await origin.stop()
    }

    @Test func aClientWithoutTLSIsTurnedAway() async throws {
        try await ServerRun.run(settings) { server in
            let run = try await TestProgram.curl.run(
                ["-sS", "--noproxy", "*", "http://127.0.0.1:\(server.port)/health/live"])
            #expect(run.status != 0 && run.output.isEmpty)
            let health = try await get("/health/live", server, "--http2")
            #expect(health.hasPrefix("2 200 "))
        }
    }

    @Test func aFileThatCannotBeUsedIsNamedAtTheStart() async throws {
        let other = try TestCertificate.make()
        let (missing, empty) = ("/nonexistent/file.pem", try files.write("no certificate", "empty.pem"))
        let otherKey = try files.write(other.key, "other.pem")
        let cases: [(certificate: String, key: String, report: String)] = [
            (missing, key, "TINTYPE_TLS_CERTIFICATE: \(missing) cannot be read: No such file or directory"),
            (empty, key, "TINTYPE_TLS_CERTIFICATE: expected certificates in PEM format, but \(empty) has none"),
            (certificate, missing, "TINTYPE_TLS_KEY: \(missing) cannot be read: No such file or directory"),
            (
                certificate, empty,
                "TINTYPE_TLS_KEY: expected a private key in PEM format without a passphrase, but \(empty)"
            ),
            (certificate, otherKey, "TINTYPE_TLS_KEY: expected the key of the first certificate in \(certificate)"),
        ]
        for (certificate, key, report) in cases {
            let failure = try await ServerRun.failure([
                "TINTYPE_TLS_CERTIFICATE": certificate, "TINTYPE_TLS_KEY": key,
            ])
            #expect(failure.status == 64 && failure.report.contains("tintype-server: \(report)"))
        }
    }
}
#endif
