#if Server
import Foundation
import NIOSSL
import TintypeServer

/// The files of the server's certificate.
struct TLSFiles {
    /// The path of the certificate chain in PEM format, the server's own first.
    let certificate: String
    /// The path of the private key in PEM format.
    let key: String

    /// Reads the files.
    ///
    /// - Throws: A line that names the setting whose file cannot be used.
    func configuration() throws(ServerStartError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try certificates().map(NIOSSLCertificateSource.certificate),
            privateKey: .privateKey(try privateKey()))
        // RFC 8996 deprecates earlier versions.
        configuration.minimumTLSVersion = .tlsv12
        do {
            // The server makes a context of its own. This one finds out whether the two files belong together.
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerStartError(
                message: "TINTYPE_TLS_KEY: expected the key of the first certificate in \(certificate); "
                    + "\(key) is another one")
        }
        return configuration
    }

    private func certificates() throws(ServerStartError) -> [NIOSSLCertificate] {
        try checkReadable(certificate, "TINTYPE_TLS_CERTIFICATE")
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate), !chain.isEmpty else {
            throw ServerStartError(
                message: "TINTYPE_TLS_CERTIFICATE: expected certificates in PEM format, but \(certificate) has none, "
                    + "or one that is damaged")
        }
        return chain
    }

    private func privateKey() throws(ServerStartError) -> NIOSSLPrivateKey {
        try checkReadable(key, "TINTYPE_TLS_KEY")
        // Without an answer to the question for a passphrase, an encrypted key would be asked for on the terminal.
        guard let key = try? NIOSSLPrivateKey(file: key, format: .pem, passphraseCallback: { $0([UInt8]()) }) else {
            throw ServerStartError(
                message: "TINTYPE_TLS_KEY: expected a private key in PEM format without a passphrase, "
                    + "but \(self.key) has none, or one that is damaged")
        }
        return key
    }

    private func checkReadable(_ path: String, _ setting: String) throws(ServerStartError) {
        do {
            _ = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ServerStartError(message: "\(setting): \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
    }
}
#endif
