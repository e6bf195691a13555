import Foundation
import HTTPTestSupport
import NIOCore
import Testing
import TintypeCore
import TintypeTesting

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
