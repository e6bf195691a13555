import Foundation
import Testing
import TintypeTesting

@testable import TintypeColor

/// Which colour transforms are kept for the next picture.
@Suite struct ColorTransformShelfTests {
    private func key(_ number: Int, length: Int = 10) -> ColorTransformKey {
        ColorTransformKey(.profile(Data([UInt8(number)]) + Data(count: length - 1)), .rgb)
    }

    private func transform() throws -> ColorTransform {
        try #require(ColorTransform(.coded(primaries: 12, transfer: 13), .rgb))
    }

    @Test func aTransformIsHandedToOneAtATime() throws {
        var shelf = ColorTransformShelf()
        let made = try transform()
        #expect(shelf.take(key(1)) == nil)
        #expect(shelf.put(key(1), .transform(made)).isEmpty)
        #expect(shelf.take(key(2)) == nil)
        #expect(shelf.take(key(1))?.transform === made)
        #expect(shelf.take(key(1)) == nil && shelf.totalCost == 0)
    }

    @Test func twoOfOneProfileAreBothKept() throws {
        var shelf = ColorTransformShelf()
        let both = [try transform(), try transform()]
        for made in both { #expect(shelf.put(key(1), .transform(made)).isEmpty) }
        #expect(shelf.take(key(1))?.transform === both[1])
        #expect(shelf.take(key(1))?.transform === both[0])
    }

    @Test func thatNothingIsToBeDoneIsToldToAll() {
        var shelf = ColorTransformShelf()
        #expect(shelf.put(key(1), .needless).isEmpty)
        for _ in 0..<3 { #expect(shelf.take(key(1))?.isNeedless == true) }
        #expect(shelf.totalCost == key(1).cost)
    }

    @Test func channelsAndColoursTellThemApart() {
        var shelf = ColorTransformShelf()
        _ = shelf.put(key(1), .needless)
        #expect(shelf.take(ColorTransformKey(.profile(Data([1]) + Data(count: 9)), .grey)) == nil)
        #expect(shelf.take(ColorTransformKey(.coded(primaries: 12, transfer: 13), .rgb)) == nil)
        #expect(shelf.take(key(1)) != nil)
        let (gamma, point) = (ColorTransformKey.measured(2.2, 0.64), ColorTransformKey.measured(2.2, 0.68))
        #expect(gamma == .measured(2.2, 0.64) && gamma != .measured(nil, 0.64) && gamma != point)
    }

    @Test func theOneUsedLongestAgoGoesFirst() {
        var shelf = ColorTransformShelf(count: 3)
        for number in 1...3 { #expect(shelf.put(key(number), .needless).isEmpty) }
        _ = shelf.take(key(1))
        #expect(shelf.put(key(4), .needless).count == 1)
        #expect([1, 2, 3, 4].map { shelf.take(key($0)) != nil } == [true, false, true, true])
    }

    @Test func profilesOfAnyLengthStayWithinTheBound() {
        let bound = 8 << 20
        var shelf = ColorTransformShelf(count: 100, cost: bound)
        var random = SeededRandom.printed("lengths of profiles")
        var (kept, gone) = (0, 0)
        for number in 0..<200 {
            gone += shelf.put(key(number % 256, length: .random(in: 1...1_000_000, using: &random)), .needless).count
            kept += 1
            #expect(shelf.totalCost <= bound)
        }
        #expect(gone > 0 && gone < kept)
        #expect(shelf.put(key(1, length: bound), .needless).count == 1, "too large for all of it")
        #expect(shelf.totalCost > 0, "and nothing else went for it")
    }
}

extension ColorTransformKey {
    fileprivate static func measured(_ gamma: Double?, _ red: Double) -> ColorTransformKey {
        let own = Chromaticities.standard
        let places = Chromaticities(
            white: own.white, red: .init(red, 0.33), green: own.green, blue: own.blue)
        return ColorTransformKey(.measured(gamma: gamma, places), .rgb)
    }
}

extension ColorTransformShelf.Answer {
    fileprivate var transform: ColorTransform? {
        if case .transform(let transform) = self { transform } else { nil }
    }

    fileprivate var isNeedless: Bool { transform == nil }
}
