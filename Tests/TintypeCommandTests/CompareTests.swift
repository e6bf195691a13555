import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

@Suite(.timeLimit(.minutes(15))) struct CompareTests {
    private func image(_ width: Int, _ height: Int, _ value: (Int, Int) -> Int) throws -> PixelBuffer {
        try .drawn(PixelSize(width: width, height: height)) { x, y in
            let value = UInt8(clamping: value(x, y))
            return Pixel(red: value, green: value, blue: value)
        }
    }

    private func pattern(_ x: Int, _ y: Int) -> Int { (x * 7 + y * 13) % 200 + 20 }

    @Test(arguments: [(1, 1), (1, 40), (3, 2), (40, 30)]) func equalImagesDoNotDiffer(_ width: Int, _ height: Int)
        throws
    {
        let pixels = try image(width, height, pattern)
        let comparison = try ImageComparison(pixels, pixels)
        #expect(comparison.peakSignalToNoiseRatio == nil && comparison.structuralSimilarity == 1)
        #expect(comparison.maximumDifference == 0 && comparison.differingPixels == 0)
    }

    /// Every channel differs by 10: the mean squared error is 100, the ratio 10 · log10(65025 / 100).
    @Test func aConstantDifferenceHasTheRatioOfItsDefinition() throws {
        let comparison = try ImageComparison(image(32, 32, pattern), image(32, 32) { pattern($0, $1) + 10 })
        #expect(comparison.meanSquaredError == 100 && comparison.maximumDifference == 10)
        #expect(abs(try #require(comparison.peakSignalToNoiseRatio) - 28.1308) < 0.001)
        #expect(comparison.differingPixels == 1024)
        #expect(comparison.structuralSimilarity > 0.97 && comparison.structuralSimilarity < 1)
    }

    /// Flat images have no variance, so the similarity is that of their means: (2xy + c) / (x² + y² + c).
    @Test func flatImagesAreComparedByTheirMeans() throws {
        let comparison = try ImageComparison(image(20, 20) { _, _ in 100 }, image(20, 20) { _, _ in 150 })
        let (product, squares, constant) = (15_000.0, 32_500.0, 6.5025)
        let expected = (2 * product + constant) / (squares + constant)
        #expect(abs(comparison.structuralSimilarity - expected) < 0.001)
        #expect(abs(comparison.structuralDissimilarity - (1 - expected) / 2) < 0.001)
    }

    /// An inverted pattern has the same energy and the opposite structure.
    @Test func aChangeOfStructureCostsSimilarity() throws {
        let stripes = try image(64, 64) { x, _ in x % 4 < 2 ? 40 : 210 }
        let inverted = try image(64, 64) { x, _ in x % 4 < 2 ? 210 : 40 }
        let blurred = try image(64, 64) { x, _ in x % 4 < 2 ? 60 : 190 }
        #expect(try ImageComparison(stripes, inverted).structuralSimilarity < -0.5)
        #expect(try ImageComparison(stripes, blurred).structuralSimilarity > 0.9)
    }

    @Test func oneDifferentPixelIsCounted() throws {
        let comparison = try ImageComparison(
            image(100, 100, pattern), image(100, 100) { $0 == 7 && $1 == 9 ? 255 : pattern($0, $1) })
        #expect(comparison.differingPixels == 1 && comparison.structuralSimilarity < 1)
    }

    @Test func theCommandReportsAndWritesTheDifference() async throws {
        try await withCommandFixture { fixture in
            let (png, jpeg) = (fixture.url("/b.png"), fixture.path("b.jpg"))
            #expect(try await CommandRun.tintype("convert", png, jpeg, "--quality", "60").status == 0)
            let output = fixture.path("difference.png")
            let run = try await CommandRun.tintype("compare", "--json", "--difference", output, png, jpeg)
            #expect(run.status == 0, "\(run.error)")
            let record = try #require(try run.records.first)
            let similarity = try #require(record["ssim"] as? Double)
            #expect(similarity > 0.5 && similarity < 1 && (record["psnr"] as? Double ?? 0) > 15)
            #expect(record["width"] as? Int == 60 && record["height"] as? Int == 90)
            let difference = try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), context: DecodeContext())
            #expect(difference.size == PixelSize(width: 60, height: 90) && difference.pixels.isOpaque)
            #expect(try await CommandRun.tintype("compare", png, jpeg, "--min-ssim", "1").status == 1)
            let equal = try await CommandRun.tintype("compare", png, png, "--min-ssim", "1")
            #expect(equal.status == 0 && equal.output.contains("equal pixels"))
            let other = try await CommandRun.tintype("compare", png, fixture.url("/a.jpg"))
            #expect(
                other.status == 1 && other.error.contains("60x90") && other.error.contains("120x80"), "\(other.error)")
        }
    }
}
