import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCore
@testable import TintypeHEIF

/// Animations for HEIC sequences.
enum SequenceSource {
    /// Returns frames of soft colours, each unlike the others, with a disc that moves over them.
    ///
    /// - Parameter alpha: The alpha of a pixel at a column of a frame.
    static func animation(
        _ size: PixelSize, count: Int = 4, loopCount: Int = 0, duration: Double = 0.1,
        alpha: (_ x: Int, _ frame: Int) -> Int = { _, _ in 255 }
    ) throws -> AnimatedImage {
        let frames = try (0..<count).map { frame in
            TimedImage(try pixels(size, frame, of: count) { alpha($0, frame) }, duration: duration)
        }
        return try AnimatedImage(frames, loopCount: loopCount)
    }

    private static func pixels(
        _ size: PixelSize, _ frame: Int, of count: Int, alpha: (Int) -> Int
    ) throws -> PixelBuffer {
        try .drawn(size) { x, y in
            let (across, down) = (x * 127 / max(size.width, 128), y * 127 / max(size.height, 128))
            let disc = (count == 1 ? 0 : size.width * frame / count, size.height / 2)
            let isInDisc = (x - disc.0) * (x - disc.0) + (y - disc.1) * (y - disc.1) < size.area / 30
            let light = isInDisc ? 110 : 20 + 60 * frame / count
            let opacity = alpha(x)
            let channels = [light + across, light + down, light + 127 - across].map { UInt8($0 * opacity / 255) }
            return Pixel(red: channels[0], green: channels[1], blue: channels[2], alpha: UInt8(opacity))
        }
    }

    /// Returns the peak signal-to-noise ratio in decibels, over all channels.
    static func ratio(_ one: PixelBuffer, _ other: PixelBuffer) throws -> Double {
        try #require(one.size == other.size)
        var sum = 0
        for y in 0..<one.size.height {
            for x in 0..<one.size.width {
                let (left, right) = (one[x, y], other[x, y])
                let channels = [\Pixel.red, \.green, \.blue, \.alpha]
                for difference in channels.map({ Int(left[keyPath: $0]) - Int(right[keyPath: $0]) }) {
                    sum += difference * difference
                }
            }
        }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 / (Double(sum) / Double(4 * one.size.area)))
    }
}

/// HEIC sequences. ``AnimationEncodeTests`` tests what they have in common with those of other formats.
@Suite struct HEICSequenceEncodeTests {
    private func decode(_ data: Data) throws(TintypeError) -> Image {
        try HEIFDecoder().decode(data, context: DecodeContext())
    }

    private func encode(_ animation: AnimatedImage, _ options: EncodeOptions = EncodeOptions()) throws -> Data {
        try ImageCoderRegistry.standard.encode(animation, as: .heic, options: options)
    }

    private func expect(_ data: Data, shows original: AnimatedImage, atLeast decibels: Double) throws {
        let written = try #require(try decode(data).animation)
        #expect(written.frameCount == original.frameCount && written.size == original.size)
        #expect(written.durations == original.durations && written.loopCount == original.loopCount)
        for index in 0..<original.frameCount {
            let ratio = try SequenceSource.ratio(written.frame(at: index), original.frame(at: index))
            #expect(ratio >= decibels, "frame \(index) of \(original.size) pixels: \(ratio) dB")
        }
    }

    // MARK: Pixels

