import Testing

@testable import TintypeServer

@Suite struct EvictingCacheTests {
    @Test func aValueOfMoreThanAQuarterIsNotStored() {
        let cache = EvictingCache<String, Int>(cost: 100)
        cache.store(1, for: "a", cost: 25)
        cache.store(2, for: "b", cost: 26)
        #expect(cache.value(for: "a") == 1 && cache.value(for: "b") == nil)
        // The former value of the key is gone, too.
        cache.store(3, for: "a", cost: 26)
        #expect(cache.value(for: "a") == nil)
    }

    @Test func theCostOfAllIsLimited() {
        let cache = EvictingCache<Int, Int>(cost: 100)
        for number in 0..<20 { cache.store(number, for: number, cost: 20) }
        let present = (0..<20).filter { cache.value(for: $0) != nil }
        #expect(present.count == 5 && present.contains(19))
    }

    @Test func aValueThatWasUsedOutlivesOthers() {
        let cache = EvictingCache<Int, Int>(count: 3)
        for number in 0..<3 { cache.store(number, for: number) }
        #expect(cache.value(for: 0) == 0)
        cache.store(3, for: 3)
        #expect(cache.value(for: 0) == 0 && cache.value(for: 1) == nil && cache.value(for: 3) == 3)
    }

    @Test func aRemovedValueMakesRoom() {
        let cache = EvictingCache<Int, Int>(count: 2)
        for number in 0..<2 { cache.store(number, for: number) }
        cache.remove(0)
        cache.store(2, for: 2)
        #expect(cache.value(for: 0) == nil && cache.value(for: 1) == 1 && cache.value(for: 2) == 2)
    }
}
