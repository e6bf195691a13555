import CLibJXL
public import Foundation
public import TintypeCore

/// Encodes JPEG XL with libjxl, still and animated, in one thread. Of quality 1 every pixel is kept.
public struct JXLEncoder: ImageEncoder {
    /// From 1, fast, to 9, small.
    public var effort: Int

    public init(effort: Int = 5) {
        self.effort = min(max(effort, 1), 9)
    }

    public var formats: Set<ImageFormat> { [.jxl] }

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        // NaN compares as false and becomes the lowest.
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        let writer = try JXLWriter(size: pixels.size, hasAlpha: !isOpaque, isLossless: quality == 1)
        try writer.add(straight, distance: Self.distance(quality), effort: effort)
        return try writer.finish()
    }

    /// How far from the original, in just noticeable differences, as `cjxl` has it for the qualities of JPEG.
    static func distance(_ quality: Double) -> Float {
        let percent = Float(quality * 100)
        if percent >= 100 { return 0 }
        guard percent < 30 else { return 0.1 + (100 - percent) * 0.09 }
        return min(15, 6.4 + Float(pow(2.5, Double(30 - percent) / 5) / 6.25))
    }
}

/// Animated JPEG XL with libjxl, every frame a whole picture. Of quality 1 every pixel is kept. Durations are whole
/// milliseconds.
extension JXLEncoder: AnimatedImageEncoder {
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
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
