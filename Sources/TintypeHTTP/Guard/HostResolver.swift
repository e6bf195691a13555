import Foundation
import NIOCore
import TintypeCore

/// Resolves host names.
enum HostResolver {
    /// The lookups of requests without a guard. Apart from those with one, so that they never make those fail.
    static let unguardedLookups = HostLookups { host throws(TintypeError) in try lookUp(host) }
    /// The lookups of requests with a guard.
    static let lookups = HostLookups { host throws(TintypeError) in try lookUp(host) }

    /// Returns the addresses of a host, at least one, without duplicates, in the order in which to try them (RFC 6724).
    ///
    /// - Parameters:
    ///   - host: A name or an address, without brackets.
    ///   - limit: The longest wait. The lookup itself cannot be stopped.
    /// - Throws: ``TintypeCore/TintypeError/Code/unreachable`` when the host is unknown, and the errors of ``HostLookups``.
    static func addresses(
        of host: String, within limit: Duration, _ clock: TransferClock, for job: JobContext
    ) async throws -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        return try await lookups.addresses(of: host, within: limit, clock, at: job.priority)
    }

    /// Returns the address that a host denotes, in any notation that the system accepts, such as `10.0.0.5`,
    /// `167772165`, `0xa.5` or `::1`; `nil` for a name. Never blocks.
    ///
    /// - Parameter host: A name or an address, without brackets.
    static func literal(_ host: String) -> IPAddress? {
        // The interface of a link-local address may not exist here (RFC 4007, 11).
        let host = host.prefix { $0 != "%" }
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        guard isIPv6 || host.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false else { return nil }
        return try? lookUp(String(host), AI_NUMERICHOST).first
    }

    private static func lookUp(_ host: String, _ flags: Int32 = 0) throws(TintypeError) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else {
            throw TintypeError(.unreachable, stage: .load, "the host \(host) is unknown")
        }
        defer { freeaddrinfo(list) }
        var seen: Set<IPAddress> = []
        let addresses = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
            .compactMap { $0.flatMap(address) }.filter { seen.insert($0).inserted }
        guard !addresses.isEmpty else {
            throw TintypeError(.unreachable, stage: .load, "the host \(host) has no address")
        }
        return addresses
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

/// The lookups of host names that run now. Callers that look up the same host share one.
///
/// The system resolver cannot be stopped: a lookup goes on when nobody waits for it any more, and holds a thread. So a host
/// whose name server never answers holds one thread, however often it is requested. While too many lookups are under way,
/// a new one fails at once.
final class HostLookups: Sendable {
    private typealias Outcome = Result<[IPAddress], TintypeError>

    /// The underlying error of a lookup that was not started because there are too many.
    struct TooMany: Error, Sendable {}

    /// The maximum number of lookups that run or wait for a thread.
    static let maximumCount = 64

    private let running = Locked<[String: SharedPromise<Outcome>]>([:])
    private let queue: WorkQueue
    private let lookUp: @Sendable (String) throws(TintypeError) -> [IPAddress]

    /// - Parameters:
    ///   - threads: The maximum number of lookups that run at once. The default 6 transfers can leave 18 behind: a
    ///     transfer stops waiting after 10 s, but a lookup that asks three name servers takes 30 s.
    ///   - lookUp: Returns the addresses of a host. Blocks.
    init(threads: Int = 32, lookUp: @escaping @Sendable (String) throws(TintypeError) -> [IPAddress]) {
        // Threads of its own: a name server that never answers must not hold those that read files.
        queue = WorkQueue(name: "tintype.resolver", width: threads)
        self.lookUp = lookUp
    }

    /// Returns the addresses of a host.
    ///
    /// - Parameter limit: The longest wait.
    /// - Throws: The error of the lookup; ``TintypeCore/TintypeError/Code/timedOut`` after `limit`;
    ///   ``TintypeCore/TintypeError/Code/unreachable``, with ``TooMany``, while too many lookups are under way;
    ///   ``TintypeCore/TintypeError/Code/cancelled`` when the task is cancelled.
    func addresses(
        of host: String, within limit: Duration, _ clock: TransferClock, at priority: ImagePriority
    ) async throws -> [IPAddress] {
        guard let lookup = joinOrStart(host, at: priority) else {
            throw TintypeError(
                .unreachable, stage: .load, "too many host names are being resolved", underlying: TooMany())
        }
        return try await BoundedWait.wait(limit, clock) { try await lookup.wait { .failure(.cancelled) }.get() }
    }

    /// Returns the running lookup of a host, or starts one; `nil` if there are too many.
    private func joinOrStart(_ host: String, at priority: ImagePriority) -> SharedPromise<Outcome>? {
        let new = SharedPromise<Outcome>()
        let lookup = running.withLock { running in
            if running[host] == nil, running.count < Self.maximumCount { running[host] = new }
            return running[host]
        }
        if lookup === new { start(new, of: host, at: priority) }
        return lookup
    }

    private func start(_ lookup: SharedPromise<Outcome>, of host: String, at priority: ImagePriority) {
        queue.enqueue(at: priority) { [self] in
            let outcome = Outcome { () throws(TintypeError) in try lookUp(host) }
            running.withLock { $0[host] = nil }
            lookup.fulfill(outcome)
        }
    }
}

