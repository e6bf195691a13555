import Testing
import TintypeTesting

@testable import TintypeShared

@Suite struct CircuitBreakerTests {
    /// A breaker with a clock, and calls that end at once.
    private final class Bench {
        var breaker = CircuitBreaker()
        var now = Duration.zero
        /// 0.5 means no jitter.
        var random = 0.5

        /// Makes a call.
        ///
        /// - Returns: Whether it was permitted.
        func call(_ outcome: CircuitBreaker.Outcome) -> Bool {
            guard let permit = breaker.permit(at: now) else { return false }
            breaker.report(outcome, of: permit, at: now, random: random)
            return true
        }

        func permit() -> CircuitBreaker.Permit? { breaker.permit(at: now) }

        func fail(_ count: Int) { for _ in 0..<count { _ = call(.failure) } }

        var state: BreakerState { breaker.state(at: now) }
    }

    @Test func fiveFailuresInARowOpenIt() {
        let bench = Bench()
        bench.fail(4)
        #expect(bench.state == .closed)
        bench.fail(1)
        #expect(bench.state == .open)
        #expect(!bench.call(.success))
    }

    @Test(arguments: ["TT", "FFFF", "FFSFFSFSFSFSFSFSFSF"])
    func whatWasBeforeItClosedDoesNotCount(_ outcomes: String) {
        let bench = Bench()
        bench.fail(5)
        bench.now = .seconds(2)
        #expect(bench.call(.success) && bench.state == .closed)
        let meanings: [Character: CircuitBreaker.Outcome] = ["T": .timeout, "F": .failure]
        for outcome in outcomes { #expect(bench.call(meanings[outcome] ?? .success)) }
        #expect(bench.state == .closed)
    }

    /// Each time-out costs a caller more than another failure.
    @Test(arguments: [
        ("TTT", true), ("TTFT", false), ("TTSTTS", false), ("FFTTT", true), ("TFTFT", true), ("TUTUT", true),
    ])
    func threeTimeoutsInARowOpenIt(_ outcomes: String, _ isOpen: Bool) {
        let bench = Bench()
        let meanings: [Character: CircuitBreaker.Outcome] = [
            "T": .timeout, "F": .failure, "S": .success, "U": .unknown,
        ]
        for outcome in outcomes { _ = bench.call(meanings[outcome] ?? .unknown) }
        #expect((bench.state == .open) == isOpen)
    }

    @Test func onlyTheCallAfterAPauseIsAProbe() {
        let bench = Bench()
        #expect(bench.permit()?.isProbe == false)
        bench.fail(5)
        bench.now += .seconds(1)
        #expect(bench.permit()?.isProbe == true)
        bench.fail(1)
    }

    @Test func aProbeThatTakesTooLongDoublesThePause() {
        let bench = Bench()
        for _ in 0..<3 { _ = bench.call(.timeout) }
        bench.now += .seconds(1)
        #expect(bench.call(.timeout))
        bench.now += .milliseconds(1999)
        #expect(!bench.call(.success))
        bench.now += .milliseconds(1)
        #expect(bench.call(.success))
    }

    @Test func aSuccessEndsARunOfFailures() {
        let bench = Bench()
        bench.fail(4)
        #expect(bench.call(.success))
        bench.fail(4)
        #expect(bench.state == .closed)
    }

    /// S is a success and F a failure. More than half of the last 20 must fail, without five failures in a row.
    @Test(arguments: [
        ("FFSFFSFFSFFSFFSFFSFS", true),  // 13 of 20
        ("SFSFSFSFSFSFSFSFSFSF", false),  // 10 of 20
        ("SFSFSFSFSFSFSFSFSFFF", true),  // 11 of 20
        ("FFSFFSFFSFFSFFSFFSF", false),  // only 19 calls
        ("FFSFFSFFSSSSSSSSSSSSSSSSSSFFFS", false),  // the first failures are forgotten
    ])
    func moreThanHalfOfTheLastTwentyOpenIt(_ outcomes: String, _ isOpen: Bool) {
        let bench = Bench()
        for outcome in outcomes { _ = bench.call(outcome == "F" ? .failure : .success) }
        #expect((bench.state == .open) == isOpen)
    }

    @Test func cancelledCallsDoNotCount() {
        let bench = Bench()
        for _ in 0..<100 { _ = bench.call(.unknown) }
        #expect(bench.state == .closed)
        bench.fail(4)
        _ = bench.call(.unknown)
        bench.fail(1)
        #expect(bench.state == .open)
    }

    @Test func pausesDoubleUpToThirtySecondsAndBeginAnewAfterASuccess() {
        let bench = Bench()
        bench.fail(5)
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            bench.now += .seconds(pause) - .milliseconds(1)
            #expect(!bench.call(.failure) && bench.state == .open)
            bench.now += .milliseconds(1)
            #expect(bench.state == .halfOpen)
            #expect(bench.call(.failure))
        }
        bench.now += .seconds(30)
        #expect(bench.call(.success) && bench.state == .closed)
        bench.fail(5)
        bench.now += .seconds(1)
        #expect(bench.call(.success))
    }

