/// Places an image on a canvas of an exact size. The rest of the canvas has one colour, and an image that
/// is larger is cropped.
public struct CanvasTransformer: BuiltInTransformer, Hashable {
    /// The size of the canvas in pixels.
    package var size: PixelSize
    /// The side or corner of the canvas at which the image is placed. ``Gravity/smart`` is treated as centre.
    package var gravity: Gravity
    /// The colour of the canvas.
    package var color: Color

    /// Creates a transformer for a canvas of `size` in pixels.
    public init(_ size: PixelSize, gravity: Gravity = .center, color: Color = .clear) {
        self.size = size
        self.gravity = gravity
        self.color = color
    }

    /// The kind of the transformer and its parameters.
    package var name: String { "canvas(\(size),\(gravity.rawValue),\(color))" }

    /// Returns `true`.
    package var appliesToPreviews: Bool { true }

    /// Returns the canvas with the image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the size is empty, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard pixels.size != size else { return pixels }
        let visible = pixels.size.clamped(to: try size.checkedForTransform())
        let image =
            visible == pixels.size
            ? pixels : try pixels.cropped(to: gravity.rect(visible, in: pixels.size))
        guard visible != size else { return image }
        let rect = gravity.rect(visible, in: size)
        let margins = PadTransformer.Margins(
            top: rect.y, left: rect.x, bottom: size.height - visible.height - rect.y,
            right: size.width - visible.width - rect.x)
        return try PadTransformer(margins, color: color).transform(image)
    }
}

extension TransformerChain {
    /// Returns transformers that fit an image into a size and fill the rest of it with a colour, as SDWebImage's aspect
    /// fit does.
    ///
    /// The result always has the requested size. ``ResizeTransformer/Mode/fit`` alone leaves out the margins.
    ///
    /// - Parameters:
    ///   - size: The size of the result in pixels.
    ///   - color: The colour of the margins.
    ///   - isEnlarging: Whether a smaller image is enlarged.
    public static func letterbox(
        _ size: PixelSize, color: Color = .clear, isEnlarging: Bool = true
    ) -> TransformerChain {
        TransformerChain([
            ResizeTransformer(to: size, mode: .fit, isEnlarging: isEnlarging), CanvasTransformer(size, color: color),
        ])
    }
}
