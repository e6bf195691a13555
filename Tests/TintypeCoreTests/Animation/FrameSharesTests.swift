import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct FrameSharesTests {
    private final class Pool {}

    private func shares(_ limit: Int, _ needs: [Int]) -> [Int] {
        let pools = needs.map { _ in Pool() }
        var shares = FrameShares(limit: limit)
        for (pool, need) in zip(pools, needs) { shares.setNeed(need, for: ObjectIdentifier(pool)) }
        let result = shares.shares()
        return pools.compactMap { result[ObjectIdentifier($0)] }
    }

    @Test(
        arguments: [
            (100, [10, 20, 30], [10, 20, 30]), (100, [100, 100], [50, 50]), (100, [10, 200, 300], [10, 45, 45]),
            (100, [300, 10, 40], [50, 10, 40]), (0, [5, 5], [0, 0]), (7, [5], [5]), (100, [], []),
        ] as [(Int, [Int], [Int])])
    func smallNeedsAreMetAndTheRestIsSharedEqually(_ limit: Int, _ needs: [Int], _ expected: [Int]) {
        #expect(shares(limit, needs) == expected)
    }

    @Test func sharesNeverExceedTheLimit() {
        var random = SeededRandom.printed("noMoreIsGiven")
        for _ in 0..<200 {
            let limit = Int.random(in: 0...1000, using: &random)
            let needs = (0..<Int.random(in: 1...9, using: &random)).map { _ in Int.random(in: 0...500, using: &random) }
            let result = shares(limit, needs)
            #expect(result.reduce(0, +) <= limit && zip(result, needs).allSatisfy { $0 <= $1 })
        }
    }

    @Test func pressureHalvesTheLimitForAMinute() {
        let pool = Pool()
        var shares = FrameShares(limit: 80)
        shares.setNeed(100, for: ObjectIdentifier(pool))
        shares.shrink(for: .some, at: .seconds(1))
        #expect(Array(shares.shares().values) == [40])
        shares.shrink(for: .some, at: .seconds(2))
        #expect(Array(shares.shares().values) == [20])
        shares.shrink(for: .critical, at: .seconds(3))
        #expect(Array(shares.shares().values) == [0])
        #expect(!shares.recover(at: .seconds(62)) && shares.recover(at: .seconds(63)))
        #expect(Array(shares.shares().values) == [80] && !shares.recover(at: .seconds(999)))
        shares.shrink(for: .some, at: .zero)
        shares.limit = 10
        shares.shrink(for: .some, at: .zero)
        #expect(Array(shares.shares().values) == [10])
    }

    @Test(
        arguments: [
            (.automatic, 1 << 40, 1 << 40, 64 << 20), (.automatic, 50 << 20, 1 << 40, 30 << 20),
            (.automatic, 1 << 40, 100 << 20, 20 << 20), (.automatic, 0, 1 << 40, 1000),
            (.oneFrame, 1 << 40, 1 << 40, 1000), (.bytes(5000), 0, 0, 5000), (.bytes(-1), 0, 0, 1000),
            (.bytes(.max), 0, 0, .max),
        ] as [(FrameBudget, Int, Int, Int)])
    func budgetsInBytes(_ budget: FrameBudget, _ free: Int, _ total: Int, _ bytes: Int) {
        #expect(abs(budget.byteCount(frame: 1000, free: free, total: total) - bytes) < 5)
    }

    @Test func freeMemoryIsReadFromMeminfo() {
        #expect(SystemMemory.free(meminfo: "MemTotal: 9 kB\nMemAvailable:    123 kB\nBuffers: 4 kB\n") == 123 * 1024)
        #expect(SystemMemory.free(meminfo: "MemTotal: 9 kB") == nil && SystemMemory.free(meminfo: "") == nil)
    }
}
