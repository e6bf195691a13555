import CLibJXL
package import Foundation
import TintypeColor
package import TintypeCore

/// Encodes still and animated JPEG XL with libjxl. At quality 1 encoding is lossless, unless the options say otherwise.
///
/// ``EncodeOptions/effort`` from 0 to 1 is an effort of 1 to 9. Grey still images are written in one channel. Images
/// with ``Image/highRange`` are written with 16 bits per channel.
///
/// A value may be used from any thread.
package struct JXLEncoder: ImageEncoder {
    /// The encoder effort, from 1, the fastest, to 9, the smallest.
    package var effort: Int

    /// Creates an encoder.
    ///
    /// - Parameter effort: From 1 to 9; other values are clamped.
    package init(effort: Int = 5) {
        self.effort = min(max(effort, 1), 9)
    }

    /// The JPEG XL format.
    package var formats: Set<ImageFormat> { [.jxl] }

    /// Encodes a still image. Alpha is omitted if every pixel is opaque.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` or `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        let channels = JXLWriter.Channels(isGrey: options.allowsGrey && pixels.isGrey, hasAlpha: !isOpaque)
        let writer = try JXLWriter(
            size: pixels.size, channels, .standard(options.written.colorSpace), settings(options),
            metadata: options.written)
        try writer.add(straight)
        return try writer.finish()
    }

    /// Returns libjxl's settings for `options`.
    private func settings(_ options: EncodeOptions) -> JXLWriter.Settings {
        // A quality of 1 has a distance of 0, which libjxl takes for lossless.
        let distance = max(Self.distance(options.usedQuality), Self.leastLossyDistance)
        return JXLWriter.Settings(
            isLossless: options.isLossless, distance: distance, effort: options.effort(from: 1, to: 9) ?? effort)
    }

    /// The distance of the best lossy quality of `cjxl`.
    private static let leastLossyDistance: Float = 0.1

    /// Converts a quality from 0 to 1 to a butteraugli distance, as `cjxl` does for JPEG qualities.
    static func distance(_ quality: Double) -> Float {
        let percent = Float(quality * 100)
        if percent >= 100 { return 0 }
        guard percent < 30 else { return 0.1 + (100 - percent) * 0.09 }
        return min(15, 6.4 + Float(pow(2.5, Double(30 - percent) / 5) / 6.25))
    }
}

/// Encodes still images with 16 bits per channel, in PQ with the primaries of Rec. ITU-R BT.2100.
extension JXLEncoder: HighRangeImageEncoder {
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

extension JXLEncoder: PreparingHighRangeEncoder {
    package func prepare(
        _ highRange: HighRangePixels
    ) throws(TintypeError) -> (EncodeOptions) throws(TintypeError) -> Data {
        let rows = try PQRows(highRange, alpha: .unlessOpaque)
        return { options throws(TintypeError) in
            let channels = JXLWriter.Channels(isGrey: false, hasAlpha: !rows.isOpaque)
            let writer = try JXLWriter(size: rows.size, channels, .pq, settings(options), metadata: options.written)
            try writer.add(rows.samples)
            return try writer.finish()
        }
    }
}

extension JXLEncoder: DeepImageEncoder {
    /// Encodes a still image with 16 bits per channel.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` or `TintypeError.Code.outOfMemory`.
    package func encode(
        _ samples: DeepSamples, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let channels = JXLWriter.Channels(isGrey: options.allowsGrey && samples.isGrey, hasAlpha: !samples.isOpaque)
        let writer = try JXLWriter(
            size: samples.size, channels, .deep(options.written.colorSpace), settings(options),
            metadata: options.written)
        try writer.add(channels.picked(from: samples.samples))
        return try writer.finish()
    }
}

/// Encodes animated JPEG XL. Every frame is a complete image.
extension JXLEncoder: AnimatedImageEncoder {
    /// Encodes an animation. Durations are rounded to milliseconds; the shortest is 11 ms.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` or `TintypeError.Code.outOfMemory`; any error of a frame.
    package func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = try animation.isOpaque()
        var writer = try JXLWriter(
            size: animation.size, JXLWriter.Channels(isGrey: false, hasAlpha: !isOpaque),
            .standard(options.written.colorSpace), settings(options), playCount: animation.loopCount,
            metadata: options.written)
        let ticks = FrameDuration.ticks(
            animation.durations, perSecond: Double(JXLWriter.ticksPerSecond), in: 11...Int(UInt32.max))
        for index in 0..<animation.frameCount {
            if index > 0 { try writer.encodeAddedFrames() }
            let frame = try animation.frame(at: index)
            try writer.add(isOpaque ? frame : frame.unpremultiplied(), ticks: ticks[index])
        }
        return try writer.finish()
    }
}
