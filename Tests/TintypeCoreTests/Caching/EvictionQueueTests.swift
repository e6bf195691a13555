import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct EvictionQueueTests {
    /// A queue of numbers, and which of them were used.
    private struct Cache {
        var queue: EvictionQueue<Int, Int>
        var used: Set<Int> = []

        init(_ limits: CacheLimits) {
            queue = EvictionQueue(limits: limits)
        }

        @discardableResult
        mutating func insert(_ number: Int, cost: Int = 1) -> EvictionQueue<Int, Int>.Insertion {
            queue.insert(number, for: number, cost: cost) { used.remove($0) != nil }
        }

        mutating func trim(toCost cost: Int, count: Int = .max) -> [Int] {
            queue.trim(toCost: cost, count: count) { used.remove($0) != nil }
        }
    }

    @Test func replacingCountsOnce() {
        var queue = EvictionQueue<String, Int>(limits: CacheLimits(cost: 100))
        _ = queue.insert(1, for: "a", cost: 10) { _ in false }
        #expect(queue.insert(2, for: "a", cost: 30) { _ in false }.replaced == 1)
        #expect(queue.cost == 30 && queue.count == 1)
    }

    @Test func costStaysWithinTheLimit() {
        var cache = Cache(CacheLimits(cost: 100))
        for number in 0..<1000 {
            cache.insert(number, cost: 7)
            #expect(cache.queue.cost <= 100)
        }
        #expect(cache.queue.count == 14)
    }

    @Test func countStaysWithinTheLimit() {
        var cache = Cache(CacheLimits(cost: .max, count: 3))
        for number in 0..<10 { cache.insert(number) }
        #expect(cache.queue.count == 3)
    }

    @Test func whatIsTooLargeOnItsOwnIsNotKept() {
        var cache = Cache(CacheLimits(cost: 100, entryCost: 50))
        #expect(cache.insert(1, cost: 10).isKept)
        #expect(!cache.insert(2, cost: 51).isKept && !cache.insert(3, cost: 101).isKept)
        #expect(cache.queue.count == 1)
    }

    @Test func oneTooLargeTakesTheOldOneAway() {
        var cache = Cache(CacheLimits(cost: 100))
        cache.insert(1, cost: 10)
        let insertion = cache.insert(1, cost: 1000)
        #expect(!insertion.isKept && insertion.replaced == 1 && cache.queue.count == 0)
    }

    @Test func whatWasUsedSurvivesWhatWasNot() {
        var cache = Cache(CacheLimits(cost: 3))
        for number in 1...3 { cache.insert(number) }
        cache.used = [1]
        #expect(cache.insert(4).evicted == [2])
    }

    @Test func trimmingToNothingEmptiesIt() {
        var cache = Cache(CacheLimits(cost: 100))
        for number in 0..<10 { cache.insert(number, cost: 10) }
        cache.used = Set(0..<10)
        #expect(cache.trim(toCost: 0, count: 0).sorted() == Array(0..<10))
        #expect(cache.queue.count == 0 && cache.queue.cost == 0)
    }

    @Test func aQueueThatWasLargeAndIsEmptiedWorksOn() {
        var queue = Cache(CacheLimits(cost: .max))
        for _ in 0..<3 {
            for number in 0..<3_000 { _ = queue.insert(number) }
            #expect(queue.queue.count == 3_000)
            #expect(queue.trim(toCost: 0).count == 3_000)
        }
        _ = queue.insert(1)
        #expect(queue.queue.count == 1 && queue.queue.cost == 1)
    }

    @Test func theOldestGoWhileTheirTimeIsOver() {
        var cache = Cache(CacheLimits(cost: 100))
        for number in 0..<5 { cache.insert(number) }
        #expect(cache.queue.removeOldest { $0 < 3 } == [0, 1, 2])
        #expect(cache.queue.removeOldest { $0 < 3 } == [])
    }

    /// However many were used, one insertion asks about a bounded number of them.
    @Test func oneInsertionIsBoundedEvenIfEverythingWasUsed() {
        var cache = Cache(CacheLimits(cost: 100_000))
        for number in 0..<100_000 { cache.insert(number) }
        var asked = 0
        let insertion = cache.queue.insert(-1, for: -1, cost: 1) { _ in
            asked += 1
            return true
        }
        #expect(insertion.evicted.count == 1 && asked <= 64)
    }

    /// The queue against a list that is searched: the same victims in the same order.
    @Test func evictsWhatTheTextbookEvicts() {
        var random = SeededRandom.printed("SIEVE")
        var cache = Cache(CacheLimits(cost: .max, count: 20))
        var textbook = Textbook(capacity: 20)
        for _ in 0..<20_000 {
            let number = Int.random(in: 0..<60, using: &random)
            if textbook.order.contains(number) {
                cache.used.insert(number)
                textbook.used.insert(number)
            } else {
                #expect(cache.insert(number).evicted == textbook.insert(number))
            }
        }
    }

    /// SIEVE as its paper has it, on an array with the oldest first.
    private struct Textbook {
        let capacity: Int
        var order: [Int] = []
        var used: Set<Int> = []
        var hand = 0

        mutating func insert(_ number: Int) -> [Int] {
            defer { order.append(number) }
            guard order.count == capacity else { return [] }
            while used.remove(order[hand]) != nil { hand = (hand + 1) % order.count }
            let victim = order.remove(at: hand)
            // Past the newest it is back at the oldest, before the newcomer is there.
            if hand == order.count { hand = 0 }
            return [victim]
        }
    }
}
