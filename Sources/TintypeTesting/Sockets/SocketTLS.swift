package import TintypeCore
package import TintypeTLS

extension TLSContext {
    /// Creates the context of an origin.
    ///
    /// - Parameter protocols: The application protocols that are offered (ALPN), the preferred one first. A client that
    ///   shares none gets none.
    /// - Throws: `TintypeError.Code.insecure` if a certificate or the key cannot be used, and
    ///   `TintypeError.Code.noCoder` if libssl is not installed.
    package convenience init(_ identity: OriginIdentity, protocols: [String] = []) throws(TintypeError) {
        try self.init(
            server: TLSIdentity(certificates: identity.certificates, key: identity.key), clients: identity.clients,
            protocols: protocols)
    }
}
