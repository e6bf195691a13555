/// Where a server listens.
package enum BindAddress: Hashable, Sendable {
    /// An address or a host name, and a port. Without a host, all addresses of the machine.
    case tcp(host: String?, port: Int)
    /// A socket in the file system.
    case unix(path: String)

    /// Parses `:8080`, `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/tintype.sock`; `nil` for anything else.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            // The limit of `sun_path` on Linux (unix(7)).
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/"), path.utf8.count < 108 else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard isBracketed ? host.contains(":") : !host.contains(":"), host.utf8.count <= 255,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else { return nil }
        self = .tcp(host: host.isEmpty ? nil : String(host), port: port)
    }

    /// Whether the operator named an address, so that an unsigned server may listen there.
    var namesAddress: Bool { if case .tcp(host: nil, _) = self { false } else { true } }

    /// The same port on the loopback address.
    var onLoopback: BindAddress {
        if case .tcp(_, let port) = self { .tcp(host: "127.0.0.1", port: port) } else { self }
    }
}

extension BindAddress: CustomStringConvertible {
    /// The address in the form that is parsed.
    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host?, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .tcp(nil, let port): ":\(port)"
        }
    }
}
