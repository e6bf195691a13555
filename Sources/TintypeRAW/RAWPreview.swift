import Foundation
import TintypeCore
import TintypeJPEG

/// The preview that a camera embeds in a raw image: a JPEG, often in nearly the size of the image.
struct RAWPreview {
    private let jpeg: Data
    private let part: PixelRect

    /// The largest difference between the shapes of the preview and the image. LibRaw shows some more pixels at the
    /// borders of a sensor than cameras do, at most one in a hundred.
    private static let tolerance = 0.02

    /// Reads the header of a preview.
    ///
    /// - Parameters:
    ///   - image: The size of the upright image.
    ///   - size: The size of the result.
    /// - Returns: `nil` if the preview is damaged or too small, or if it does not show the same as the image.
    init?(_ jpeg: Data, of image: PixelSize, at size: PixelSize) {
        guard let info = try? JPEGDecoder().info(of: jpeg, isComplete: true),
            let part = Self.part(of: info.size, showing: image, atLeast: size)
        else { return nil }
        (self.jpeg, self.part) = (jpeg, part)
    }

    /// Returns the centre of a preview that has the shape of the image; `nil` if that is too small, or the shapes
    /// differ. Some cameras write previews with black bars.
    static func part(of preview: PixelSize, showing image: PixelSize, atLeast size: PixelSize) -> PixelRect? {
        guard preview.isPositive, image.isPositive else { return nil }
        let across = Double(preview.width) / Double(image.width)
        let down = Double(preview.height) / Double(image.height)
        guard abs(across / down - 1) <= tolerance else { return nil }
        let scale = min(across, down)
        let part = PixelSize(
            width: min(Int((Double(image.width) * scale).rounded()), preview.width),
            height: min(Int((Double(image.height) * scale).rounded()), preview.height))
        guard part.isPositive, part.width >= size.width, part.height >= size.height else { return nil }
        return PixelRect.centered(part, in: preview)
    }

    /// Decodes the preview.
    ///
    /// - Returns: `nil` if it is damaged or exceeds a limit.
    /// - Throws: `TintypeError.Code.cancelled`.
    func decode(at size: PixelSize, _ context: DecodeContext) throws(TintypeError) -> PixelBuffer? {
        var preview = context
        preview.options = DecodeOptions(crop: part, size: .shrink(size))
        let pixels = try? JPEGDecoder().decode(jpeg, context: preview).pixels
        try context.checkCancelled()
        return pixels
    }
}
