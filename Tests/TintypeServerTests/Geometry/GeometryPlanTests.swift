import Testing
import TintypeCore

@testable import TintypeServer

@Suite struct GeometryPlanTests {
    /// The size of a source, options, and the size of the result.
    static let rows: [(Int, Int, String, Int, Int)] = [
        // auto: fill for equal orientations, where a square is landscape; else fit.
        (400, 200, "rs:auto:100:80", 100, 80), (400, 200, "rs:auto:80:100", 80, 40),
        (200, 400, "rs:auto:80:100", 80, 100), (200, 400, "rs:auto:100:80", 40, 80),
        (300, 300, "rs:auto:100:50", 100, 50), (300, 300, "rs:auto:50:100", 50, 50),
        // force: a missing side is that of the source.
        (400, 200, "rs:force:100:0", 100, 200), (400, 200, "rs:force:0:50", 400, 50),
        (400, 200, "rs:force:800:100", 400, 50), (400, 200, "rs:force:800:100:1", 800, 100),
        // Minimum sides enlarge the scale before the crop to the size.
        (400, 200, "w:100/mh:100", 100, 100), (400, 200, "rs:fit:100:50/mw:200", 100, 50),
        (400, 200, "mw:800", 800, 400), (400, 200, "mh:50", 400, 200),
        // zoom multiplies the size, dpr as well.
        (400, 200, "w:100/z:2", 200, 100), (400, 200, "w:100/z:2:1", 200, 50), (400, 200, "z:0.5", 200, 100),
        (400, 200, "w:100/dpr:2", 200, 100), (400, 200, "w:100/dpr:8", 400, 200),
        (400, 200, "w:100/dpr:8/el:1", 800, 400),
        (400, 200, "w:800/dpr:0.5", 400, 200), (400, 200, "w:800/dpr:0.5/el:1", 400, 200),
        // Padding follows the ratio that was reached.
        (400, 200, "w:400/dpr:2/pd:10", 420, 220), (400, 200, "w:200/dpr:2/pd:10", 440, 240),
        // A crop in shares, of a side, and of less than a pixel.
        (400, 200, "c:0.5:0.5", 200, 100), (400, 200, "c:0.5:0", 200, 200), (400, 200, "c:0.0001:1", 1, 1),
        (400, 200, "c:1000:100", 400, 100), (400, 200, "c:100:100/w:50", 50, 50),
        (400, 200, "c:100:100/rs:fill:50:20", 50, 20),
        // A side has at least one pixel.
        (4000, 2, "w:10", 10, 1), (1, 1, "rs:fill:100:50", 1, 1), (1, 1, "rs:fill:100:50:1", 100, 50),
        (10_000, 3, "rs:fit:1:1", 1, 1),
    ]

    @Test func aResultHasItsSize() throws {
        for (width, height, options, resultWidth, resultHeight) in Self.rows {
            let source = GeometryPlan.Source(size: PixelSize(width: width, height: height))
            let plan = GeometryPlan(for: source, try parsedOptions(options))
            #expect(plan.size == PixelSize(width: resultWidth, height: resultHeight), "\(width)x\(height) \(options)")
        }
    }

    @Test func aVectorImageIsEnlargedWithoutTheOption() throws {
        let source = GeometryPlan.Source(size: PixelSize(width: 20, height: 10), isVector: true)
        #expect(GeometryPlan(for: source, try parsedOptions("w:200")).size == PixelSize(width: 200, height: 100))
    }

    @Test func aSmartCropIsLeftToWhoeverHasThePixels() throws {
        let source = GeometryPlan.Source(size: PixelSize(width: 400, height: 200), orientation: .right)
        let filled = GeometryPlan(for: source, try parsedOptions("rs:fill:50:50/g:sm"))
        #expect(filled.resultCrop == .smart(PixelSize(width: 50, height: 50)))
        #expect(filled.scaledSize == PixelSize(width: 50, height: 100))
        #expect(filled.storedScaledSize == PixelSize(width: 100, height: 50))
        let cropped = GeometryPlan(for: source, try parsedOptions("c:100:50:sm"))
        #expect(cropped.sourceCrop == .smart(PixelSize(width: 50, height: 100)))
    }