    private static let sizes = [
        (1, 1), (2, 1), (1, 3), (15, 9), (24, 17), (63, 65), (64, 64), (65, 64), (100, 76), (131, 97), (300, 2),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    /// libheif encodes at least 64 × 64 pixels, and whole pairs: the rest is cropped.
    @Test(arguments: sizes) func framesOfAnySizeAreClose(_ size: PixelSize) throws {
        try expect(encode(SequenceSource.animation(size)), shows: SequenceSource.animation(size), atLeast: 36)
    }

    @Test(arguments: sizes) func alphaOfAnySizeIsClose(_ size: PixelSize) throws {
        // The second frame is opaque.
        let original = try SequenceSource.animation(size) { x, frame in
            frame == 1 ? 255 : 230 - x * 150 / max(size.width, 64)
        }
        let data = try encode(original)
        #expect(try decode(data).info.hasAlpha)
        try expect(data, shows: original, atLeast: 36)
    }

    @Test func opaqueAnimationsHaveNoAlphaTrack() throws {
        let data = try encode(SequenceSource.animation(PixelSize(width: 80, height: 60)))
        #expect(try !decode(data).info.hasAlpha && data.range(of: Data("auxv".utf8)) == nil)
    }

    @Test func displayP3IsWritten() throws {
        var options = EncodeOptions()
        options.colorSpace = .displayP3
        let original = try SequenceSource.animation(PixelSize(width: 80, height: 60))
        let data = try encode(original, options)
        // In the track, and in the still image.
        let first = try #require(data.range(of: StandardProfile.displayP3))
        #expect(data[first.upperBound...].range(of: StandardProfile.displayP3) != nil)
        try expect(data, shows: original, atLeast: 34)
    }

    /// Those of ITU-T H.273, table 2. The others are the curve of sRGB, the matrix of BT.601 and the full range.
    @Test(arguments: [(.displayP3, 12), (.sRGB, 1)] as [(EncodeOptions.ColorSpace, UInt8)])
    func thePrimariesAreStatedInTheTrack(_ space: EncodeOptions.ColorSpace, _ primaries: UInt8) throws {
        var options = EncodeOptions()
        options.colorSpace = space
        let data = try encode(SequenceSource.animation(PixelSize(width: 8, height: 8)), options)
        let movie = try #require(data.firstRange(of: Data("moov".utf8))).upperBound
        let codes = try #require(data[movie...].firstRange(of: Data("colrnclx".utf8))).upperBound
        #expect(Array(data[codes..<codes + 7]) == [0, primaries, 0, 13, 0, 6, 0x80])
    }

    // MARK: Time

    /// More than 2³² milliseconds in total, and with the plays more than 2⁵².
    @Test(arguments: [(4_000_000.0, 3, 3), (4_294_967.295, 1_000_000, 0), (0.011, 2_000_000_000, 2_000_000_000)])
    func longDurationsAndManyPlaysAreWritten(_ seconds: Double, _ plays: Int, _ written: Int) throws {
        let size = PixelSize(width: 8, height: 8)
        let image = try decode(encode(SequenceSource.animation(size, loopCount: plays, duration: seconds)))
        #expect(image.animation?.durations == Array(repeating: seconds, count: 4) && image.info.loopCount == written)
    }

    @Test func framesWithoutADurationAreWrittenAsPlayed() throws {
        let image = try decode(encode(SequenceSource.animation(PixelSize(width: 8, height: 8), duration: 0)))
        #expect(image.info.durations == [0.1, 0.1, 0.1, 0.1])
    }

    @Test func theEncoderWritesASequenceOfOneFrame() throws {
        let original = try SequenceSource.animation(PixelSize(width: 80, height: 60), count: 1, loopCount: 2)
        let data = try HEIFEncoder().encode(original, as: .heic, options: EncodeOptions())
        let image = try decode(data)
        #expect(data.range(of: Data("moov".utf8)) != nil && !image.isAnimated && image.info.frameCount == 1)
        #expect(try SequenceSource.ratio(image.pixels, original.poster) > 36)
    }

    // MARK: Still image

    /// Returns what a program without sequences sees: it ignores their brands and the movie.
    private func withoutSequence(_ data: Data) throws -> Data {
        var data = data
        let end = data.number(at: 0)
        for offset in stride(from: 8, to: end, by: 4) where offset != 12 {
            let brand = String(decoding: data[offset..<offset + 4], as: UTF8.self)
            let still = ["hevc": "heic", "msf1": "mif1", "iso8": "iso8"][brand]
            if let still { data.replaceSubrange(offset..<offset + 4, with: Data(still.utf8)) }
        }
        data.replaceSubrange(try #require(data.range(of: Data("moov".utf8))), with: Data("free".utf8))
        return data
    }

    @Test(arguments: [(80, 60, 255), (24, 17, 255), (80, 60, 128), (25, 31, 128)])
    func theFirstFrameIsAStillImage(_ width: Int, _ height: Int, _ alpha: Int) throws {
        let original = try SequenceSource.animation(PixelSize(width: width, height: height)) { _, _ in alpha }
        let shown = try decode(withoutSequence(encode(original)))
        let still = try decode(HEIFEncoder().encode(original.poster, as: .heic, options: EncodeOptions()))
        #expect(!shown.isAnimated && shown.info.hasAlpha == (alpha < 255))
        #expect(PixelDifference(between: shown.pixels, and: still.pixels)?.maximum == 0)
    }

    @Test func theStillImageHasTheThumbnail() throws {
        let original = try SequenceSource.animation(PixelSize(width: 700, height: 500), count: 2)
        let sequence = try encode(original, EncodeOptions(embedsThumbnail: true))
        let data = try withoutSequence(sequence)
        let options = DecodeOptions(size: .fit(PixelSize(width: 160, height: 160)))
        var whole = options
        whole.embeddedThumbnail = .never
        func pixels(_ options: DecodeOptions) throws -> PixelBuffer {
            try HEIFDecoder().decode(data, context: DecodeContext(options: options)).pixels
        }
        var thumbnail = options
        thumbnail.embeddedThumbnail = .whereLargeEnough
        #expect(try #require(PixelDifference(between: pixels(thumbnail), and: pixels(whole))).maximum > 0)
        #expect(try decode(sequence).animation?.frameCount == 2)
    }

    // MARK: Errors

    private final class Countdown: Sendable {
        private let left: Locked<Int>

        init(_ count: Int) {
            left = Locked(count)
        }

        /// Whether it was called so often.
        func isOver() -> Bool {
            left.withLock { count in
                count -= 1
                return count < 0
            }
        }
    }

    @Test func imagesWithOtherParametersAreRefused() throws {
        let encoder = HEIFEncoder()
        func still(_ side: Int, isOpaque: Bool = true) throws -> Data {
            let pixels = try PixelBuffer.filled(
                Pixel(red: 9, green: 99, blue: 200), size: PixelSize(width: side, height: side))
            return try encoder.encode(pixels, isOpaque: isOpaque, EncodeOptions())
        }
        var damaged = try still(80)
        let parameters = try #require(damaged.range(of: Data("hvcC".utf8))).upperBound
        damaged[parameters + 12] ^= 1
        for (other, isAccepted) in try [
            (still(80), true), (still(96), false), (still(80, isOpaque: false), false), (damaged, false),
            (Data(), false), (still(80).prefix(300), false),
        ] {
            var writer = try HEIFSequenceWriter(size: PixelSize(width: 80, height: 80), EncodeOptions())
            try writer.add(try still(80), ticks: 100)
            do throws(TintypeError) {
                try writer.add(other, ticks: 100)
                #expect(isAccepted)
            } catch {
                #expect(error.code == .encodeFailed && !isAccepted, "\(error)")
            }
        }
    }

    @Test func errorsNameWhatIsUnexpected() {
        let size = PixelSize(width: 8, height: 8)
        let empty = expectError(.encodeFailed) {
            try HEIFSequenceWriter(size: size, EncodeOptions()).file(plays: 0)
        }
        #expect(empty?.message == "a HEIC sequence has at least one image")
        let damaged = expectError(.encodeFailed) {
            var writer = try HEIFSequenceWriter(size: size, EncodeOptions())
            try writer.add(Data(), ticks: 100)
        }
        #expect(damaged?.message.hasSuffix("the items cannot be read") == true)
        #expect((damaged?.underlying as? TintypeError)?.message == TintypeError.noItems.message)
    }

    /// The encoder does not go on to encode frames that the file cannot hold.
    @Test func aFileThatIsTooLargeIsRefusedWhileImagesAreAdded() throws {
        let size = PixelSize(width: 80, height: 80)
        let pixels = try PixelBuffer.filled(Pixel(red: 9, green: 99, blue: 200), size: size)
        let still = try HEIFEncoder().encode(pixels, isOpaque: true, EncodeOptions())
        var writer = try HEIFSequenceWriter(size: size, EncodeOptions(), maxBytes: 3 * still.count)
        var count = 0
        do throws(TintypeError) {
            while count < 1000 {
                try writer.add(still, ticks: 100)
                count += 1
            }
        } catch {
            #expect(error.code == .encodeFailed && error.message.contains("\(3 * still.count) bytes"))
        }
        #expect(count >= 3 && count < 1000)
        // The movie makes the file larger than the still image.
        writer = try HEIFSequenceWriter(size: size, EncodeOptions(), maxBytes: still.count)
        try writer.add(still, ticks: 100)
        do throws(TintypeError) {
            _ = try writer.file(plays: 0)
            Issue.record("\(still.count) bytes suffice")
        } catch {
            #expect(error.code == .encodeFailed)
        }
    }

    @Test(arguments: [(65_535, 2), (2, 70_000)]) func imagesThatASampleEntryCannotDescribeAreRefused(
        _ width: Int, _ height: Int
    ) throws {
        let original = try SequenceSource.animation(PixelSize(width: width, height: height), count: 2)
        expectError(.encodeFailed) { try encode(original) }
    }

    @Test func encodingStopsBetweenFrames() throws {
        let original = try SequenceSource.animation(PixelSize(width: 8, height: 8), count: 5)
        // Cancelled at each check, until it is checked less often than that.
        var checks = 0
        while true {
            let left = Countdown(checks)
            let context = TransformContext { left.isOver() }
            do throws(TintypeError) {
                _ = try context.run { () throws(TintypeError) in
                    try HEIFEncoder().encode(original, as: .heic, options: EncodeOptions())
                }
                break
            } catch {
                try #require(error.code == .cancelled)
                checks += 1
            }
        }
        #expect(checks >= 5)
    }
}
