public import Foundation
import NIOCore
import NIOPosix
public import TintypeCore

/// What a program that loads what others name may be sent to: a server that is handed a URL must not become a way into
/// its own network.
///
/// Every URL is looked at before it is asked, and again at every redirect; then every address that its name stands for,
/// and again the address of the connection before anything is sent over it, since a name may stand for another address
/// the next moment. Behind a proxy, only the first two can be done.
public struct ServerGuard: Hashable, Sendable {
    public var schemes: Set<String>
    /// Hosts that may be asked: `example.org` for itself, `*.example.org` for all below it; `nil` for all.
    public var allowedHosts: Set<String>?
    /// Hosts that may not be asked, in the same form.
    public var deniedHosts: Set<String>
    /// Ports that may be asked; `nil` for all.
    public var ports: Set<Int>?
    /// Kinds of addresses that may be connected to.
    public var addresses: Set<AddressKind>

    public init(
        schemes: Set<String> = ["http", "https"], allowedHosts: Set<String>? = nil, deniedHosts: Set<String> = [],
        ports: Set<Int>? = [80, 443], addresses: Set<AddressKind> = [.global]
    ) {
        self.schemes = schemes
        self.allowedHosts = allowedHosts
        self.deniedHosts = deniedHosts
        self.ports = ports
        self.addresses = addresses
    }

    /// Public addresses by HTTP and HTTPS at their own ports.
    public static let standard = ServerGuard()

    /// Whether a source is no URL, or one of an allowed scheme: files are kept out with the rest.
    public func allows(_ source: ImageSource) -> Bool {
        source.url.map { schemes.contains($0.scheme?.lowercased() ?? "") } ?? true
    }

    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden``.
    public func check(_ url: URL) throws(TintypeError) {
        let scheme = url.scheme?.lowercased() ?? ""
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        guard schemes.contains(scheme) else { throw Self.refusal("the scheme \(scheme)", url) }
        guard ports?.contains(url.effectivePort) ?? true else {
            throw Self.refusal("the port \(url.effectivePort)", url)
        }
        // A name may end in a dot, which changes nothing but the text.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        guard !Self.names(name, in: deniedHosts), allowedHosts.map({ Self.names(name, in: $0) }) ?? true else {
            throw Self.refusal("the host \(host)", url)
        }
    }

    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden``.
    func check(_ address: IPAddress, for url: URL? = nil) throws(TintypeError) {
        guard addresses.contains(address.kind) else {
            throw Self.refusal("the address \(address) (\(address.kind.name))", url)
        }
    }

    private static func names(_ host: String, in list: Set<String>) -> Bool {
        list.contains { entry in
            let entry = entry.lowercased()
            return entry.hasPrefix("*.") ? host.hasSuffix(entry.dropFirst()) : host == entry
        }
    }

    private static func refusal(_ what: String, _ url: URL?) -> TintypeError {
        TintypeError(.forbidden, stage: .load, "\(what) is not allowed", subject: url?.absoluteString)
    }
}

/// The addresses that a name stands for now.
enum HostResolver {
    /// Blocks a thread for disks while the system's resolver answers.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/unreachable`` when the name is not known.
    static func addresses(of host: String, for job: JobContext) async throws(TintypeError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in try lookUp(host) }
    }

    private static func lookUp(_ host: String) throws(TintypeError) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else {
            throw TintypeError(.unreachable, stage: .load, "the host \(host) is not known")
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { $0.flatMap(address) }
    }

    private static func address(_ info: UnsafeMutablePointer<addrinfo>) -> IPAddress? {
        guard let address = info.pointee.ai_addr else { return nil }
        switch info.pointee.ai_family {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { IPAddress(SocketAddress($0.pointee)) }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                IPAddress(SocketAddress($0.pointee))
            }
        default: return nil
        }
    }
}
