public import Foundation
public import TintypeCore

/// Encodes AVIF with libavif, pictures and sequences, in one thread. Of quality 1 every pixel is kept.
public struct AVIFEncoder: ImageEncoder {
    /// From 0, the slowest, to 10.
    public var speed: Int

    public init(speed: Int = 6) {
        self.speed = min(max(speed, 0), 10)
    }

    public var formats: Set<ImageFormat> { [.avif] }

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let writer = try AVIFWriter(options, speed: speed)
        try writer.add(pixels, isOpaque: pixels.isOpaque, ticks: nil)
        return try writer.finish()
    }
}

/// AVIF image sequences with libavif. Of quality 1 every pixel is kept. Durations are whole milliseconds.
///
/// libavif 0.11 does not write how often a sequence plays: readers play it for ever, whatever the animation says.
extension AVIFEncoder: AnimatedImageEncoder {
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = try animation.isOpaque()
        let writer = try AVIFWriter(options, speed: speed)
        let ticks = FrameDuration.ticks(
            animation.durations, perSecond: Double(AVIFWriter.ticksPerSecond), in: 11...Int(UInt32.max))
        for index in 0..<animation.frameCount {
            try writer.add(try animation.frame(at: index), isOpaque: isOpaque, ticks: ticks[index])
        }
        return try writer.finish()
    }
}
