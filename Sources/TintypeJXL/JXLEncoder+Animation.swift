public import Foundation
public import TintypeCore

/// Animated JPEG XL with libjxl, every frame a whole picture. Of quality 1 every pixel is kept. Durations are whole
/// milliseconds.
extension JXLEncoder: AnimatedImageEncoder {
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        // NaN compares as false and becomes the lowest.
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        let isOpaque = try animation.isOpaque()
        var writer = try JXLWriter(
            size: animation.size, hasAlpha: !isOpaque, isLossless: quality == 1, plays: animation.loopCount)
        let ticks = FrameDuration.ticks(
            animation.durations, perSecond: Double(JXLWriter.ticksPerSecond), in: 11...Int(UInt32.max))
        for index in 0..<animation.frameCount {
            if index > 0 { try writer.encode() }
            let picture = try animation.frame(at: index)
            try writer.add(
                isOpaque ? picture : picture.unpremultiplied(), distance: Self.distance(quality), effort: effort,
                ticks: ticks[index])
        }
        return try writer.finish()
    }
}
