import Foundation
package import TintypeHTTP

/// The proxies whose word about the address of a client is trusted.
package struct TrustedProxies: Hashable, Sendable {
    private let networks: [Network]

    /// Trusts nobody.
    package static let none = TrustedProxies([]) ?? TrustedProxies(networks: [])

    /// The word for peers on a Unix socket, which have no address.
    private static let unixName = "unix"

    private init(networks: [Network]) {
        self.networks = networks
    }

    /// Reads addresses and networks such as `10.0.0.0/8`, `fd00::/8`, `127.0.0.1`, and `unix` for peers on a Unix
    /// socket.
    ///
    /// - Returns: `nil` if one of them is neither.
    package init?(_ texts: [String]) {
        let networks = texts.map { $0 == Self.unixName ? .unix : Network($0) }
        guard !networks.contains(nil) else { return nil }
        self.networks = networks.compactMap { $0 }
    }

    /// Returns the address of the client that sent a request.
    ///
    /// The proxies in front of this server each added the address that they saw at the end of `X-Forwarded-For`, or of
    /// `Forwarded` (RFC 7239). What stands before the first address that is not that of a trusted proxy was written by
    /// anyone.
    ///
    /// - Parameters:
    ///   - peer: The address at the other end of the connection; `nil` for a Unix socket.
    ///   - fields: The header fields of the request.
    /// - Returns: `nil` if the address is unknown.
    package func client(peer: String?, _ fields: HTTPFields) -> String? {
        var client = peer
        guard isTrusted(peer) else { return client }
        for address in Self.chain(fields).reversed() {
            // A proxy that hides the address, or does not know it, ends what is known.
            guard let address = Self.address(in: address) else { return client }
            client = address
            guard isTrusted(address) else { return client }
        }
        return client
    }

    private func isTrusted(_ address: String?) -> Bool { networks.contains { $0.contains(address) } }

    /// The addresses that proxies have added, the client's own first. A proxy that knows `Forwarded` wrote all of it.
    private static func chain(_ fields: HTTPFields) -> [String] {
        guard fields.contains("forwarded") else { return fields.list("x-forwarded-for") }
        return fields.list("forwarded").map { element in
            let pairs = HTTPList.elements(element, separator: ";")
            let value = pairs.first { $0.lowercased().hasPrefix("for=") }?.dropFirst(4)
            return value.map { HTTPList.unquoted(String($0)) } ?? ""
        }
    }

    /// Returns the address in an element, without a port; `nil` if there is none.
    private static func address(in element: String) -> String? {
        if element.hasPrefix("[") {
            let inner = element.dropFirst().prefix { $0 != "]" }
            return Network.bytes(inner) == nil ? nil : String(inner)
        }
        if Network.bytes(element) != nil { return element }
        // An address of version 4 may have a port.
        let host = element.prefix { $0 != ":" }
        return Network.bytes(host) == nil ? nil : String(host)
    }
}

/// A range of addresses, or the peers on a Unix socket.
private enum Network: Hashable, Sendable {
    case unix
    case range(prefix: [UInt8], length: Int)

    /// Reads an address, or a network such as `10.0.0.0/8`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = Self.bytes(first), parts.count <= 2 else { return nil }
        guard parts.count == 2 else {
            self = .range(prefix: bytes, length: bytes.count * 8)
            return
        }
        guard let length = Int(digits: parts[1]), length <= bytes.count * 8 else { return nil }
        self = .range(prefix: bytes, length: length)
    }

    func contains(_ address: String?) -> Bool {
        switch self {
        case .unix: return address == nil
        case .range(let prefix, let length):
            guard let address, let bytes = Self.bytes(address), bytes.count == prefix.count else { return false }
            return zip(bytes, prefix).enumerated().allSatisfy { index, pair in
                let bits = min(8, max(0, length - index * 8))
                return (pair.0 ^ pair.1) >> (8 - bits) == 0 || bits == 0
            }
        }
    }

    /// The bytes of an address; of version 4 also for its form in version 6 (RFC 4291, 2.5.5.2), which sockets report.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var (short, long) = (in_addr(), in6_addr())
        let text = String(text)
        if inet_pton(AF_INET, text, &short) == 1 { return withUnsafeBytes(of: short) { Array($0) } }
        guard inet_pton(AF_INET6, text, &long) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: long) { Array($0) }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return Array(bytes.prefix(12)) == mapped ? Array(bytes.suffix(4)) : bytes
    }
}
