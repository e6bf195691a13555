import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// The operator's image for requests that fail.
@Suite(.timeLimited) struct FallbackTests {
    private static func fallback() throws -> FallbackImage {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 80, height: 40)) { _, _ in
            Pixel(red: 0, green: 255, blue: 0)
        }
        let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        let record = SourceRecord(
            digest: "fallback", info: ImageInfo(format: .png, size: pixels.size), byteCount: data.count,
            lastModified: nil, freshness: .unstated, confirmed: Date())
        return FallbackImage(
            ProblemResponse.Fallback(contentType: "image/png", bytes: data),
            source: SourceImage(data: data, record: record, origin: .file))
    }

    @Test func itIsMadeAsTheURLAsks() async throws {
        let fallback = try Self.fallback()
        try await ServiceFixture.run({ $0.fallback = fallback }) { fixture in
            let response = await fixture.get("rs:fill:20:20/f:webp", "/missing.png")
            #expect(response.status == 404 && response.fields["tintype-fallback"] != nil)
            #expect(response.fields["content-type"] == "image/webp" && response.format == .webp)
            let image = try response.image()
            #expect(image.size == PixelSize(width: 20, height: 20))
            // Another source with the same options has the same one.
            let again = await fixture.get("rs:fill:20:20/f:webp", "/other.png")
            #expect(again.body == response.body && again.status == 404)
        }
    }

    /// A full queue has no place for another image.
    @Test(arguments: [("w:20/nonsense:1", 400), ("w:20/exp:1", 410)])
    func otherFailuresHaveTheImageAsItIs(_ options: String, _ status: Int) async throws {
        let fallback = try Self.fallback()
        try await ServiceFixture.run({ $0.fallback = fallback }) { fixture in
            let response = await fixture.get(options, "/missing.png")
            #expect(response.status == status && response.body == fallback.whole.bytes)
        }
    }

    @Test func aServerThatShutsDownMakesNoFallback() async throws {
        let fallback = try Self.fallback()
        try await ServiceFixture.run({ $0.fallback = fallback }) { fixture in
            fixture.service.drain()
            let response = await fixture.get("w:20", "/missing.png")
            #expect(response.status == 404 && response.body == fallback.whole.bytes)
        }
    }

    // MARK: That of a URL

    private static let blue = Pixel(red: 0, green: 0, blue: 255)

    /// Serves an image for failures, and returns the option that names it.
    private func serveFallback(_ fixture: ServiceFixture) throws -> String {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 60, height: 60)) { _, _ in Self.blue }
        let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        fixture.origin.serve("/instead.png", response: .image(data, type: "image/png"))
        return option(fixture, "/instead.png")
    }

    private func option(_ fixture: ServiceFixture, _ path: String) -> String {
        "fiu:" + Base64URL.encode(Array(fixture.origin.url(path).absoluteString.utf8))
    }

    /// `fallback_image_url` of imgproxy, with our status: docs.imgproxy.net, "Fallback image URL".
    @Test func aURLNamesItsFallback() async throws {
        let fallback = try Self.fallback()
        try await ServiceFixture.run({
            $0.fallback = fallback
            $0.fallbackLifetime = 7
        }) { fixture in
            let option = try serveFallback(fixture)
            let response = await fixture.get("rs:fill:20:10/f:webp/\(option)", "/missing.png")
            #expect(response.status == 404 && response.fields["tintype-fallback"] != nil)
            #expect(response.fields["cache-control"]?.contains("max-age=7") == true)
            let image = try response.image()
            #expect(image.size == PixelSize(width: 20, height: 10) && image.pixels[5, 5].blue > 250)
            #expect(image.pixels[5, 5].green < 5)
        }
    }

    /// An image that exists is shown, and the other one is not loaded.
    @Test func aSourceThatExistsNeedsNone() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let option = try serveFallback(fixture)
            let (plain, named) = (await fixture.get("w:20", "/a.png"), await fixture.get("w:20/\(option)", "/a.png"))
            #expect(named.status == 200 && named.body == plain.body && named.fields["etag"] == plain.fields["etag"])
            #expect(fixture.origin.requestCount("/instead.png") == 0)
        }
    }

    @Test func afterAMissingOneComesThatOfTheOperator() async throws {
        let fallback = try Self.fallback()
        try await ServiceFixture.run({ $0.fallback = fallback }) { fixture in
            let response = await fixture.get("w:20/\(option(fixture, "/none.png"))", "/missing.png")
            let image = try response.image()
            #expect(response.status == 404 && image.pixels[5, 5].green == 255)
        }
    }

    /// The rules for sources hold for it, too.
    @Test func aForbiddenOneIsNotLoaded() async throws {
        let allowed = try SourceAllowList(["http://*:*/a/"])
        try await ServiceFixture.run({ $0.urls.allowedSources = allowed }) { fixture in
            let option = try serveFallback(fixture)
            let response = await fixture.get("w:20/\(option)", "/a/missing.png")
            #expect(response.status == 404 && response.fields["content-type"] == ProblemResponse.contentType)
            #expect(fixture.origin.requestCount("/instead.png") == 0)
        }
    }

    /// It changes no rendition, so it is in no key; the explanation of a URL names it.
    @Test func itIsNotPartOfTheKey() throws {
        let url = "https://a.example/b.png"
        let segment = "fallback_image_url:" + Base64URL.encode(Array(url.utf8))
        let (parsed, _) = try OptionsParser().parse([segment, "w:20", "plain", "local:///c"])
        #expect(parsed.options.fallbackURL == url && parsed.options.canonical == "w:20")
        let parser = ImageURLParser(options: try OptionsParser())
        let lines = parser.explanation(of: "/unsafe/\(segment)/plain/local:///c", now: Date())
        #expect(lines.contains("fallback image: \(url)"))
    }
}
