import TestSupport
import Testing

@testable import TintypeCore

/// Limits that a program has raised to any number: no arithmetic traps.
@Suite struct DecodeLimitsTests {
    private static let huge = [Int.max, .max / 2, .max / 4, 1 << 32, 1 << 31, 65_535]

    private static var raised: DecodeLimits {
        DecodeLimits(pixels: .max, side: .max, frames: .max, scans: .max, animatedPixels: .max, profileBytes: .max)
    }

    @Test(arguments: huge, huge) func hugeImagesAreRefusedByTheirRatio(_ width: Int, _ height: Int) {
        let info = ImageInfo(format: .png, size: PixelSize(width: width, height: height))
        let error = expectError(.limitExceeded) { try Self.raised.check(info, byteCount: 100) }
        #expect(error?.limit == .ratio)
    }

    @Test func hugeImagesPassIfAllLimitsAreRaised() throws {
        var limits = Self.raised
        limits.ratio = .max
        try limits.check(
            ImageInfo(format: .png, size: PixelSize(width: Int.max, height: Int.max)), byteCount: 0)
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max]) func framesOfAnySizeAreCounted(_ allowed: Int) {
        var limits = Self.raised
        limits.animatedPixels = allowed
        let frame = AnimationFrame(
            rect: PixelRect(x: 0, y: 0, size: PixelSize(width: .max, height: .max)), duration: 0)
        let error = expectError(.limitExceeded) {
            try limits.check([frame, frame], canvas: PixelSize(width: 1, height: 1))
        }
        #expect(error?.limit == .animatedPixels)
    }

    @Test func theLargestTimeLimitIsNeverReached() throws {
        let longest = Duration(attoseconds: .max)
        let time = DecodeTime(limit: longest, source: .system)
        #expect(try !time.run(isCancelled: { false }) { $0() })
    }
}
