import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct ResizeTransformerTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test func fitKeepsEverything() {
        let plan = ResizeTransformer(to: size(100, 100), mode: .fit).plan(for: size(400, 200))
        #expect(plan.scaledSize == size(100, 50))
        #expect(plan.cropRect == nil)
    }

    @Test func fillCropsEvenly() {
        let plan = ResizeTransformer(to: size(100, 100), mode: .fill).plan(for: size(400, 200))
        #expect(plan.scaledSize == size(200, 100))
        #expect(plan.cropRect == PixelRect(x: 50, y: 0, size: size(100, 100)))
    }

    @Test func stretchResizesEachSideIndependently() {
        #expect(
            ResizeTransformer(to: size(100, 30), mode: .stretch).plan(for: size(400, 200)).scaledSize == size(100, 30))
    }

    @Test(arguments: ResizeTransformer.Mode.allCases) func neverEnlarges(_ mode: ResizeTransformer.Mode) throws {
        let image = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1), size: size(40, 20))
        let resized = try ResizeTransformer(to: size(400, 400), mode: mode).transform(image)
        #expect(resized.size == size(40, 20))
    }

    @Test(arguments: ResizeTransformer.Mode.allCases) func everyUnusualSizeStaysWithinTheRequestedSize(
        _ mode: ResizeTransformer.Mode
    )
        throws
    {
        for source in [size(1, 1), size(1, 50), size(50, 1), size(3, 7)] {
            let image = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1), size: source)
            for target in [size(1, 1), size(1, 3), size(20, 2)] {
                let resized = try ResizeTransformer(to: target, mode: mode).transform(image).size
                #expect(resized.isPositive && resized.width <= target.width && resized.height <= target.height)
            }
        }
    }

    @Test func anEmptySizeIsAnError() throws {
        let image = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1))
        expectError(.transformFailed) { try ResizeTransformer(to: size(0, 5)).transform(image) }
    }

    @Test func theIdentifierContainsEveryParameter() {
        let identifiers = [
            ResizeTransformer(to: size(1, 2)), ResizeTransformer(to: size(2, 1)),
            ResizeTransformer(to: size(1, 2), mode: .fill), ResizeTransformer(to: size(1, 2), filter: .box),
            ResizeTransformer(to: size(1, 2), mode: .fill, gravity: .top),
            ResizeTransformer(to: size(1, 2), isEnlarging: true),
        ].map(\.identifier)
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test(arguments: Gravity.allCases) func fillingAnAlreadyCoveringImageGivesTheSameResult(_ gravity: Gravity) throws {
        var random = SeededRandom.printed("fill")
        let image = try PixelBuffer.noise(301, 177, &random)
        for target in [size(40, 30), size(30, 60), size(60, 7)] {
            let fill = ResizeTransformer(to: target, mode: .fill, gravity: gravity)
            let decoded = try image.resampled(to: image.size.covering(target), filter: .lanczos3)
            let (all, rest) = try (fill.transform(image), fill.transform(decoded))
            #expect(all.size == target && PixelDifference(between: all, and: rest)?.maximum == 0)
        }
    }

    @Test func aHugeSizeLeavesTheImageUnchanged() throws {
        let image = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1), size: size(40, 20))
        for mode in ResizeTransformer.Mode.allCases {
            #expect(try ResizeTransformer(to: size(.max, .max), mode: mode).transform(image).size == size(40, 20))
        }
        #expect(try ResizeTransformer(to: size(20, .max)).transform(image).size == size(20, 10))
    }

    /// Each of these has an acceptable number of pixels, but needs far more bytes or larger tables.
    @Test(arguments: [(1 << 28, 1), (1, 1 << 28), (1 << 21, 1), (1, 1 << 25), (1 << 20, 1 << 9)])
    func anOutputBeyondTheByteLimitIsRefused(_ width: Int, _ height: Int) throws {
        let image = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1), size: size(8, 8))
        let resize = ResizeTransformer(to: size(width, height), mode: .stretch, isEnlarging: true)
        expectError(.limitExceeded) { try resize.transform(image) }
    }

    @Test func resamplingBeyondTheMemoryLimitIsRefused() throws {
        let image = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1), size: size(1, 600))
        let resize = ResizeTransformer(to: size(1 << 20, 1), mode: .stretch, filter: .box, isEnlarging: true)
        expectError(.limitExceeded) { try resize.transform(image) }
    }
}
