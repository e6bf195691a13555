import Testing

@testable import TintypeShared

@Suite struct LeaseFlowTests {
    private let leaseTime = Duration.seconds(5)

    private func flow(deadline: Duration? = nil) -> LeaseFlow {
        LeaseFlow(at: .zero, leaseTime: leaseTime, deadline: deadline)
    }

    private func wait(_ milliseconds: Int) -> LeaseFlow.Step { .wait(.milliseconds(milliseconds)) }

    /// The events of a machine, and the steps that follow each of them, without jitter and at time zero.
    @Test(arguments: [
        // The winner looks once more, and computes.
        ([LeaseFlow.Event.acquired, .nothing], [LeaseFlow.Step.look, .compute(isLeased: true)]),
        ([.acquired, .abandoned], [.look, .compute(isLeased: true)]),
        // The winner of a lease whose store then fails computes, and releases it.
        ([.acquired, .unavailable], [.look, .compute(isLeased: true)]),
        // Without a store, a machine computes at once.
        ([.unavailable], [.compute(isLeased: false)]),
        ([.held, .waited, .unavailable], [.wait(.milliseconds(20)), .look, .compute(isLeased: false)]),
        // A loser waits, and takes the lease of a holder that has given up.
        (
            [.held, .waited, .abandoned, .acquired, .abandoned],
            [.wait(.milliseconds(20)), .look, .acquire, .look, .compute(isLeased: true)]
        ),
        ([.held, .waited, .abandoned, .held], [.wait(.milliseconds(20)), .look, .acquire, .wait(.milliseconds(40))]),
    ])
    func eachEventHasItsStep(_ events: [LeaseFlow.Event], _ steps: [LeaseFlow.Step]) {
        var flow = flow()
        #expect(events.map { flow.step(after: $0, at: .zero, random: 0.5) } == steps)
        #expect(!flow.hasGivenUp)
    }

    @Test func delaysDoubleUpToTwoHundredMilliseconds() {
        var flow = flow()
        #expect(flow.step(after: .held, at: .zero, random: 0.5) == wait(20))
        for delay in [40, 80, 160, 200, 200, 200] {
            #expect(flow.step(after: .waited, at: .zero, random: 0.5) == .look)
            #expect(flow.step(after: .nothing, at: .zero, random: 0.5) == wait(delay))
        }
    }

    @Test(arguments: [(0.0, 15), (0.5, 20), (1.0, 25)]) func delaysVaryByAQuarter(_ random: Double, _ delay: Int) {
        var flow = flow()
        #expect(flow.step(after: .held, at: .zero, random: random) == wait(delay))
    }

    /// The end is the lease time, or half of the deadline if that is earlier.
    @Test(arguments: [(nil, 5000), (20_000, 5000), (4000, 2000), (0, 0)] as [(Int?, Int)])
    func aLoserGivesUpAtTheEarlierEnd(_ deadline: Int?, _ end: Int) {
        for time in stride(from: 0, through: 6000, by: 250) {
            var flow = flow(deadline: deadline.map { .milliseconds($0) })
            let step = flow.step(after: .nothing, at: .milliseconds(time), random: 0.5)
            #expect((step == .compute(isLeased: false)) == (time >= end))
            #expect(flow.hasGivenUp == (time >= end))
        }
    }

    @Test func noDelayReachesPastTheEnd() {
        var flow = flow(deadline: .milliseconds(30))
        #expect(flow.step(after: .held, at: .milliseconds(5), random: 0.5) == wait(10))
        #expect(flow.step(after: .waited, at: .milliseconds(15), random: 0.5) == .look)
        #expect(flow.step(after: .nothing, at: .milliseconds(15), random: 0.5) == .compute(isLeased: false))
    }

    @Test func anAbandonedLeaseIsNotTakenAfterTheEnd() {
        var flow = flow()
        #expect(flow.step(after: .abandoned, at: .seconds(5), random: 0.5) == .compute(isLeased: false))
    }
}
