public import Foundation
import NIOCore
import NIOPosix
public import TintypeCore

/// Restricts which servers are contacted, for programs that load URLs from untrusted sources: without a guard, such a
/// URL can reach the program's own network (server-side request forgery).
///
/// A pipeline whose downloader has a guard loads only URLs with the allowed schemes, and thus no local files. The guard
/// checks every URL before it is requested, redirects included; then every address that the host resolves to;
/// and finally the address of the connection before anything is sent, since a name may resolve differently the next
/// time. Behind a proxy, the address of the connection is not checked.
public struct ServerGuard: Hashable, Sendable {
    /// The allowed URL schemes, in lowercase.
    public var schemes: Set<String>
    /// The allowed hosts: `example.org` is that host, `*.example.org` all hosts below it. `nil` allows all.
    public var allowedHosts: Set<String>?
    /// The denied hosts, in the form of ``allowedHosts``. They take precedence.
    public var deniedHosts: Set<String>
    /// The allowed ports; `nil` allows all.
    public var ports: Set<Int>?
    /// The allowed kinds of addresses.
    public var addresses: Set<AddressKind>

    /// Creates a guard. By default it allows public addresses over HTTP and HTTPS on ports 80 and 443.
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

    /// Allows public addresses over HTTP and HTTPS on ports 80 and 443.
    public static let standard = ServerGuard()

    /// Whether the scheme of a source is allowed. Sources that are not URLs are always allowed.
    public func allows(_ source: ImageSource) -> Bool {
        source.url.map { schemes.contains($0.scheme?.lowercased() ?? "") } ?? true
    }

    /// Checks the scheme of a source. A pipeline with a guarded downloader asks for every source, whichever loader
    /// would load it: otherwise a `file:` URL would read local files.
    func check(_ source: ImageSource) throws(TintypeError) {
        guard !allows(source) else { return }
        throw TintypeError(
            .forbidden, stage: .load, "the scheme \(source.url?.scheme?.lowercased() ?? "") is not allowed",
            subject: source.displayName)
    }

    /// Checks the scheme, host and port of a URL.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden`` when one of them is not allowed.
    public func check(_ url: URL) throws(TintypeError) {
        let scheme = url.scheme?.lowercased() ?? ""
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        guard schemes.contains(scheme) else { throw Self.refusal("the scheme \(scheme)", url) }
        guard ports?.contains(url.effectivePort) ?? true else {
            throw Self.refusal("the port \(url.effectivePort)", url)
        }
        // A trailing dot does not change the host that a name means.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        guard !Self.contains(name, in: deniedHosts), allowedHosts.map({ Self.contains(name, in: $0) }) ?? true else {
            throw Self.refusal("the host \(host)", url)
        }
    }

    /// Checks the kind of an address.
    ///
    /// - Parameter url: The URL that the error names.
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden`` when the kind is not allowed.
    func check(_ address: IPAddress, for url: URL? = nil) throws(TintypeError) {
        guard addresses.contains(address.kind) else {
            throw Self.refusal("the address \(address) (\(address.kind.name))", url)
        }
    }

    private static func contains(_ host: String, in list: Set<String>) -> Bool {
        list.contains { entry in
            let entry = entry.lowercased()
            return entry.hasPrefix("*.") ? host.hasSuffix(entry.dropFirst()) : host == entry
        }
    }

    private static func refusal(_ what: String, _ url: URL?) -> TintypeError {
        TintypeError(.forbidden, stage: .load, "\(what) is not allowed", subject: url?.absoluteString)
    }
}

/// Resolves host names.
enum HostResolver {
    /// Returns the addresses of a host. Blocks a thread of the disk queue while the system resolver runs.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/unreachable`` when the host is unknown,
    ///   ``TintypeCore/TintypeError/Code/cancelled`` when the job is cancelled.
    static func addresses(of host: String, for job: JobContext) async throws(TintypeError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in try lookUp(host) }
    }

    private static func lookUp(_ host: String) throws(TintypeError) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else {
            throw TintypeError(.unreachable, stage: .load, "the host \(host) is unknown")
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
