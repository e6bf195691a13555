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
