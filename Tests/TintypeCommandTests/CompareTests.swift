import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

@Suite(.timeLimited) struct CompareTests {
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

    /// A black logo on a transparent ground, and a black rectangle: with premultiplied colours, both are 0 everywhere.
    @Test func imagesThatDifferOnlyInAlphaAreDifferent() throws {
        let size = PixelSize(width: 64, height: 64)
        func black(_ alpha: @escaping (Int, Int) -> UInt8) throws -> PixelBuffer {
            try .drawn(size) { x, y in Pixel(red: 0, green: 0, blue: 0, alpha: alpha(x, y)) }
        }
        let (logo, opaque) = (try black { x, y in (x / 8 + y / 8) % 2 == 0 ? 255 : 0 }, try black { _, _ in 255 })
        for (left, right) in [(logo, opaque), (opaque, logo)] {
            let comparison = try ImageComparison(left, right)
            #expect(comparison.structuralSimilarity < 0.9 && comparison.maximumDifference == 255)
            #expect(comparison.differingPixels == 64 * 32)
            let difference = try ImageComparison.differenceImage(left, right)
            #expect(difference[0, 0] == Pixel(red: 0, green: 0, blue: 0))
            #expect(difference[8, 0] == Pixel(red: 255, green: 255, blue: 255))
        }
        #expect(try ImageComparison(logo, logo).structuralSimilarity == 1)
    }

    @Test func anInterruptionEndsTheComparison() throws {
        let pixels = try image(20, 20, pattern)
        let other = try image(20, 20) { pattern($0, $1) + 9 }
        var rows = 0
        expectError(.cancelled) {
            try ImageComparison(pixels, other) { () throws(TintypeError) in
                rows += 1
                if rows == 5 { throw .cancelled }
            }
        }
        #expect(rows == 5)
    }

    @Test func messagesNameTheFileAndTheRemedy() async throws {
        let wrong = try await CommandRun.tintype("compare", "a.png", "b.png", "--difference", "out.xyz")
        #expect(
            wrong.status == 64 && wrong.error.contains("--difference: the extension of 'out.xyz'"), "\(wrong.error)")
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype("compare", fixture.url("/b.png"), fixture.url("/a.jpg"))
            let sizes = "\(fixture.url("/b.png")) is 60x90, \(fixture.url("/a.jpg")) is 120x80; resize one of them"
            #expect(run.status == 1 && run.error.contains(sizes), "\(run.error)")
            let missing = try await CommandRun.tintype("compare", fixture.url("/b.png"), fixture.path("none.png"))
            #expect(missing.status == 1 && missing.error.contains("none.png: no such file"), "\(missing.error)")
        }
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
