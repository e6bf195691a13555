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
}

extension ArrivalList {
    /// The values in order of arrival.
    var values: [Value] {
        var values: [Value] = []
        forEach { values.append($0) }
        return values
    }
}
