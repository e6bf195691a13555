import Foundation
import Tintype

// The code of the article Formats.

/// Encodes an image as a photo, and as a drawing of few colours.
func encodePhotoAndDrawing(_ image: Image, _ pipeline: ImagePipeline) async throws(TintypeError) -> [Data] {
    var options = EncodeOptions(quality: 0.8)
    (options.effort, options.chroma) = (0.9, .sharp420)
    let photo = try await pipeline.encode(image, as: .webp, options: options)

    options = EncodeOptions()
    options.colorMode = .palette(maxColors: 64)
    let drawing = try await pipeline.encode(image, as: .png, options: options)
    return [photo, drawing]
}
