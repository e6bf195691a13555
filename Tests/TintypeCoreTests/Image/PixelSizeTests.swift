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

    @Test func theByteLimitIsRespected() {
        for limit in [1, 4, 100, 5000, 100_000] {
            let target = DecodeOptions.Size.atMost(bytes: limit).target(for: size(1000, 700))
            #expect(target.area * 4 <= max(limit, 4))
        }
    }

    @Test func orientationsFromFiveOnSwapTheAxes() {
        #expect(Orientation.allCases.filter(\.swapsAxes).map(\.rawValue) == [5, 6, 7, 8])
    }
}
