public import Foundation
public import TintypeCore

/// Animated PNG (PNG third edition, 11.3.6). Of each frame the rectangle is stored that differs from the one before, and
/// replaces what was there: every pixel is kept.
///
/// A duration is stored as a fraction of whole numbers, exactly if it was one of these; 65,535 seconds is the longest.
extension PNGEncoder: AnimatedImageEncoder {
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = try animation.isOpaque()
        var writer = PNGAnimationWriter(animation)
        var shown: PixelBuffer?
        for index in 0..<animation.frameCount {
            let picture = try animation.frame(at: index)
            let rect = Self.rect(picture, after: shown)
            let png = try encode(picture.cropped(to: rect), isOpaque: isOpaque)
            try writer.add(png, at: rect, duration: animation.durations[index])
            shown = picture
        }
        return writer.finished()
    }

    /// What is to be painted; a frame has one pixel at least.
    private static func rect(_ picture: PixelBuffer, after shown: PixelBuffer?) -> PixelRect {
        guard let shown else { return PixelRect(x: 0, y: 0, size: picture.size) }
        return picture.changedRect(from: shown) ?? PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
    }
}
