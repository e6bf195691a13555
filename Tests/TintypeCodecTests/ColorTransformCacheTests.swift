import Foundation
import Testing
import TintypeTesting

@testable import TintypeColor

/// The cache of idle colour transforms.
@Suite struct ColorTransformCacheTests {
    private func key(_ number: Int, length: Int = 10) -> ColorTransformKey {
        ColorTransformKey(.profile(Data([UInt8(number)]) + Data(count: length - 1)), .rgb)
    }

    private func transform() throws -> ColorTransform {
        try #require(ColorTransform(.codePoints(primaries: 12, transfer: 13), .rgb))
    }

    @Test func aTransformHasOneOwnerAtATime() throws {
        var cache = ColorTransformCache()
        let made = try transform()
        #expect(cache.take(key(1)) == nil)
        #expect(cache.put(key(1), .transform(made)).isEmpty)
        #expect(cache.take(key(2)) == nil)
        #expect(cache.take(key(1))?.transform === made)
        #expect(cache.take(key(1)) == nil && cache.totalCost == 0)
    }

    @Test func twoTransformsOfOneProfileAreBothCached() throws {
        var cache = ColorTransformCache()
        let both = [try transform(), try transform()]
        for made in both { #expect(cache.put(key(1), .transform(made)).isEmpty) }
        #expect(cache.take(key(1))?.transform === both[1])
        #expect(cache.take(key(1))?.transform === both[0])
    }

    @Test func anIdentityIsSharedByAll() {
        var cache = ColorTransformCache()
        #expect(cache.put(key(1), .identity).isEmpty)
        for _ in 0..<3 { #expect(cache.take(key(1))?.isIdentity == true) }
        #expect(cache.totalCost == key(1).cost)
    }

    @Test func channelsAndColoursDistinguishKeys() {
        var cache = ColorTransformCache()
        _ = cache.put(key(1), .identity)
        #expect(cache.take(ColorTransformKey(.profile(Data([1]) + Data(count: 9)), .grey)) == nil)
        #expect(cache.take(ColorTransformKey(.codePoints(primaries: 12, transfer: 13), .rgb)) == nil)
        #expect(cache.take(key(1)) != nil)
        let (gamma, point) = (ColorTransformKey.measured(2.2, 0.64), ColorTransformKey.measured(2.2, 0.68))
        #expect(gamma == .measured(2.2, 0.64) && gamma != .measured(nil, 0.64) && gamma != point)
    }

    @Test func theLeastRecentlyUsedIsEvictedFirst() {
        var cache = ColorTransformCache(count: 3)
        for number in 1...3 { #expect(cache.put(key(number), .identity).isEmpty) }
        _ = cache.take(key(1))
        #expect(cache.put(key(4), .identity).count == 1)
        #expect([1, 2, 3, 4].map { cache.take(key($0)) != nil } == [true, false, true, true])
    }

    @Test func profilesOfAnyLengthStayWithinTheBound() {
        let bound = 8 << 20
        var cache = ColorTransformCache(count: 100, cost: bound)
        var random = SeededRandom.printed("lengths of profiles")
        var (kept, gone) = (0, 0)
        for number in 0..<200 {
            gone += cache.put(key(number % 256, length: .random(in: 1...1_000_000, using: &random)), .identity).count
            kept += 1
            #expect(cache.totalCost <= bound)
        }
        #expect(gone > 0 && gone < kept)
        #expect(cache.put(key(1, length: bound), .identity).count == 1, "larger than the whole cache")
        #expect(cache.totalCost > 0, "nothing else was evicted for it")
    }
}

extension ColorTransformKey {
    fileprivate static func measured(_ gamma: Double?, _ red: Double) -> ColorTransformKey {
        let own = Chromaticities.standard
        let primaries = Chromaticities(
            white: own.white, red: .init(red, 0.33), green: own.green, blue: own.blue)
        return ColorTransformKey(.measured(gamma: gamma, primaries), .rgb)
    }
}

extension ColorTransformCache.Conversion {
    fileprivate var transform: ColorTransform? {
        if case .transform(let transform) = self { transform } else { nil }
    }

    fileprivate var isIdentity: Bool { transform == nil }
}