/// The names that were resolved a moment ago: of many, those that were resolved last, in two generations. A pure struct.
struct ResolvedNames: Sendable {
    /// How long a name counts as resolved. A name server that stops answering delays other names for that long at most.
    static let timeToLive = Duration.seconds(60)
    /// The maximum number of names in each generation.
    static let generationSize = 500

    /// The uptime at which each name was resolved.
    private var recent: [String: Duration] = [:]
    private var earlier: [String: Duration] = [:]

    /// Whether a name was resolved less than ``timeToLive`` before `now`.
    func contains(_ name: String, at now: Duration) -> Bool {
        guard let time = recent[name] ?? earlier[name] else { return false }
        return now - time < Self.timeToLive
    }

    /// Adds a name that was resolved at the uptime `now`.
    mutating func insert(_ name: String, at now: Duration) {
        if recent.count >= Self.generationSize, recent[name] == nil { (earlier, recent) = (recent, [:]) }
        recent[name] = now
    }
}

/// The host of a URL.
enum HostName {
    /// Whether a host is a name or an address.
    ///
    /// A URL may contain any percent-encoded character, which the client decodes. A line break would end the line of a
    /// `CONNECT` request or a `Host` field, and a zero byte would end the name that the system resolves.
    ///
    /// - Parameter host: A host without percent encoding and brackets.
    static func isValid(_ host: String) -> Bool {
        guard !host.isEmpty else { return false }
        // Only an IPv6 address has colons. The name of an interface may follow it (RFC 4007, 11).
        let address = host.utf8.prefix { $0 != UInt8(ascii: "%") }
        if address.contains(UInt8(ascii: ":")) {
            return IPAddress(String(Substring(address))) != nil && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        return host.utf8.allSatisfy(mayBePartOfName)
    }

    /// Whether the system asks a name server for a host: whether it is a name, and not that of this machine. Other
    /// notations of addresses, such as `0x7f.1`, count as names, which costs a lookup that ends at once.
    ///
    /// - Parameter host: A valid host without brackets.
    static func isLookedUp(_ host: String) -> Bool {
        let isAddress = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        return !isAddress && !host.utf8.contains(UInt8(ascii: ":")) && host != "localhost"
    }

    /// Whether a byte may be part of a name. A decision for each byte, because every request has a host and looking bytes
    /// up in a set takes as long as the rest of its validation.
    private static func mayBePartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F: false
        // The other forbidden characters of hosts (WHATWG URL, 3.1), and those that URLs encode.
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["),
            UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }
}

extension URL {
    /// The host in lowercase, without percent encoding and the brackets of an IPv6 address; empty if there is none.
    var plainHost: String { Self.withoutBrackets(host(percentEncoded: false)?.lowercased() ?? "") }

    /// The host as the client reads it from a URL, which is the key of its table of addresses.
    var clientHost: String { Self.withoutBrackets(absoluteURL.host ?? "") }

    /// Returns a host without the brackets of an IPv6 address.
    static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}

/// The hosts that a ``ServerGuard`` allows or denies, in a form in which different spellings of one host are equal.
struct HostList: Hashable, Sendable {
    /// The entries as the program wrote them.
    let entries: Set<String>
    private let names: Set<String>
    /// The ends of names that entries such as `*.example.org` contain: `.example.org`.
    private let suffixes: [String]
    private let addresses: Set<IPAddress>

    init(_ entries: Set<String>) {
        self.entries = entries
        let (patterns, hosts) = (entries.filter { $0.hasPrefix("*.") }, entries.filter { !$0.hasPrefix("*.") })
        names = Set(hosts.map { Self.canonical(URL.withoutBrackets($0)) })
        suffixes = patterns.map { "." + Self.canonical(String($0.dropFirst(2))) }
        addresses = Set(hosts.compactMap { HostResolver.literal(URL.withoutBrackets($0))?.canonical })
    }

    static func == (left: HostList, right: HostList) -> Bool { left.entries == right.entries }

    func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
    }

    /// Returns whether the list has a host, or a pattern that matches it.
    ///
    /// - Parameter host: A host without brackets, in any spelling.
    func contains(_ host: String) -> Bool {
        guard !entries.isEmpty else { return false }
        let name = Self.canonical(host)
        return names.contains(name) || suffixes.contains { name.hasSuffix($0) }
    }

    /// Returns whether the list has an address, or the IPv4 address that an IPv6 address leads to.
    func contains(_ address: IPAddress) -> Bool {
        guard !addresses.isEmpty else { return false }
        return addresses.contains(address.canonical) || address.isatapTarget.map(addresses.contains) ?? false
    }

    /// Returns the form in which equal hosts are equal: an address in its usual notation, and a name in lowercase and
    /// in ASCII (RFC 5891), without the dot at its end.
    ///
    /// - Parameter host: A host without brackets.
    private static func canonical(_ host: String) -> String {
        if let address = HostResolver.literal(host) { return address.description }
        let lowercase = host.lowercased()
        let name = lowercase.hasSuffix(".") ? String(lowercase.dropLast()) : lowercase
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        return URL(string: "http://\(name)/")?.plainHost ?? name
    }
}
