import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@testable import TintypeServer

@Suite(.timeLimited) struct GatewayTurnsTests {
    private let turns = GatewayTurns()
    private let url = URL(filePath: "/b")

    /// A clock on which nothing ends, or on which a wait ends at once.
    private func clock(_ waited: Shared<[Duration]>, ends: Bool) -> TransferClock {
        var clock = TransferClock.system
        clock.sleep = { duration in
            waited.withLock { $0.append(duration) }
            if !ends { await SharedPromise<Void>().wait() }
        }
        return clock
    }

    @Test func othersFollowUntilTheTurnIsReleased() async {
        let waited = Shared<[Duration]>([])
        var first: GatewayTurns.Role? = turns.role(for: url)
        guard case .leads? = first else { Issue.record("the first one must lead"); return }
        guard case .follows(let end) = turns.role(for: url), case .leads = turns.role(for: URL(filePath: "/c")) else {
            Issue.record("an equal one must follow, and another one lead")
            return
        }
        first = nil
        // The clock never ends this.
        await turns.wait(for: end, clock(waited, ends: false))
        guard case .leads = turns.role(for: url) else {
            Issue.record("the next one must lead")
            return
        }
    }

    @Test func aFollowerWaitsForFiveSecondsAtMost() async {
        let waited = Shared<[Duration]>([])
        let first = turns.role(for: url)
        guard case .follows(let end) = turns.role(for: url) else {
            Issue.record("an equal one must follow")
            return
        }
        await turns.wait(for: end, clock(waited, ends: true))
        #expect(waited.now == [.seconds(5)])
        guard case .follows = turns.role(for: url) else {
            Issue.record("the first one still leads")
            return
        }
        withExtendedLifetime(first) {}
    }
}
