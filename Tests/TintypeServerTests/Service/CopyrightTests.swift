import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// Metadata of results: by default, the authors and the copyright of the source alone.
@Suite(.timeLimited) struct CopyrightTests {
    private static let notice = "Copyright 1867 Cameron"
    private static let maker = "Maker of the camera"

    /// Serves a JPEG with Exif data: the maker and the copyright.
    private func serve(_ fixture: ServiceFixture, notice: String = notice) throws {
        var exif = Data("MM\0*\0\0\0\u{8}".utf8) + Data([0, 2])
        for (tag, text, offset) in [(0x010F, Self.maker, 38), (0x8298, notice, 38 + Self.maker.utf8.count)] {
            for (number, size) in [(tag, 2), (2, 2), (text.utf8.count, 4), (offset, 4)] {
                for shift in (0..<size).reversed() { exif.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
            }
        }
        exif += Data(count: 4) + Data((Self.maker + notice).utf8)
        let pixels = try PixelBuffer.drawn(PixelSize(width: 64, height: 32)) { x, y in
            Pixel(red: UInt8(4 * x), green: UInt8(8 * y), blue: 90)
        }
        let image = Image(
            pixels: pixels, info: ImageInfo(format: .jpeg, size: pixels.size),
            metadata: ImageMetadata(exif: try #require(ExifData(exif))))
        var options = EncodeOptions(quality: 0.9)
        options.metadata = [.exif]
        let data = try ImageCoderRegistry.standard.encode(image, as: .jpeg, options: options)
        fixture.origin.serve("/a.jpg", response: .image(data, type: "image/jpeg"))
    }

    private func exif(_ response: ServiceResponse) throws -> ExifData? {
        let data = try #require(response.body)
        var options = DecodeOptions()
        options.keepsExif = true
        return try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: DecodeContext(options: options))
            .exif
    }

    @Test(arguments: ["jpg", "png", "webp", "avif", "jxl"])
    func theCopyrightOfTheSourceIsInTheResult(_ format: String) async throws {
        try await ServiceFixture.run { fixture in
            try serve(fixture)
            let kept = try exif(await fixture.get("w:16/f:\(format)", "/a.jpg"))
            #expect(kept?.text(0x8298) == Self.notice && kept?.text(0x010F) == nil)
            let none = await fixture.get("kcr:0/w:16/f:\(format)", "/a.jpg")
            #expect(try none.status == 200 && exif(none) == nil)
            let all = try exif(await fixture.get("sm:0/kcr:0/w:16/f:\(format)", "/a.jpg"))
            #expect(all?.text(0x8298) == Self.notice && all?.text(0x010F) == Self.maker)
        }
    }

    @Test func aSourceWithoutCopyrightHasTheSameResultWithTheOption() async throws {
        try await ServiceFixture.run { fixture in
            try serve(fixture, notice: "   ")
            for format in ["jpg", "webp"] {
                let kept = await fixture.get("kcr:1/w:16/f:\(format)", "/a.jpg").body
                #expect(await fixture.get("kcr:0/w:16/f:\(format)", "/a.jpg").body == kept && kept != nil)
            }
        }
    }

    @Test func aFormatWithoutMetadataHasOneResult() async throws {
        try await ServiceFixture.run { fixture in
            try serve(fixture)
            let first = await fixture.get("w:16/f:bmp", "/a.jpg")
            for options in ["kcr:0", "sm:0"] {
                let other = await fixture.get("\(options)/w:16/f:bmp", "/a.jpg")
                #expect(other.status == 200 && other.body == first.body)
            }
        }
    }

    @Test func theOperatorDecidesAboutURLsWithoutTheOption() async throws {
        var settings = ServerSettings()
        settings.output.keepsCopyright = false
        settings.signing.isUnsigned = true
        settings.sources.allowed = ["http://"]
        let parser = try ImageURLParser(settings)
        try await ServiceFixture.run {
            $0.urls = parser
        } _: { fixture in
            try serve(fixture)
            #expect(try exif(await fixture.get("w:16", "/a.jpg")) == nil)
            #expect(try exif(await fixture.get("kcr:1/w:16", "/a.jpg"))?.text(0x8298) == Self.notice)
        }
    }
}
