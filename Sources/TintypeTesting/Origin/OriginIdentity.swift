import NIOSSL

/// What an origin that speaks TLS proves itself with.
public struct OriginIdentity: Sendable {
    /// The certificate and those that signed it, in PEM.
    public var certificates: String
    /// Its private key, in PEM.
    public var key: String

    public init(certificates: String, key: String) {
        self.certificates = certificates
        self.key = key
    }

    func context() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificates.utf8)).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }
}
