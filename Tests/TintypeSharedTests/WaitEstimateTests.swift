import Testing
import TintypeTesting

@testable import TintypeShared

@Suite struct WaitEstimateTests {
    private static let bounds = Duration.milliseconds(50)...Duration.milliseconds(250)

    /// Milliseconds of calls, and the wait for the next one within 50 to 250 ms.
    @Test(arguments: [
        ([], 250...250),  // Nothing is known.
        ([1], 50...50),  // Fast: the lower bound.
        ([60], 120...120),
        (Array(repeating: 60, count: 50), 120...120),
        (Array(repeating: 10, count: 50) + [100, 100], 50...50),  // Two slow calls of twenty do not count.
        (Array(repeating: 10, count: 50) + [100, 100, 100], 200...200),  // Three do: the store is slower now.
        (Array(repeating: 10, count: 50) + [100, 100, 100] + Array(repeating: 10, count: 18), 50...50),  // Forgotten.
        ([100, 10, 100, 100] + Array(repeating: 10, count: 17), 50...50),  // The first of 21 is forgotten.
        ([5000], 250...250),
    ])
    func theWaitFollowsWhatCallsTake(_ times: [Int], _ expected: ClosedRange<Int>) {
        var estimate = WaitEstimate()
        for time in times { estimate.record(.milliseconds(time)) }
        let wait = estimate.wait(in: Self.bounds)
        #expect(wait >= .milliseconds(expected.lowerBound) && wait <= .milliseconds(expected.upperBound))
    }

    /// Whatever the times are, calls that take as long as the last hundred are waited for.
    @Test func callsThatTakeAsLongAsTheOthersAreWaitedFor() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<200 {
            let usual = Int.random(in: 1...100, using: &random)
            var estimate = WaitEstimate()
            var late = 0
            for index in 0..<300 {
                let time = Duration.milliseconds(Int.random(in: usual...usual + usual / 2, using: &random))
                if index >= 100, estimate.wait(in: Self.bounds) < time { late += 1 }
                estimate.record(time)
            }
            #expect(late == 0)
        }
    }
}
