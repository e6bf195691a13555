import Foundation
import TintypeCore
import TintypeTLS

/// Finds what connections to a server need. A name must be resolved, and certificates read, which may block.
enum ServerPreparation {
    /// Returns the result if it can be had without blocking.
    ///
    /// - Parameter tls: The context of an earlier preparation.
    static func atOnce(
        _ configuration: RedisConfiguration, tls: TLSContext?
    ) -> Result<PreparedServer, TintypeError>? {
        guard configuration.tls == nil || tls != nil else { return nil }
        switch configuration.address {
        case .unixSocket(let path):
            guard let address = SocketAddress(path: path) else {
                return .failure(TintypeError(.unreachable, stage: .load, "the path of the socket is too long"))
            }
            return .success(PreparedServer(addresses: [address], tls: tls))
        case .host(let host, let port):
            let addresses = try? SocketAddress.addresses(of: host, port: port, isNumeric: true)
            return addresses.map { .success(PreparedServer(addresses: $0, tls: tls)) }
        }
    }

    /// Returns the result. Blocks.
    static func blocking(_ configuration: RedisConfiguration, tls: TLSContext?) -> Result<PreparedServer, TintypeError>
    {
        Result { () throws(TintypeError) in
            var tls = tls
            if tls == nil, let settings = configuration.tls { tls = try context(settings) }
            if let result = atOnce(configuration, tls: tls) { return try result.get() }
            guard case .host(let host, let port) = configuration.address else {
                throw TintypeError(.unreachable, stage: .load, "a socket has no TLS")
            }
            return PreparedServer(
                addresses: try SocketAddress.addresses(of: host, port: port, isNumeric: false), tls: tls)
        }
    }

    private static func context(_ settings: RedisTLS) throws(TintypeError) -> TLSContext {
        guard (settings.certificates == nil) == (settings.privateKey == nil) else {
            throw TintypeError(.insecure, stage: .load, "a certificate of the client needs its private key")
        }
        var identity: TLSIdentity?
        if let certificates = settings.certificates, let key = settings.privateKey {
            identity = TLSIdentity(certificates: certificates, key: key)
        }
        return try TLSContext(clientTrusting: settings.trustedCertificates, identity: identity)
    }
}
