package import Foundation
package import TintypeCore

/// Encodes HEIC image sequences, with their play count. Each frame is coded without others. Programs that do not show
/// sequences show the first frame.
extension HEIFEncoder: AnimatedImageEncoder {
    /// Encodes an animation. Durations are rounded to milliseconds; the shortest is 11 ms. Alpha is omitted if every
    /// pixel of every frame is opaque.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, also if libheif has no HEVC encoder or a sequence would exceed
    ///   65,534 pixels a side or 4 GB; `TintypeError.Code.outOfMemory`; `TintypeError.Code.cancelled`; any error of
    ///   a frame.
    package func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = try animation.isOpaque()
        var writer = try HEIFSequenceWriter(size: animation.size, options)
        let ticks = FrameDuration.ticks(
            animation.durations, perSecond: Double(HEIFMovie.ticksPerSecond), in: 11...Int(UInt32.max))
        // Only the first frame is also a still image with metadata and a thumbnail.
        var frameOptions = options
        for index in 0..<animation.frameCount {
            try TransformContext.current.checkCancelled()
            let still = try encode(try animation.frame(at: index), isOpaque: isOpaque, frameOptions)
            try writer.add(still, ticks: ticks[index])
            (frameOptions.embedsThumbnail, frameOptions.written.exif, frameOptions.written.xmp) = (false, nil, nil)
        }
        return try writer.file(plays: animation.loopCount)
    }
}
