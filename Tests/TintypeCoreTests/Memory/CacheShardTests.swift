import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct CacheShardTests {
    @Test func keepsAndFinds() {
        var shard = CacheShard<String, Int>(limits: CacheLimits(cost: 100))
        _ = shard.insert(1, for: "a", cost: 10)
        #expect(shard.value(for: "a") == 1)
        #expect(shard.value(for: "b") == nil)
        #expect(shard.cost == 10)
    }

    @Test func replacingCountsOnce() {
        var shard = CacheShard<String, Int>(limits: CacheLimits(cost: 100))
        _ = shard.insert(1, for: "a", cost: 10)
        #expect(shard.insert(2, for: "a", cost: 30) == [1])
        #expect(shard.value(for: "a") == 2)
        #expect(shard.cost == 30 && shard.count == 1)
    }

    @Test func costStaysWithinTheLimit() {
        var shard = CacheShard<Int, Int>(limits: CacheLimits(cost: 100))
        for number in 0..<1000 {
            _ = shard.insert(number, for: number, cost: 7)
            #expect(shard.cost <= 100)
        }
        #expect(shard.count == 14)
    }

    @Test func countStaysWithinTheLimit() {
        var shard = CacheShard<Int, Int>(limits: CacheLimits(cost: .max, count: 3))
        for number in 0..<10 { _ = shard.insert(number, for: number, cost: 1) }
        #expect(shard.count == 3)
    }

    @Test func whatIsTooLargeOnItsOwnIsNotKept() {
        var shard = CacheShard<String, Int>(limits: CacheLimits(cost: 100, entryCost: 50))
        _ = shard.insert(1, for: "small", cost: 10)
        _ = shard.insert(2, for: "entry", cost: 51)
        _ = shard.insert(3, for: "cache", cost: 101)
        #expect(!shard.contains("entry") && !shard.contains("cache"))
        #expect(shard.contains("small"))
    }

    @Test func aValueTooLargeTakesTheOldOneAway() {
        var shard = CacheShard<String, Int>(limits: CacheLimits(cost: 100))
        _ = shard.insert(1, for: "a", cost: 10)
        _ = shard.insert(2, for: "a", cost: 1000)
        #expect(shard.value(for: "a") == nil)
    }

    @Test func whatWasHitSurvivesWhatWasNot() {
        var shard = CacheShard<String, Int>(limits: CacheLimits(cost: 3))
        for (name, value) in [("a", 1), ("b", 2), ("c", 3)] { _ = shard.insert(value, for: name, cost: 1) }
        _ = shard.value(for: "a")
        _ = shard.insert(4, for: "d", cost: 1)
        #expect(shard.contains("a") && !shard.contains("b"))
    }

    @Test func trimmingToNothingEmptiesIt() {
        var shard = CacheShard<Int, Int>(limits: CacheLimits(cost: 100))
        for number in 0..<10 { _ = shard.insert(number, for: number, cost: 1) }
        #expect(shard.trim(toCost: 0, count: 0).count == 10)
        #expect(shard.count == 0 && shard.cost == 0)
    }

    /// Random operations against a dictionary of what may be there.
    @Test func randomOperationsNeverReturnAnotherValue() {
        var random = SeededRandom.printed("cache shard")
        var shard = CacheShard<Int, Int>(limits: CacheLimits(cost: 500, count: 60, entryCost: 100))
        var latest: [Int: Int] = [:]
        for value in 0..<20_000 {
            let key = Int.random(in: 0..<150, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                _ = shard.insert(value, for: key, cost: Int.random(in: 0...120, using: &random))
                latest[key] = value
            case 4: _ = shard.remove(key)
            case 5: _ = shard.trim(toCost: Int.random(in: 0...500, using: &random), count: .max)
            default: if let found = shard.value(for: key) { #expect(found == latest[key]) }
            }
            #expect(shard.cost <= 500 && shard.count <= 60)
        }
    }
}
