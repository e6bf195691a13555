import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import TintypeCore

/// The destination of the connection for a request.
enum ConnectionRoute: Hashable, Sendable {
    /// To the proxy, or to an address that the client resolves.
    case unrestricted
    /// To an address that a guard has checked.
    case pinned(HostPin)

    var pin: HostPin? {
        if case .pinned(let pin) = self { pin } else { nil }
    }
}

/// A host, and the only address at which it is contacted.
struct HostPin: Hashable, Sendable {
    /// The host in the form in which the client looks it up.
    let host: String
    let address: IPAddress
}

extension ServerGuard {
    /// The maximum number of addresses of one host that are tried. A name server may return hundreds.
    private static let maximumRouteCount = 4

    /// Checks a URL and all addresses of its host, and returns the routes to them, the best one first.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden`` when the URL or any of the addresses is not allowed, and the
    ///   errors of ``HostResolver``.
    func routes(
        to url: URL, within limit: Duration, _ clock: TransferClock, for job: JobContext
    ) async throws -> [ConnectionRoute] {
        try check(url)
        let host = url.clientHost
        let addresses = try await HostResolver.addresses(of: host, within: limit, clock, for: job)
        for address in addresses { try check(address, for: url) }
        // The client connects to an address in a URL without resolving it.
        if IPAddress(host) != nil { return [.unrestricted] }
        return addresses.prefix(Self.maximumRouteCount).map { .pinned(HostPin(host: host, address: $0)) }
    }
}

extension TintypeError {
    /// Whether no connection was established, so that nothing was sent, and another address may be reachable.
    var isConnectFailure: Bool {
        code == .unreachable || code == .timedOut && (underlying as? HTTPClientError) == .connectTimeout
    }
}

/// Finds out whether another address of a host can be reached sooner than the one that a request waits for (RFC 8305, 5).
///
/// The client is pinned to one address that a guard has checked, so it cannot try several itself. The race begins when
/// the request has waited for ``AddressRaceState/delay``. It opens connections to all addresses, one after another, and
/// closes them at once. Most requests are sent before it begins, and cost nothing.
final class AddressRace: Sendable {
    private let state: Locked<AddressRaceState>
    private let addresses: [SocketAddress]
    private let limit: TimeAmount
    private let clock: TransferClock
    private let onWin: @Sendable (Int) -> Void

    /// Prepares a race.
    ///
    /// - Parameters:
    ///   - addresses: The address that the request waits for, then the others.
    ///   - limit: The longest wait for one connection.
    ///   - onWin: Called on any thread, at most once, with the index of another address that was reached first.
    init(
        _ addresses: [SocketAddress], within limit: Duration, _ clock: TransferClock,
        onWin: @escaping @Sendable (Int) -> Void
    ) {
        state = Locked(AddressRaceState(count: addresses.count))
        self.addresses = addresses
        self.limit = TimeAmount(limit)
        self.clock = clock
        self.onWin = onWin
    }

    /// Begins the race after the delay. It keeps itself alive until it is over.
    func start() {
        clock.schedule(AddressRaceState.delay) { self.tryNext() }
    }

    /// Ends the race. ``onWin`` may still be running, but is not called after that.
    func cancel() {
        state.withLock { $0.cancel() }
    }

    /// Tries the next address, and the one after it when the delay has passed.
    private func tryNext() {
        guard let index = state.withLock({ $0.next() }) else { return }
        ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(limit)
            .connect(to: addresses[index]).whenComplete { result in
                switch result {
                case .success(let channel):
                    channel.close(promise: nil)
                    if self.state.withLock({ $0.connect(to: index) }) { self.onWin(index) }
                case .failure:
                    // RFC 8305, 5: the next attempt does not wait for the delay.
                    self.tryNext()
                }
            }
        start()
    }
}

/// Decides which address is tried next, and which one wins. A pure struct: each method is an event.
struct AddressRaceState: Sendable {
    /// The time between two attempts (RFC 8305, 8).
    static let delay = Duration.milliseconds(250)

    /// The number of addresses. The request waits for the first one.
    let count: Int
    private var triedCount = 0
    private var isOver = false

    init(count: Int) {
        self.count = count
    }

    /// The index of the address to try now; `nil` if all have been tried, or the race is over.
    mutating func next() -> Int? {
        guard !isOver, triedCount < count else { return nil }
        triedCount += 1
        return triedCount - 1
    }

    /// Records that an address was reached.
    ///
    /// - Returns: Whether it wins against the one that the request waits for.
    mutating func connect(to index: Int) -> Bool {
        guard !isOver else { return false }
        isOver = true
        return index > 0
    }

    mutating func cancel() {
        isOver = true
    }
}

/// The error of a request whose address was slower than another address of the host.
struct SlowerAddress: Error, Sendable {
    /// The index of the faster one among the other addresses.
    let faster: Int
}

/// Resolves host names.
enum HostResolver {
    /// The lookups of the process.
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
