import CTintypeTLS
package import TintypeCore

/// A certificate with its private key.
package struct TLSIdentity: Hashable, Sendable {
    /// The certificate, followed by those that signed it, in PEM format.
    package var certificates: String
    /// The private key of the certificate, in PEM format.
    package var key: String

    package init(certificates: String, key: String) {
        self.certificates = certificates
        self.key = key
    }
}

/// The certificates and settings of one side of TLS.
///
/// `@unchecked Sendable` because the context is not changed after it was made, and OpenSSL counts references
/// atomically.
package final class TLSContext: @unchecked Sendable {
    let context: OpaquePointer
    let isServer: Bool

    /// Creates the context of a server.
    ///
    /// - Parameters:
    ///   - clients: The certificates of which clients must present one, in PEM format; `nil` accepts clients without
    ///     one.
    ///   - protocols: The application protocols that are offered (ALPN), the preferred one first. A client that shares
    ///     none gets none.
    /// - Throws: `TintypeError.Code.insecure` if a certificate or the key cannot be used, and
    ///   `TintypeError.Code.noCoder` if libssl is not installed.
    package init(
        server identity: TLSIdentity, clients: String? = nil, protocols: [String] = []
    ) throws(TintypeError) {
        let names = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        context = try Self.make { library, message, size in
            Self.withTexts(identity.certificates, identity.key, clients) { certificates, key, clients in
                guard let certificates, let key else { return nil }
                return names.withUnsafeBufferPointer { names in
                    var server = tintype_tls_server(
                        certificates: certificates, key: key, clients: clients, protocols: names.baseAddress,
                        protocols_size: names.count)
                    return tintype_tls_context_for_server(library, &server, message, size)
                }
            }
        }
        isServer = true
    }

    /// Creates the context of a client that verifies the certificates of servers.
    ///
    /// - Parameters:
    ///   - authorities: The certificates of which one must have signed that of the server, in PEM format; `nil` trusts
    ///     those of the system.
    ///   - identity: The certificate of the client; `nil` for none.
    /// - Throws: As for a server.
    package init(
        clientTrusting authorities: String?, identity: TLSIdentity? = nil
    ) throws(TintypeError) {
        context = try Self.make { library, message, size in
            Self.withTexts(authorities, identity?.certificates, identity?.key) { authorities, certificates, key in
                var client = tintype_tls_client(authorities: authorities, certificates: certificates, key: key)
                return tintype_tls_context_for_client(library, &client, message, size)
            }
        }
        isServer = false
    }

    deinit {
        tintype_tls_context_free(context)
    }

    private static func make(
        _ body: (_ library: OpaquePointer, _ message: UnsafeMutablePointer<CChar>, _ size: Int) -> OpaquePointer?
    ) throws(TintypeError) -> OpaquePointer {
        let library = try TLSLibrary.standard.get().functions
        var message = [CChar](repeating: 0, count: 300)
        let context = message.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { body(library, $0, buffer.count) }
        }
        guard let context else { throw TintypeError(.insecure, stage: .load, String(cText: message)) }
        return context
    }

    private static func withTexts<Result>(
        _ first: String?, _ second: String?, _ third: String?,
        _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
    ) -> Result {
        func withText(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
            text.map { $0.withCString(body) } ?? body(nil)
        }
        return withText(first) { first in
            withText(second) { second in withText(third) { third in body(first, second, third) } }
        }
    }
}
