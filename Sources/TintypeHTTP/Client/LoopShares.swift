/// How many exchanges each of a few event loops has to do with.
struct LoopShares: Sendable {
    private var counts: [Int]

    /// - Parameter loopCount: at least one.
    init(loopCount: Int) {
        counts = Array(repeating: 0, count: loopCount)
    }

    /// Gives one to the loop that has the fewest, the first of several. O(number of loops).
    mutating func enter() -> Int {
        var fewest = 0
        for loop in counts.indices where counts[loop] < counts[fewest] { fewest = loop }
        counts[fewest] += 1
        return fewest
    }

    mutating func leave(_ loop: Int) {
        counts[loop] -= 1
    }
}
