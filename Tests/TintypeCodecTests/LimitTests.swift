import Foundation
import TestSupport
import Testing
import Tintype
import TintypeCore
import TintypeTesting

/// The limits of decoding, one by one: exceeding each is refused with a distinct error.
@Suite struct LimitTests {
    private func decode(_ data: Data, _ change: (inout DecodeLimits) -> Void) throws(TintypeError) -> Image {
        var limits = DecodeLimits()
        change(&limits)
        return try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext(limits: limits))
    }

    private func expect(
        _ limit: DecodeLimit, _ data: Data, _ change: (inout DecodeLimits) -> Void
    ) {
        let error = expectError(.limitExceeded) { try decode(data, change) }
        #expect(error?.limit == limit, "\(String(describing: error))")
    }

    private func fixture(_ name: String) throws -> Data { try FixtureManifest.named(name).data }

    @Test(arguments: [
        "baseline-420.jpg", "rgba-8.png", "rects.png", "rects.gif", "lossy.webp", "rects.webp", "rgb-24.bmp",
        "alpha-32.ico", "rgb.tiff", "lossless.jxl", "lossy.heic",
    ])
    func pixelsAndSidesAreLimited(_ name: String) throws {
        let data = try fixture(name)
        expect(.pixels, data) { $0.pixels = 100 }
        expect(.side, data) { $0.side = 10 }
    }

    @Test(arguments: ["rects.png", "rects.gif", "rects.webp", "rects.jxl"])
    func framesAndTheirPixelsAreLimited(_ name: String) throws {
        let data = try fixture(name)
        expect(.frames, data) { $0.frames = 5 }
        expect(.animatedPixels, data) { $0.animatedPixels = 1000 }
    }

    @Test func scansOfAJPEGAreLimited() throws {
        expect(.scans, try fixture("progressive.jpg")) { $0.scans = 2 }
        // A limit of as many scans as the file has is not exceeded.
        _ = try decode(try fixture("baseline-420.jpg")) { $0.scans = 1 }
    }

    /// 20 MB that nothing needs: what is skipped takes no memory.
    @Test(arguments: ["teST", "tEXt", "zTXt", "iTXt"]) func chunksThatAreSkippedAreNotLimited(_ kind: String) throws {
        let chunk = (kind, Data(count: 10 << 20))
        #expect(try decode(try PNGBuilder.image(with: chunk, chunk)) { _ in }.size == PixelSize(width: 1, height: 1))
    }

    @Test func colourProfilesAreLimited() throws {
        expect(.profileBytes, Bomb.png(PixelSize(width: 2, height: 2), chunks: [("iCCP", Data(count: 2000))])) {
            $0.profileBytes = 1000
        }
        let segments = (0..<3).map { _ in Bomb.segment(0xE2, body: Data("ICC_PROFILE\0".utf8) + Data(count: 400)) }
        expect(.profileBytes, Bomb.jpeg(segments: segments)) { $0.profileBytes = 1000 }
        expect(.profileBytes, Bomb.webP([("ICCP", Data(count: 2000))])) { $0.profileBytes = 1000 }
    }

    @Test func exifIsLimited() throws {
        expect(.exifBytes, Bomb.png(PixelSize(width: 2, height: 2), chunks: [("eXIf", Data(count: 2000))])) {
            $0.exifBytes = 1000
        }
        let segments = (0..<3).map { _ in Bomb.segment(0xE1, body: Data("Exif\0\0".utf8) + Data(count: 400)) }
        expect(.exifBytes, Bomb.jpeg(segments: segments)) { $0.exifBytes = 1000 }
        expect(.exifBytes, Bomb.webP([("EXIF", Data(count: 2000))])) { $0.exifBytes = 1000 }
    }

    /// 49 megapixels in a hundred bytes.
    @Test func aFewBytesDoNotBecomeAHugeImage() {
        let size = PixelSize(width: 7000, height: 7000)
        expect(.ratio, Bomb.png(size, chunks: [])) { _ in }
        expect(.ratio, Bomb.gif(size, frames: 1)) { _ in }
        expect(.ratio, Bomb.bmp(size)) { _ in }
        // Small images may be blank.
        let small = Bomb.png(PixelSize(width: 500, height: 500))
        expectError(.undecodable) { try decode(small) { _ in } }
    }

    @Test func timeIsLimited() throws {
        let clock = ManualClock()
        let data = try fixture("large-baseline.jpg")
        var context = DecodeContext(isCancelled: {
            clock.advance(by: .seconds(1))
            return false
        })
        context.limits.time = .seconds(5)
        let error = expectError(.limitExceeded) {
            try JPEGDecoder().decodeChecked(data, context: context, time: clock.timeSource)
        }
        #expect(error?.limit == .time)
        context.limits.time = .seconds(1000)
        _ = try JPEGDecoder().decodeChecked(data, context: context, time: clock.timeSource)
    }

    @Test func filtersOfSmallImagesAreDrawn() throws {
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><filter id="f"><feMorphology radius="1"/>\
            <feTurbulence numOctaves="3"/><feGaussianBlur stdDeviation="2"/></filter>\
            <rect width="40" height="40" filter="url(#f)"/></svg>
            """
        #expect(try decode(Data(text.utf8)) { _ in }.size.width == 40)
    }
}
