#if Server
import NIOSSL

/// The files of the server's certificate.
struct TLSFiles {
    /// The path of the certificate chain in PEM format, the server's own first.
    let certificate: String
    /// The path of the private key in PEM format.
    let key: String

    /// Reads the files.
    func configuration() throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate).map(NIOSSLCertificateSource.certificate)
        return .makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    }
}
#endif
