import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// Encoding images that have a high range.
@Suite struct HighRangeEncodingTests {
    private static let size = PixelSize(width: 64, height: 64)

    /// An image of white pixels.
    private static func image() throws -> Image {
        var writer = try HighRangePixels.writer(size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    row.storeBytes(of: SIMD4<Float16>(repeating: 1), toByteOffset: 8 * x, as: SIMD4<Float16>.self)
                }
            }
        }
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size)
        return Image(
            pixels: white, info: ImageInfo(format: .png, size: size), highRange: HighRangePixels(rows: writer.finish())
        )
    }

    private static func options(_ range: DecodeOptions.DynamicRange) -> EncodeOptions {
        var options = EncodeOptions(quality: 1)
        (options.range, options.maximumSize) = (range, PixelSize(width: 32, height: 32))
        return options
    }

    /// Returns how often encoding polls for cancellation.
    private func polls(_ encoder: any ImageEncoder, _ range: DecodeOptions.DynamicRange) throws -> Int {
        let image = try Self.image()
        let polls = Shared(0)
        let context = TransformContext(isCancelled: {
            polls.withLock { $0 += 1 }
            return false
        })
        _ = try context.run { () throws(TintypeError) in
            try ImageCoderRegistry(encoders: [encoder]).encode(image, as: .jxl, options: Self.options(range))
        }
        return polls.now
    }

    /// Each strip of rows that is resized is a poll.
    @Test func theHighRangeIsResizedOnlyForAnEncoderThatWritesIt() throws {
        let standard = try polls(PlainEncoder(), .standard)
        #expect(try polls(PlainEncoder(), .high) == standard)
        #expect(try polls(PreparingEncoder(), .high) > 0 && polls(PreparingEncoder(), .standard) == standard)
    }

    @Test func workOnTheHighRangeCanBeCancelled() throws {
        let highRange = try #require(try Self.image().highRange)
        let part = PixelRect(x: 8, y: 8, size: PixelSize(width: 16, height: 16))
        let resizing = Self.error { () throws(TintypeError) in try highRange.resized(to: part.size) }
        let cropping = Self.error { () throws(TintypeError) in try highRange.cropped(to: part) }
        let turning = Self.error { () throws(TintypeError) in try highRange.oriented(.down) }
        #expect([resizing, cropping, turning].map { $0?.code } == [.cancelled, .cancelled, .cancelled])
    }

    /// Returns the error of work that is cancelled at once.
    private static func error(of work: () throws(TintypeError) -> HighRangePixels) -> TintypeError? {
        do throws(TintypeError) {
            _ = try TransformContext(isCancelled: { true }).run(work)
            return nil
        } catch {
            return error
        }
    }

    /// A limit of bytes takes several encodings.
    @Test func anImageIsConvertedOnceForAllEncodings() throws {
        let encoder = PreparingEncoder()
        var options = Self.options(.high)
        options.maximumByteCount = 37
        let data = try ImageCoderRegistry(encoders: [encoder]).encode(try Self.image(), as: .jxl, options: options)
        #expect(data.count == 37)
        #expect(encoder.preparations.now == 1 && encoder.encodings.now > 2)
    }
}

/// Writes as many bytes as the quality in hundredths.
private struct PlainEncoder: ImageEncoder {
    var formats: Set<ImageFormat> { [.jxl] }

    func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data { Data(count: Int((options.quality * 100).rounded())) }
}

/// Counts what it does.
private struct PreparingEncoder: PreparingHighRangeEncoder {
    let preparations = Shared(0)
    let encodings = Shared(0)

    var formats: Set<ImageFormat> { [.jxl] }

    func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data { try PlainEncoder().encode(pixels, as: format, options: options) }

    func encode(
        _ highRange: HighRangePixels, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data { try prepare(highRange)(options) }

    func prepare(_ highRange: HighRangePixels) throws(TintypeError) -> (EncodeOptions) throws(TintypeError) -> Data {
        preparations.withLock { $0 += 1 }
        return { options throws(TintypeError) in
            encodings.withLock { $0 += 1 }
            return Data(count: Int((options.quality * 100).rounded()))
        }
    }
}
