package import Foundation
import TintypeColor
package import TintypeCore

/// Encodes AVIF images and sequences with libavif, on the calling thread. At quality 1, encoding pixels of 8 bits is
/// lossless, unless the options say otherwise.
///
/// ``EncodeOptions/effort`` from 0 to 1 is a speed of 10 to 0. Lossless images are RGB, with the identity matrix. Grey
/// still images have no chroma.
///
/// A value may be used from any thread.
package struct AVIFEncoder: ImageEncoder {
    /// The encoder speed, from 0, the slowest and smallest, to 10, the fastest. Sequences have at most 6.
    package var speed: Int

    /// From 7 on, libaom encodes sequences in real time. Near quality 1, the libaom of Debian 12 then aborts after a
    /// few frames, because an assertion on its rate control fails.
    private static let fastestSequence = 6

    /// Creates an encoder.
    ///
    /// - Parameter speed: From 0 to 10; other values are clamped.
    package init(speed: Int = 6) {
        self.speed = min(max(speed, 0), 10)
    }

    /// The AVIF format.
    package var formats: Set<ImageFormat> { [.avif] }

    /// Encodes a still image. Alpha is omitted if every pixel is opaque.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` or `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let writer = try AVIFWriter(options, speed: speed(options))
        try writer.add(pixels, isOpaque: pixels.isOpaque, ticks: nil)
        return try writer.finish()
    }

    private func speed(_ options: EncodeOptions) -> Int { options.effort(from: 10, to: 0) ?? speed }
}

/// Encodes still images with 10 bits per channel, in PQ with the primaries of Rec. ITU-R BT.2100. The samples are
/// rounded to 10 bits, so this loses precision even if it is lossless.
extension AVIFEncoder: HighRangeImageEncoder {
    /// Encodes a still image. Alpha is omitted if every pixel is opaque.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`,
    ///   `TintypeError.Code.cancelled`.
    package func encode(
        _ highRange: HighRangePixels, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        try prepare(highRange)(options)
    }
}

extension AVIFEncoder: PreparingHighRangeEncoder {
    package func prepare(
        _ highRange: HighRangePixels
    ) throws(TintypeError) -> (EncodeOptions) throws(TintypeError) -> Data {
        let rows = try PQRows(highRange, alpha: .always)
        return { options throws(TintypeError) in
            let writer = try AVIFWriter(options, speed: speed(options))
            try writer.add(rows)
            return try writer.finish()
        }
    }
}

/// Adds the gain maps of 8-bit images (ISO 21496-1).
extension AVIFEncoder: GainMapImageEncoder {
    package func adding(
        _ map: Data, _ parameters: WrittenGainMap, to file: Data, of size: PixelSize
    ) throws(TintypeError) -> Data {
        try ToneMappedFile(base: file, map: map, parameters, size: size).data
    }
}

/// Encodes still images with 10 bits per channel. The samples are rounded to 10 bits, so this loses precision even if
/// it is lossless.
extension AVIFEncoder: DeepImageEncoder {
    /// Encodes a still image. Alpha is omitted if every pixel is opaque.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` or `TintypeError.Code.outOfMemory`.
    package func encode(
        _ samples: DeepSamples, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let writer = try AVIFWriter(options, speed: speed(options))
        try writer.add(samples)
        return try writer.finish()
    }
}

/// Encodes AVIF image sequences, with their play count.
extension AVIFEncoder: AnimatedImageEncoder {
    /// Encodes an animation. Durations are rounded to milliseconds; the shortest is 11 ms.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` or `TintypeError.Code.outOfMemory`; any error of a frame.
    package func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = try animation.isOpaque()
        let writer = try AVIFWriter(options, speed: min(speed(options), Self.fastestSequence))
        writer.setPlayCount(animation.loopCount)
        let ticks = FrameDuration.ticks(
            animation.durations, perSecond: Double(AVIFWriter.ticksPerSecond), in: 11...Int(UInt32.max))
        for index in 0..<animation.frameCount {
            try writer.add(try animation.frame(at: index), isOpaque: isOpaque, ticks: ticks[index])
        }
        return try AVIFRepetition.repeating(writer.finish(), plays: animation.loopCount)
    }
}
