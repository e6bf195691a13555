import TintypeCore
public import TintypeViews

extension Presentation.WhileLoading {
    /// A blurred placeholder from the text of a ``BlurHash``; nothing if the text is not a hash.
    ///
    /// - Parameter aspectRatio: The width of the image divided by its height, which a hash does not contain.
    public static func blurHash(_ text: String, aspectRatio: Double = 1) -> Self {
        guard let hash = BlurHash(text: text), aspectRatio > 0, aspectRatio.isFinite else { return .nothing }
        let (width, height) = aspectRatio > 1 ? (32.0, 32 / aspectRatio) : (32 * aspectRatio, 32.0)
        let size = PixelSize(width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded())))
        return image(try? hash.pixels(size: size))
    }

    /// A blurred placeholder, with the shape of the image, from the bytes of a ``ThumbHash``; nothing if the bytes are
    /// not a hash.
    public static func thumbHash(_ bytes: [UInt8]) -> Self {
        image(try? ThumbHash(bytes: bytes)?.pixels())
    }

    // GTK enlarges the few pixels when it draws them.
    private static func image(_ pixels: PixelBuffer?) -> Self {
        guard let pixels else { return .nothing }
        return .placeholder(Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size)))
    }
}
