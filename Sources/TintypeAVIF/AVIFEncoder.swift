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
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let writer = try AVIFWriter(options, speed: speed)
        try writer.add(pixels, isOpaque: pixels.isOpaque, ticks: nil)
        return try writer.finish()
    }
}
