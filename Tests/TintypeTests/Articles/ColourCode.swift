import Foundation
import Tintype

// The code of the article Colour and high dynamic range. `DocumentCodeTests` compares the two.

/// Writes a photo as AVIF with the light that an 8-bit image cannot have, and as a JPEG that other programs can show,
/// too.
func writeHighRange(_ url: URL, with pipeline: ImagePipeline) async throws(TintypeError) -> [Data] {
    var request = ImageRequest(url: url)
    request.rendition.decode.range = .high
    let image = try await pipeline.image(for: request)
    guard let samples = image.highRange else { return [] }
    print("\(samples.size) pixels, the first one: \(samples[0, 0])")

    var options = EncodeOptions(quality: 0.9)
    options.range = .high
    let avif = try await pipeline.encode(image, as: .avif, options: options)
    // JPEG has no PQ, so it gets a gain map (Ultra HDR).
    let jpeg = try await pipeline.encode(image, as: .jpeg, options: options)
    return [avif, jpeg]
}
