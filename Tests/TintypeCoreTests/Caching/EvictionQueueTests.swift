import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct EvictionQueueTests {
    /// A queue of numbers, with the set of those that were used.
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

        /// Returns the numbers that were evicted.
        mutating func perform(_ operation: Operation) -> [Int] {
            switch operation {
            case .insert(let number):
                used.remove(number)
                return insert(number).evicted
            case .use(let number): used.insert(number)
            case .remove(let number):
                used.remove(number)
                _ = queue.remove(number)
            case .expireOldest:
                var first = true
                let expired = queue.removeOldest { _ in
                    defer { first = false }
                    return first
                }
                used.subtract(expired)
            }
            return []
        }
    }

    @Test func aReplacedElementCountsOnce() {
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

    @Test func anElementThatExceedsTheLimitsAloneIsNotInserted() {
        var cache = Cache(CacheLimits(cost: 100, entryCost: 50))
        #expect(cache.insert(1, cost: 10).isInserted)
        #expect(!cache.insert(2, cost: 51).isInserted && !cache.insert(3, cost: 101).isInserted)
        #expect(cache.queue.count == 1)
    }

    @Test func anElementOfExactlyTheLimitIsInserted() {
        var cache = Cache(CacheLimits(cost: 100, entryCost: 50))
        #expect(cache.insert(1, cost: 50).isInserted && cache.insert(2, cost: 50).isInserted)
        #expect(cache.queue.count == 2 && cache.queue.cost == 100)
    }

    @Test func withACountOfZeroNothingIsInserted() {
        var cache = Cache(CacheLimits(cost: 100, count: 0))
        #expect(!cache.insert(1).isInserted && cache.queue.count == 0)
    }

    @Test func anElementThatIsTooLargeStillRemovesItsPredecessor() {
        var cache = Cache(CacheLimits(cost: 100))
        cache.insert(1, cost: 10)
        let insertion = cache.insert(1, cost: 1000)
        #expect(!insertion.isInserted && insertion.replaced == 1 && cache.queue.count == 0)
    }

    @Test func aUsedElementSurvivesAnUnusedOne() {
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

    @Test func aLargeQueueThatIsEmptiedKeepsWorking() {
        var queue = Cache(CacheLimits(cost: .max))
        for _ in 0..<3 {
            for number in 0..<3_000 { _ = queue.insert(number) }
            #expect(queue.queue.count == 3_000)
            #expect(queue.trim(toCost: 0).count == 3_000)
        }
        _ = queue.insert(1)
        #expect(queue.queue.count == 1 && queue.queue.cost == 1)
    }

    @Test func theOldestElementsGoWhileTheyAreExpired() {
        var cache = Cache(CacheLimits(cost: 100))
        for number in 0..<5 { cache.insert(number) }
        #expect(cache.queue.removeOldest { $0 < 3 } == [0, 1, 2])
        #expect(cache.queue.removeOldest { $0 < 3 } == [])
    }

    /// One insertion asks about a bounded number of elements, however many were used.
    @Test func oneInsertionIsBoundedEvenIfEverythingWasUsed() {
        var cache = Cache(CacheLimits(cost: 100_000))
        for number in 0..<100_000 { cache.insert(number) }
        var calls = 0
        let insertion = cache.queue.insert(-1, for: -1, cost: 1) { _ in
            calls += 1
            return true
        }
        #expect(insertion.evicted.count == 1 && calls <= 64)
    }

    // MARK: Other limits

    @Test func withACountOfOneTheNewestElementIsIn() {
        var cache = Cache(CacheLimits(cost: 100, count: 1))
        #expect(cache.insert(1).isInserted && cache.insert(2).evicted == [1] && cache.queue.count == 1)
        #expect(cache.trim(toCost: 100, count: 0) == [2])
    }

    @Test func theHandPasses64UsedElements() {
        var cache = Cache(CacheLimits(cost: 66, count: .max))
        for number in 0..<66 { cache.insert(number) }
        cache.used = Set(0..<66)
        #expect(cache.insert(66).evicted == [64])
    }

    // MARK: Memory

    private func slotCount(_ cache: Cache) -> Int? {
        Mirror(reflecting: cache.queue).children.first { $0.label == "nodes" }.map {
            Mirror(reflecting: $0.value).children.count
        }
    }

    @Test func slotsAreReused() {
        var cache = Cache(CacheLimits(cost: 3, count: .max))
        for number in 0..<100 { cache.insert(number) }
        #expect(slotCount(cache) == 3)
    }

    @Test(arguments: [(1024, 1024), (1025, 0)]) func theStorageOfALargeEmptyQueueIsFreed(_ count: Int, _ slots: Int) {
        var cache = Cache(CacheLimits(cost: .max, count: .max))
        for number in 0..<count { cache.insert(number) }
        for number in 0..<count { _ = cache.queue.remove(number) }
        #expect(cache.queue.count == 0 && slotCount(cache) == slots)
    }

    // MARK: Random runs

    @Test func aLongRandomRunEvictsWhatTheModelEvicts() {
        var random = SeededRandom.printed("SIEVE")
        var cache = Cache(CacheLimits(cost: .max, count: 20))
        var model = Model(capacity: 20)
        for _ in 0..<20_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let operation: Operation =
                if Int.random(in: 0..<10, using: &random) == 0 {
                    model.order.contains(number) ? .remove(number) : .expireOldest
                } else {
                    model.order.contains(number) ? .use(number) : .insert(number)
                }
            #expect(cache.perform(operation) == model.perform(operation), "\(operation)")
        }
    }

    /// Removals matter most: the hand must leave a removed node, whose slot the next insertion takes.
    @Test(arguments: [2, 3]) func everyShortSequenceEvictsWhatTheModelEvicts(_ capacity: Int) {
        var count = 0
        func extend(_ cache: Cache, _ model: Model, _ path: [Operation]) {
            guard path.count < 7 else { return }
            for operation in model.operations(keys: capacity + 1) {
                var (cache, model) = (cache, model)
                let path = path + [operation]
                let (evicted, expected) = (cache.perform(operation), model.perform(operation))
                count += 1
                guard evicted == expected, cache.queue.count == model.order.count else {
                    Issue.record("\(path): evicted \(evicted), expected \(expected)")
                    continue
                }
                extend(cache, model, path)
            }
        }
        extend(Cache(CacheLimits(cost: .max, count: capacity)), Model(capacity: capacity), [])
        #expect(count > 20_000)
    }

    private enum Operation {
        /// Inserts a number, or replaces it.
        case insert(Int)
        case use(Int)
        case remove(Int)
        case expireOldest
    }

    /// SIEVE as its paper describes it, on an array with the oldest first.
    private struct Model {
        let capacity: Int
        var order: [Int] = []
        var used: Set<Int> = []
        var hand = 0

        mutating func perform(_ operation: Operation) -> [Int] {
            switch operation {
            case .insert(let number): return insert(number)
            case .use(let number): used.insert(number)
            case .remove(let number): remove(number)
            case .expireOldest: if let oldest = order.first { remove(oldest) }
            }
            return []
        }

        /// The operations that can change this state, with at most `keys` different numbers. New numbers come in order,
        /// as their names do not matter.
        func operations(keys: Int) -> [Operation] {
            let absent = (0..<keys).filter { !order.contains($0) }.prefix(1).map(Operation.insert)
            let present = order.flatMap { [Operation.insert($0), .use($0), .remove($0)] }
            return absent + present + (order.isEmpty ? [] : [.expireOldest])
        }

        private mutating func insert(_ number: Int) -> [Int] {
            remove(number)
            defer { order.append(number) }
            guard order.count == capacity else { return [] }
            while used.remove(order[hand]) != nil { hand = (hand + 1) % order.count }
            let victim = order[hand]
            remove(victim)
            return [victim]
        }

        private mutating func remove(_ number: Int) {
            used.remove(number)
            guard let index = order.firstIndex(of: number) else { return }
            order.remove(at: index)
            if index < hand { hand -= 1 }
            // Past the newest, the hand is back at the oldest before the next insertion.
            if hand == order.count { hand = 0 }
        }
    }
}
