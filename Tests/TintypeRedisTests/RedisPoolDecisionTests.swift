import Testing
import TintypeCore

@testable import TintypeRedis

@Suite struct RedisPoolDecisionTests {
    private func choice(
        _ kind: RedisCall.Kind, _ slots: ConnectionChoice.Slot..., mayOpen: Bool = true
    ) -> ConnectionChoice {
        ConnectionChoice(kind, among: slots, mayOpen: mayOpen)
    }

    @Test func smallCommandsHaveAConnectionOfTheirOwn() {
        #expect(choice(.control, .vacant, .open(0), .open(0)) == .open(0))
        #expect(choice(.control, .open(9), .open(0), .vacant) == .use(0))
        #expect(choice(.value, .open(0), .vacant, .vacant) == .open(1))
        #expect(choice(.value, .open(0)) == .use(0))
        #expect(choice(.value, .vacant) == .open(0))
    }

    @Test func valuesTakeTheConnectionWithTheFewestCalls() {
        #expect(choice(.value, .open(0), .open(3), .open(2)) == .use(2))
        #expect(choice(.value, .open(0), .open(0), .vacant) == .use(1))
        #expect(choice(.value, .open(0), .open(1), .opening(0)) == .use(1))
        #expect(choice(.value, .vacant, .opening(4), .opening(2)) == .use(2))
        #expect(choice(.value, .vacant, .opening(4), .vacant) == .use(1))
    }

    @Test func aBusyConnectionGetsCompany() {
        #expect(choice(.value, .open(0), .open(1), .vacant) == .useAndOpen(1, opening: 2))
        #expect(choice(.value, .open(0), .open(1), .vacant, mayOpen: false) == .use(1))
    }

    @Test func duringABackoffOtherConnectionsHelp() {
        #expect(choice(.control, .vacant, .open(5), .vacant, mayOpen: false) == .use(1))
        #expect(choice(.value, .open(5), .vacant, .vacant, mayOpen: false) == .use(0))
        #expect(choice(.value, .vacant, .vacant, .vacant, mayOpen: false) == .none)
        #expect(choice(.control, .vacant, mayOpen: false) == .none)
    }

    @Test func theBackoffDoublesUpToItsLimit() {
        var backoff = RedisBackoff()
        #expect(backoff.allowsAttempt(now: .zero))
        var delays: [Duration] = []
        for _ in 0..<9 {
            backoff.failed(now: .seconds(100), random: 1)
            delays.append(backoff.nextAttempt - .seconds(100))
        }
        #expect(delays == [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000].map { Duration.milliseconds($0) })
        #expect(!backoff.allowsAttempt(now: .seconds(104.9)) && backoff.allowsAttempt(now: .seconds(105)))
        backoff.succeeded()
        backoff.failed(now: .zero, random: 0)
        #expect(backoff.nextAttempt == .milliseconds(25))
    }

    @Test func aBackoffOfManyFailuresDoesNotOverflow() {
        var backoff = RedisBackoff()
        for _ in 0..<10_000 { backoff.failed(now: .zero, random: 1) }
        #expect(backoff.nextAttempt == .seconds(5))
    }
}
