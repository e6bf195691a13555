import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct ArrivalListTests {
    @Test func elementsAreInOrderOfArrival() {
        var list = ArrivalList<Int, String>()
        for (key, value) in [(1, "a"), (4, "b"), (9, "c")] { list.append(value, as: key) }
        #expect(list.values == ["a", "b", "c"] && list.count == 3)
        #expect(list.update(4, to: "d") == "b" && list.update(5, to: "e") == nil)
        #expect(list.remove(1) == "a" && list.remove(1) == nil && list.update(1, to: "f") == nil)
        #expect(list.values == ["d", "c"] && list.count == 2)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func randomOperationsAgreeWithADictionary(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (list, model) = (ArrivalList<Int, Int>(), [Int: Int]())
        for key in 0..<2_000 {
            list.append(key, as: key)
            model[key] = key
            let (some, other) = (Int.random(in: 0...key, using: &random), Int.random(in: 0...key, using: &random))
            #expect(list.remove(some) == model.removeValue(forKey: some), "seed \(seed)")
            let old = model[other]
            if old != nil { model[other] = -key }
            #expect(list.update(other, to: -key) == old, "seed \(seed)")
        }
        #expect(list.values == model.keys.sorted().map { model[$0] } && list.count == model.count, "seed \(seed)")
    }

    /// Removed elements leave empty entries, which are swept when they are the majority, but the first is no entry.
    @Test func removedElementsAreForgottenAtLast() {
        let count = KeyCount()
        var list = ArrivalList<CountedKey, Int>()
        for number in 0..<20 { list.append(number, as: CountedKey(number, count)) }
        for number in 0..<14 { #expect(list.remove(CountedKey(number, KeyCount())) == number) }
        #expect(count.living == 19)
        #expect(list.remove(CountedKey(14, KeyCount())) == 14)
        #expect(count.living == 5 && list.values == [15, 16, 17, 18, 19])
    }
}

/// How many keys there are.
private final class KeyCount: Sendable {
    private let number = Locked(0)
    var living: Int { number.withLock { $0 } }

    func change(by difference: Int) { number.withLock { $0 += difference } }
}

private final class CountedKey: Comparable, Sendable {
    let number: Int
    private let count: KeyCount

    init(_ number: Int, _ count: KeyCount) {
        self.number = number
        self.count = count
        count.change(by: 1)
    }

    deinit { count.change(by: -1) }

    static func == (left: CountedKey, right: CountedKey) -> Bool { left.number == right.number }
    static func < (left: CountedKey, right: CountedKey) -> Bool { left.number < right.number }
}

extension ArrivalList {
    /// The values in order of arrival.
    var values: [Value] {
        var values: [Value] = []
        forEach { values.append($0) }
        return values
    }
}
