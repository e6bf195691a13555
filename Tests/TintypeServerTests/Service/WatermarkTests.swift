import Foundation
import TestSupport
import Testing
import Tintype
import TintypeHTTP
import TintypeTesting

@testable import TintypeServer

/// Watermarks of the operator and of URLs.
@Suite(.timeLimited) struct WatermarkTests {
    private static let green = Pixel(red: 0, green: 255, blue: 0)

    private static func mark(_ size: PixelSize = PixelSize(width: 10, height: 10)) throws -> PixelBuffer {
        try PixelBuffer.drawn(size) { _, _ in green }
    }

    /// Serves a green square as a watermark, and returns its URL as the option has it.
    private func serveMark(
        _ fixture: ServiceFixture, cache: String = "max-age=60", _ size: PixelSize = PixelSize(width: 10, height: 10)
    ) throws -> String {
        let data = try PNGEncoder().encode(Self.mark(size), as: .png, options: EncodeOptions())
        var response = OriginResponse.image(data, type: "image/png")
        response.headers.append((name: "Cache-Control", value: cache))
        fixture.origin.serve("/mark.png", response: response)
        return Base64URL.encode(Array(fixture.origin.url("/mark.png").absoluteString.utf8))
    }

    @Test func aURLNamesItsWatermark() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let url = try serveMark(fixture)
            let marked = try await fixture.get("wm:1:nowe/wmu:\(url)", "/a.png").image()
            #expect(marked.pixels[5, 5] == Self.green && marked.pixels[15, 15] != Self.green)
            // Without opacity nothing is loaded.
            let count = fixture.origin.requestCount("/mark.png")
            #expect(try await fixture.get("wm:0/wmu:\(url)", "/a.png").image().pixels[5, 5] != Self.green)
            // It is decoded once for all sizes.
            let small = try await fixture.get("w:60/wm:1:nowe/wmu:\(url)", "/a.png").image()
            #expect(small.pixels[5, 5] == Self.green && fixture.origin.requestCount("/mark.png") == count)
        }
    }

    @Test func itReplacesThatOfTheOperator() async throws {
        let own = Watermark(
            pixels: try PixelBuffer.drawn(PixelSize(width: 10, height: 10)) { _, _ in
                Pixel(red: 255, green: 255, blue: 255)
            }, digest: "own")
        try await ServiceFixture.run({ $0.watermark = own }) { fixture in
            try fixture.servePicture("/a.png")
            let url = try serveMark(fixture)
            #expect(try await fixture.get("wm:1:nowe", "/a.png").image().pixels[5, 5].green == 255)
            #expect(try await fixture.get("wm:1:nowe/wmu:\(url)", "/a.png").image().pixels[5, 5] == Self.green)
            #expect(try await fixture.get("wm:1:nowe", "/a.png").image().pixels[5, 5].red == 255)
        }
    }

    /// The bytes of the watermark are part of the key, so another watermark under the same URL has other renditions.
    @Test func aChangedWatermarkChangesTheResult() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let url = try serveMark(fixture, cache: "max-age=0")
            let first = await fixture.get("wm:1:nowe/wmu:\(url)", "/a.png")
            let other = try PixelBuffer.drawn(PixelSize(width: 10, height: 10)) { _, _ in
                Pixel(red: 1, green: 2, blue: 3)
            }
            let data = try PNGEncoder().encode(other, as: .png, options: EncodeOptions())
            fixture.origin.serve("/mark.png", response: .image(data, type: "image/png"))
            let second = await fixture.get("wm:1:nowe/wmu:\(url)", "/a.png")
            #expect(try second.image().pixels[5, 5] == Pixel(red: 1, green: 2, blue: 3))
            #expect(first.fields["etag"] != second.fields["etag"])
        }
    }

    /// The response is fresh as long as both sources are.
    @Test(arguments: [("max-age=10", "max-age=60"), ("max-age=60", "max-age=10")])
    func theShorterFreshnessCounts(_ ofMark: String, _ ofSource: String) async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png", cache: ofSource)
            let url = try serveMark(fixture, cache: ofMark)
            let control = await fixture.get("wm:1/wmu:\(url)", "/a.png").fields["cache-control"] ?? ""
            let fields: HTTPFields = ["Cache-Control": control]
            #expect(CacheControl(fields).seconds("max-age") ?? .infinity <= 10, "\(control)")
        }
    }

    @Test func aPrivateWatermarkIsKeptNowhere() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let url = try serveMark(fixture, cache: "private")
            let control = await fixture.get("wm:1/wmu:\(url)", "/a.png").fields["cache-control"]
            #expect(control?.contains("private") == true || control?.contains("no-store") == true)
        }
    }

    @Test func watermarksObeyTheRulesForSources() async throws {
        let configuration: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.urls.allowedSources = (try? SourceAllowList(["http://*:*/a.png"])) ?? .everything
        }
        try await ServiceFixture.run(configuration) { fixture in
            try fixture.servePicture("/a.png")
            let url = try serveMark(fixture)
            #expect(await fixture.get("wm:1", "/a.png").status == 200)
            #expect(await fixture.get("wm:1/wmu:\(url)", "/a.png").status == 403)
            #expect(fixture.origin.requestCount("/mark.png") == 0)
        }
    }

    @Test func aWatermarkThatIsTooLargeIsRefused() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let url = try serveMark(fixture, PixelSize(width: 4097, height: 1024))
            #expect(await fixture.get("wm:1/wmu:\(url)", "/a.png").status == 422)
        }
    }
}
