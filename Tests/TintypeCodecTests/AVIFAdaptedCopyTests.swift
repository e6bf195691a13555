import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeAVIF

/// AVIF files that libavif 0.11 alone shows wrongly or refuses.
@Suite struct AVIFAdaptedCopyTests {
    private static let alpha = Data("auxiliary:alpha".utf8)
    private static let depth = Data("auxiliary:depth".utf8)

    private static let size = PixelSize(width: 40, height: 24)

    /// A lossless sequence of three frames, with a track of alpha.
    private static func sequence() throws -> Data {
        let frames = try (1...3).map { number in
            TimedImage(
                try .drawn(size) { x, _ in Pixel(red: 90, green: UInt8(2 * x), blue: 9, alpha: UInt8(100 + 30 * number))
                },
                duration: 0.1 * Double(number))
        }
        return try AVIFEncoder().encode(AnimatedImage(frames), as: .avif, options: EncodeOptions())
    }

    /// Returns the bytes of a file's copy; `nil` if none is needed.
    private func adapted(_ data: Data) throws -> Data? {
        try data.withUnsafeBytes { raw in try AVIFAdaptedCopy.ifNeeded(raw).map { Data($0.bytes) } }
    }

    private func decode(_ data: Data) throws -> Image {
        try AVIFDecoder().decode(data, context: DecodeContext())
    }

    @Test(arguments: ["sequence.avif", "alpha.avif", "lossless.avif", "pq-10.avif"])
    func aFileThatServesIsNotCopied(_ name: String) throws {
        #expect(try adapted(FixtureManifest.named(name).data) == nil)
    }

    /// The kind of an auxiliary track is stated by its name (ISO/IEC 23008-12, 7.5.2). libavif 1.0 and FFmpeg take only
    /// alpha for alpha.
    @Test func aTrackOfDepthIsNotTransparency() throws {
        var file = try Self.sequence()
        let whole = try #require(try decode(file).animation)
        // The name of the still image's alpha comes first.
        let name = try #require(file.lastRange(of: Self.alpha))
        file.replaceSubrange(name, with: Self.depth)
        let copy = try #require(try adapted(file))
        let reference = try #require(file.lastRange(of: Data("auxl".utf8))).upperBound
        var expected = file
        expected.setNumber(0xFFFF_FFFF, at: reference)
        #expect(copy == expected)
        let animation = try #require(try decode(file).animation)
        #expect(animation.frameCount == 3 && animation.durations == whole.durations)
        for index in 0..<3 {
            let (shown, own) = (try animation.frame(at: index), try whole.frame(at: index).unpremultiplied())
            for x in 0..<Self.size.width {
                let (pixel, straight) = (shown[x, 20], own[x, 20])
                #expect(pixel.alpha == 255 && own[x, 20].alpha == 130 + 30 * index)
                #expect(
                    abs(Int(pixel.green) - Int(straight.green)) <= 2 && abs(Int(pixel.red) - Int(straight.red)) <= 2)
            }
        }
    }

    /// A size of 0 is that of the last box, to the end of the file (ISO/IEC 14496-12, 4.2).
    @Test(arguments: ["sequence.avif", "alpha.avif", "lossless.avif"])
    func theLastBoxMayExtendToTheEndOfTheFile(_ name: String) throws {
        let whole = try FixtureManifest.named(name).data
        var file = whole
        let start = try #require(file.lastRange(of: Data("mdat".utf8))).lowerBound - 4
        try #require(file.number(at: start) == file.count - start)
        file.setNumber(0, at: start)
        #expect(try adapted(file) == whole)
        let (image, own) = (try decode(file), try decode(whole))
        #expect(image.info == own.info && image.pixels.size == own.pixels.size)
        #expect(PixelDifference(between: image.pixels, and: own.pixels)?.maximum == 0)
    }
}

extension Data {
    fileprivate func lastRange(of part: Data) -> Range<Index>? { range(of: part, options: .backwards) }
}
