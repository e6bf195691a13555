import Foundation
import HTTPTestSupport
import NIOCore
import NIOHTTP1
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeHTTP

@Suite(.timeLimit(.minutes(15))) struct AddressRaceTests {
    @Test func addressesAreTriedInOrderUntilOneIsReached() {
        var state = AddressRaceState(count: 3)
        #expect(state.next() == 0 && state.next() == 1)
        let wins = state.connect(to: 1)
        #expect(wins && state.next() == nil)
        // Only the first one counts.
        let winsAgain = state.connect(to: 2)
        #expect(!winsAgain)
    }

    @Test func theAddressThatTheRequestWaitsForEndsTheRace() {
        var state = AddressRaceState(count: 2)
        #expect(state.next() == 0)
        let (first, second) = (state.connect(to: 0), state.connect(to: 1))
        #expect(!first && !second && state.next() == nil)
    }

    @Test func noAddressIsTriedTwiceOrAfterTheEnd() {
        var state = AddressRaceState(count: 1)
        #expect(state.next() == 0 && state.next() == nil)
        var cancelled = AddressRaceState(count: 2)
        cancelled.cancel()
        let wins = cancelled.connect(to: 1)
        #expect(cancelled.next() == nil && !wins)
    }

    /// A clock whose timers fire at once.
    private static let hasty = TransferClock(
        uptime: { .zero }, date: { .distantPast }, sleep: { _ in }, schedule: { $1() })

    @Test func theFirstAddressThatCanBeReachedWins() async throws {
        try await Fixture.withOrigin { origin in
            let port = try #require(origin.baseURL.port)
            // Nothing listens at the address that the request waits for.
            let addresses = try ["127.0.0.2", "127.0.0.1"].map { try SocketAddress(ipAddress: $0, port: port) }
            let winner = SharedPromise<Int>()
            let race = AddressRace(addresses, within: .seconds(3600), Self.hasty) { winner.fulfill($0) }
            race.start()
            let index = await winner.wait { -1 }
            #expect(index == 1)
        }
    }

    // MARK: Exchanges

    /// A request for a host that only ``routes(_:)`` lead to.
    private static func request(to origin: Origin, method: String = "GET") throws -> DownloadRequest {
        let url = origin.url("/a").absoluteString.replacing("127.0.0.1", with: "raced.test")
        return DownloadRequest(url: try #require(URL(string: url)), method: method)
    }

    private static func routes(_ addresses: String...) throws -> [ConnectionRoute] {
        try addresses.map { .pinned(HostPin(host: "raced.test", address: try #require(IPAddress($0)))) }
    }

    /// Returns an exchange whose races begin at once, and the number of times that a race has set its timer.
    private static func exchange(_ request: DownloadRequest) throws -> (Exchange, timers: Shared<Int>) {
        let timers = Shared(0)
        var configuration = DownloaderConfiguration.patient
        let services = TransferServices(configuration)
        configuration.clock.schedule = { delay, body in
            #expect(delay == AddressRaceState.delay)
            timers.withLock { $0 += 1 }
            body()
        }
        let settings = TransferSettings(configuration: configuration, options: HTTPOptions(), byteLimit: 1 << 20)
        let transfer = try Transfer(
            of: .url(request.url), settings, services, stored: nil, for: JobContext(priority: .normal),
            JobReporter { _ in })
        return (Exchange(transfer: transfer), timers)
    }

    /// The connection to the first address never opens, so the request moves to the second one. It does not race again.
    @Test func aSlowAddressIsAbandonedForAFasterOne() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let silent = try SilentAddress("127.0.0.2", port: try #require(origin.baseURL.port))
            let request = try Self.request(to: origin)
            let (exchange, timers) = try Self.exchange(request)
            let reply = try await exchange.reply(
                to: request, overOneOf: try Self.routes("127.0.0.2", "127.0.0.1", "127.0.0.3"))
            #expect(reply.head.status == .ok && origin.requestCount() == 1)
            // One before the first address, and one after each of the three, except the last one if the second address is
            // reached before. Another race would set two more.
            #expect((3...4).contains(timers.now))
            withExtendedLifetime(silent) {}
        }
    }

    /// A request that must not be sent twice waits for its address.
    @Test(arguments: [("GET", true), ("POST", false)]) func onlyIdempotentRequestsRace(
        _ method: String, _ isRaced: Bool
    ) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let request = try Self.request(to: origin, method: method)
            let (exchange, timers) = try Self.exchange(request)
            let reply = try await exchange.reply(to: request, overOneOf: try Self.routes("127.0.0.1", "127.0.0.2"))
            #expect(reply.head.status == .ok && origin.requestCount() == 1)
            #expect((timers.now > 0) == isRaced)
        }
    }

    @Test func anAddressThatRefusesIsFollowedByTheNextOne() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let request = try Self.request(to: origin, method: "POST")
            let (exchange, _) = try Self.exchange(request)
            let reply = try await exchange.reply(to: request, overOneOf: try Self.routes("127.0.0.3", "127.0.0.1"))
            #expect(reply.head.status == .ok && origin.requestCount() == 1)
            let error = await #expect(throws: TintypeError.self) {
                try await exchange.reply(to: request, overOneOf: try Self.routes("127.0.0.3", "127.0.0.4"))
            }
            #expect(error?.code == .unreachable)
        }
    }

    @Test func onlyAnUnsentRequestIsAbandoned() throws {
        let error = TintypeError(.unreachable, stage: .load, "slow", underlying: SlowerAddress(faster: 0))
        let unsent = ResponseDelegate(ConnectionLog(uptime: { .zero }))
        unsent.failIfUnsent(error)
        #expect(throws: TintypeError.self) { try unsent.state.withLock { try $0.readHead() } }
        #expect(error.isConnectFailure)
        let sent = ResponseDelegate(ConnectionLog(uptime: { .zero }))
        sent.didTakeConnection(id: "1")
        sent.failIfUnsent(error)
        #expect(try sent.state.withLock { try $0.readHead() } == nil)
    }
}

/// An address of this machine at which connections never open, because the queue of the listener is full and nobody takes
/// them.
private final class SilentAddress {
    private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    private let first = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init(_ address: String, port: Int) throws {
        let address = try SocketAddress(ipAddress: address, port: port)
        let status = address.withSockAddr { address, length in
            // The queue has room for one connection.
            bind(listener, address, socklen_t(length)) | listen(listener, 0)
                | connect(first, address, socklen_t(length))
        }
        try #require(status == 0, "\(String(cString: strerror(errno)))")
    }

    deinit {
        close(first)
        close(listener)
    }
}
