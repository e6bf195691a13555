import Foundation

extension URL {
    /// Whether it is to be asked for by HTTP.
    var isHTTP: Bool { hasScheme { $0 == "http" || $0 == "https" } }

    /// Whether it is asked for over TLS.
    var isEncrypted: Bool { hasScheme { $0 == "https" } }

    /// The scheme without regard to case (RFC 3986, 3.1).
    ///
    /// - Parameter isWanted: knows names in lower case.
    private func hasScheme(_ isWanted: (String) -> Bool) -> Bool {
        guard let scheme else { return false }
        return isWanted(scheme) || isWanted(scheme.lowercased())
    }

    /// Whether both have the same scheme, host and port (RFC 6454, 5).
    func hasOrigin(of other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host()?.lowercased() == other.host()?.lowercased()
            && effectivePort == other.effectivePort
    }

    var effectivePort: Int { port ?? (isEncrypted ? 443 : 80) }
}