    @Test func stepsThatDoNothingAreMissing() {
        let plan = GeometryPlan(for: .init(size: PixelSize(width: 400, height: 200)), ProcessingOptions())
        #expect(plan.sourceCrop == nil && plan.resultCrop == nil && plan.extend == nil)
        #expect(plan.extendAspectRatio == nil && plan.reducedSize == nil && plan.padding == Padding())
        #expect(plan.scaledSize == plan.size && plan.orientation == .up && plan.pixelRatio == 1)
    }

    @Test func theLimitOfTheConfigurationYieldsToThatOfTheURL() throws {
        let source = GeometryPlan.Source(size: PixelSize(width: 400, height: 200))
        let limited = GeometryPlan(for: source, ProcessingOptions(), maximumSide: 100)
        #expect(limited.size == PixelSize(width: 100, height: 50))
        let own = GeometryPlan(for: source, try parsedOptions("mrd:200"), maximumSide: 100)
        #expect(own.size == PixelSize(width: 200, height: 100))
        let none = GeometryPlan(for: source, try parsedOptions("mrd:0"), maximumSide: 100)
        #expect(none.size == source.size)
    }

    /// A format, the size of a source, and the size of the result.
    static let formatRows: [(ImageFormat, Int, Int, Int, Int)] = [
        (.webp, 16_383, 16_383, 16_383, 16_383), (.webp, 32_766, 100, 16_383, 50), (.webp, 100, 32_766, 50, 16_383),
        (.avif, 16_384, 10, 16_384, 10), (.avif, 32_768, 10, 16_384, 5), (.heic, 10, 20_480, 8, 16_384),
        (.gif, 65_535, 2, 65_535, 2), (.gif, 131_070, 2, 65_535, 1), (.ico, 256, 256, 256, 256),
        (.ico, 512, 128, 256, 64), (.ico, 1024, 1, 256, 1), (.png, 100_000, 10, 100_000, 10),
        (.jpeg, 131_000, 10, 65_500, 5),
    ]

    @Test func aResultIsReducedToWhatItsFormatHolds() {
        for (format, width, height, resultWidth, resultHeight) in Self.formatRows {
            let source = GeometryPlan.Source(size: PixelSize(width: width, height: height))
            let plan = GeometryPlan(for: source, ProcessingOptions(), format: FormatLimits(of: format))
            #expect(plan.size == PixelSize(width: resultWidth, height: resultHeight), "\(format) \(width)x\(height)")
            #expect((plan.reducedSize == nil) == (plan.size == source.size))
        }
    }

    @Test func aLimitOfPixelsKeepsTheAspectRatio() {
        let source = GeometryPlan.Source(size: PixelSize(width: 400, height: 100))
        let plan = GeometryPlan(for: source, ProcessingOptions(), format: FormatLimits(pixels: 10_000))
        #expect(plan.size == PixelSize(width: 200, height: 50))
    }

    @Test func everyOptionAtItsBoundsHasAPlan() throws {
        let numbers = ["0.000001", "1000000"]
        let sizes = [(1, 1), (1, 1_000_000_000), (1_000_000_000, 1)]
        for (width, height) in sizes {
            for number in numbers {
                for side in ["0", "1", "1000000"] {
                    for others in [
                        "", "/ex:1/el:1", "/exar:1:fp:1:1", "/el:1/mw:1000000/pd:1000000", "/c:1:0.000001/mrd:1",
                    ] {
                        for type in ResizingType.allCases {
                            let options = try parsedOptions(
                                "rs:\(type.rawValue):\(side):\(side)/z:\(number)/dpr:\(number)/g:ea:-1000000:1000000"
                                    + others)
                            let source = GeometryPlan.Source(size: PixelSize(width: width, height: height))
                            let plan = GeometryPlan(for: source, options, format: FormatLimits(of: .webp))
                            #expect(plan.size.isPositive && plan.scaledSize.isPositive)
                        }
                    }
                }
            }
        }
    }
}
