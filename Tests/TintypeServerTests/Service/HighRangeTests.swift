import Foundation
import TestSupport
import Testing
import Tintype
import TintypeHTTP
import TintypeTesting

@testable import TintypeServer

/// Images that are brighter than white.
@Suite(.timeLimited) struct HighRangeTests {
    /// Serves an image of three times the brightness of white.
    private func serveBright(_ fixture: ServiceFixture) throws {
        let size = PixelSize(width: 32, height: 32)
        var writer = try HighRangePixels.writer(size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    row.storeBytes(of: SIMD4<Float16>(3, 3, 3, 1), toByteOffset: 8 * x, as: SIMD4<Float16>.self)
                }
            }
        }
        let data = try JXLEncoder().encode(
            HighRangePixels(rows: writer.finish()), as: .jxl, options: EncodeOptions())
        fixture.origin.serve("/a.jxl", response: .image(data, type: "image/jxl"))
    }

    private static func brightness(_ response: ServiceResponse) throws -> Float? {
        let data = try #require(response.body)
        let context = DecodeContext(options: DecodeOptions(range: .high))
        let image = try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: context)
        return image.highRange.map { $0[4, 4].x }
    }

    @Test(arguments: ["avif", "jxl"]) func theRangeSurvivesAResizeWhereTheFormatCan(_ format: String) async throws {
        try await ServiceFixture.run { fixture in
            try serveBright(fixture)
            let response = await fixture.get("ph:1/w:16/f:\(format)", "/a.jxl")
            #expect(response.status == 200 && response.fields["tintype-lost"] == nil && response.report.loss == nil)
            #expect(try Self.brightness(response) ?? 0 > 2.5)
        }
    }

    /// A JPEG has its range in a second image, the gain map, which its header leads to.
    @Test func theRangeOfAGainMapSurvivesAndItsLossIsTold() async throws {
        try await ServiceFixture.run { fixture in
            try serveBright(fixture)
            let jpeg = await fixture.get("ph:1/w:32/f:jpg", "/a.jxl")
            #expect(jpeg.fields["tintype-lost"] == nil)
            #expect(try Self.brightness(jpeg) ?? 0 > 2.5)
            fixture.origin.serve("/b.jpg", response: .image(try #require(jpeg.body), type: "image/jpeg"))
            for format in ["avif", "jpg"] {
                let response = await fixture.get("ph:1/w:16/f:\(format)", "/b.jpg")
                #expect(response.status == 200 && response.fields["tintype-lost"] == nil)
                #expect(try Self.brightness(response) ?? 0 > 2.5)
            }
            #expect(await fixture.get("ph:1/w:16/f:png", "/b.jpg").fields["tintype-lost"] == "dynamic-range")
        }
    }

    /// A format with 8 bits, an option that forbids it, and a transform of 8-bit pixels lose it.
    @Test(arguments: ["ph:1/w:16/f:png", "ph:0/w:16/f:avif", "ph:1/w:16/bl:2/f:avif"])
    func aLossIsTold(_ options: String) async throws {
        try await ServiceFixture.run { fixture in
            try serveBright(fixture)
            for _ in 0..<2 {
                let response = await fixture.get(options, "/a.jxl")
                #expect(response.status == 200 && response.fields["tintype-lost"] == "dynamic-range")
                #expect(response.report.loss == "dynamic-range")
                #expect(try Self.brightness(response) ?? 0 < 1.1)
            }
        }
    }

    @Test func aSourceWithoutTheRangeLosesNothing() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let response = await fixture.get("ph:1/w:16/f:avif", "/a.png")
            #expect(response.status == 200 && response.fields["tintype-lost"] == nil)
        }
    }

    @Test func theOperatorDecidesWhetherTheRangeIsKept() throws {
        for (text, isKept) in [("true", true), ("false", false)] {
            let parser = SettingsParser(environment: ["IMGPROXY_PRESERVE_HDR": text, "TINTYPE_UNSIGNED": "true"]) { _ in
                nil
            }
            #expect(ProcessingOptions(try parser.parse().settings.output).output.preservesHDR == isKept)
        }
    }
}