    @Test(arguments: [(0.0, 900), (0.5, 1000), (0.9999, 1100)])
    func pausesVaryByTenPercent(_ random: Double, _ milliseconds: Int) {
        let bench = Bench()
        bench.random = random
        bench.fail(5)
        bench.now = .milliseconds(milliseconds - 1)
        #expect(!bench.call(.success))
        bench.now = .milliseconds(milliseconds)
        #expect(bench.call(.success))
    }

    @Test func onlyOneProbeRunsAtATime() throws {
        let bench = Bench()
        bench.fail(5)
        bench.now += .seconds(1)
        let probe = try #require(bench.permit())
        #expect(bench.permit() == nil)
        bench.breaker.report(.success, of: probe, at: bench.now, random: 0.5)
        #expect(bench.state == .closed)
    }

    @Test func aCancelledProbeLetsTheNextCallProbe() throws {
        let bench = Bench()
        bench.fail(5)
        bench.now += .seconds(1)
        #expect(bench.call(.unknown))
        #expect(bench.call(.success) && bench.state == .closed)
    }

    @Test func aProbeThatNeverEndsIsReplaced() throws {
        let bench = Bench()
        bench.fail(5)
        bench.now += .seconds(1)
        let lost = try #require(bench.permit())
        bench.now += CircuitBreaker.longestProbe
        let next = try #require(bench.permit())
        bench.breaker.report(.failure, of: lost, at: bench.now, random: 0.5)
        #expect(bench.state == .halfOpen)
        bench.breaker.report(.success, of: next, at: bench.now, random: 0.5)
        #expect(bench.state == .closed)
    }

    @Test func outcomesOfCallsThatBeganEarlierDoNotCount() throws {
        let bench = Bench()
        let early = try #require(bench.permit())
        bench.fail(5)
        bench.breaker.report(.success, of: early, at: bench.now, random: 0.5)
        #expect(bench.state == .open)
        bench.now += .seconds(1)
        #expect(bench.call(.success))
        bench.fail(4)
        bench.breaker.report(.failure, of: early, at: bench.now, random: 0.5)
        #expect(bench.state == .closed)
    }

    /// Random sequences of calls.
    @Test func itNeitherStaysOpenForeverNorCallsWhileOpen() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            let bench = Bench()
            var openUntil: Duration?
            for _ in 0..<60 {
                bench.now += .milliseconds(Int.random(in: 0...3000, using: &random))
                bench.random = Double.random(in: 0..<1, using: &random)
                let wasClosed = bench.state == .closed
                let isPermitted = bench.call(Bool.random(using: &random) ? .failure : .success)
                if let end = openUntil, bench.now >= end { #expect(isPermitted) }
                if wasClosed { #expect(isPermitted) }
                // No pause is longer than 30 s and 10 %.
                openUntil = bench.state == .open ? openUntil ?? bench.now + .seconds(33) : nil
                if isPermitted && bench.state == .open { openUntil = bench.now + .seconds(33) }
            }
        }
    }
}
