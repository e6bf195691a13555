import Foundation
import Testing
import TintypeCore
import TintypeGIF

/// Images of a GIF that are larger than its canvas.
@Suite struct GIFFrameLimitTests {
    /// A GIF whose canvas and first image have one pixel, and whose second image has 90 megapixels in a hundred bytes.
    private static let large: Data = {
        var data = Data("GIF89a".utf8) + Data([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 10_000, height: 9000)] {
            let sides = [size.width & 255, size.width >> 8, size.height & 255, size.height >> 8].map(UInt8.init)
            // A clear code, one pixel and the end.
            data += Data([0x2C, 0, 0, 0, 0]) + Data(sides) + Data([0, 2, 2, 0x44, 0x01, 0])
        }
        return data + Data([0x3B])
    }()

    private static func limit(_ change: (inout DecodeLimits) -> Void = { _ in }) -> DecodeLimit? {
        var limits = DecodeLimits()
        change(&limits)
        let context = DecodeContext(limits: limits)
        let error = #expect(throws: TintypeError.self) { try GIFDecoder().makeFrameDecoder(large, context: context) }
        return error?.limit
    }

    /// It took 397 MB.
    @Test func anImageLargerThanTheCanvasIsCharged() {
        #expect(Self.limit { $0.memoryBytes = 400 << 20 } == .memoryBytes)
    }

    @Test func theRatioCountsAnImageLargerThanTheCanvas() {
        #expect(Self.limit() == .ratio)
    }

    @Test func anImageLargerThanTheCanvasIsAcceptedWithinTheLimits() throws {
        var limits = DecodeLimits()
        limits.ratio = .max
        let decoder = try GIFDecoder().makeFrameDecoder(Self.large, context: DecodeContext(limits: limits))
        #expect(decoder.frames.count == 2)
    }
}
