public import Foundation

/// Makes the bytes of animations.
public protocol AnimatedImageEncoder: ImageEncoder {
    /// Encodes every frame, as it is shown, with its duration, and how often they play.
    ///
    /// Frames are asked for in order, one after the other, so that few are ever in memory; some formats need to have seen
    /// all of them before they begin, and ask twice. Blocks.
    ///
    /// - Throws: what ``AnimatedImage/frame(at:isCancelled:)`` throws; ``TintypeError/Code/encodeFailed``,
    ///   ``TintypeError/Code/outOfMemory``.
    func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data
}

extension AnimatedImage {
    /// Whether no pixel of any frame is transparent. Decodes as far as the first frame that has one.
    package func isOpaque() throws(TintypeError) -> Bool {
        for index in 0..<frameCount {
            guard try frame(at: index).isOpaque else { return false }
        }
        return true
    }
}
