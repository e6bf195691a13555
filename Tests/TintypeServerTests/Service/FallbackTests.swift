import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// The operator's image for requests that fail.
@Suite(.timeLimit(.minutes(5))) struct FallbackTests {
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
}
