import Testing

@testable import TintypeCore

@Suite struct PixelSizeTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test func fittingKeepsTheAspectAndNeverEnlarges() {
        #expect(size(400, 300).fitted(into: size(200, 200)) == size(200, 150))
        #expect(size(300, 400).fitted(into: size(200, 200)) == size(150, 200))
        #expect(size(100, 50).fitted(into: size(200, 200)) == size(100, 50))
        #expect(size(1000, 1).fitted(into: size(10, 10)) == size(10, 1))
    }

    @Test func aSideOfZeroSetsNoLimit() {
        #expect(size(400, 300).fitted(into: size(0, 150)) == size(200, 150))
        #expect(size(400, 300).fitted(into: size(0, 0)) == size(400, 300))
    }

    @Test func coveringNeverEnlarges() {
        #expect(size(400, 300).covering(size(100, 100)) == size(133, 100))
        #expect(size(50, 30).covering(size(100, 100)) == size(50, 30))
    }

    @Test func areaSaturates() {
        #expect(size(.max, 2).area == .max)
    }

    /// The sides of SDWebImage's thumbnails.
    @Test func sidesAreRoundedToTheNearestPixel() {
        #expect(size(5250, 3450).fitted(into: size(400, 300)) == size(400, 263))
        #expect(size(5250, 3450).fitted(into: size(4000, 4000)) == size(4000, 2629))
    }

    @Test(arguments: [150, 300]) func onlyEnlargingMakesAnImageLarger(_ side: Int) {
        let (source, box) = (size(100, 200), size(side, side))
        #expect(source.fitted(into: box) == (side == 150 ? size(75, 150) : source))
        #expect(source.fitted(into: box, enlarging: true) == size(side / 2, side))
        #expect(DecodeOptions.Size.shrink(box).target(for: source) == size(100, min(side, 200)))
        let stretched = ResizeTransformer(to: box, mode: .stretch, isEnlarging: true).plan(for: source)
        #expect(stretched.scaledSize == box)
    }

    @Test func theByteLimitIsRespected() {
        for source in [size(1000, 700), size(4000, 1), size(3, 4000), size(.max / 4, 2)] {
            for limit in [1, 4, 100, 5000, 100_000] {
                let target = DecodeOptions.Size.atMost(bytes: limit).target(for: source)
                #expect(target.isPositive && target.area * 4 <= max(limit, 4))
                #expect(target.width <= source.width && target.height <= source.height)
            }
            #expect(DecodeOptions.Size.atMost(bytes: 1).target(for: source) == size(1, 1))
        }
        #expect(DecodeOptions.Size.atMost(bytes: 4 << 20).target(for: size(1000, 700)) == size(1000, 700))
    }

    @Test func orientationsFromFiveOnSwapTheAxes() {
        #expect(Orientation.allCases.filter(\.swapsAxes).map(\.rawValue) == [5, 6, 7, 8])
    }
}
