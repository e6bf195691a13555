import Foundation
import Tintype

/// Loads the images of `tintype show`.
struct ShowLoader: Sendable {
    let pipeline: InterruptiblePipeline

    /// Loads an image.
    ///
    /// - Parameters:
    ///   - input: A file, a URL or standard input.
    ///   - box: The largest size in pixels; `nil` for the size of the image.
    ///   - frames: All frames, or only the first.
    ///   - freshness: Whether a cached image will do.
    func image(
        _ input: BatchInput, within box: PixelSize?, frames: DecodeOptions.Frames,
        freshness: LoadPolicy.Freshness = .cached
    ) async throws(TintypeError) -> Image {
        try await image(input) { source in
            var request = ImageRequest(source: source).frames(frames).freshness(freshness)
            if let box { request.rendition.decode.size = .fit(box) }
            request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
            return request
        }
    }

    /// Verifies all of an image, and returns it without pixels.
    func verifiedImage(_ input: BatchInput) async throws(TintypeError) -> Image {
        try await image(input) { FetchPlan().request(for: $0) }
    }

    private func image(
        _ input: BatchInput, _ request: (ImageSource) -> ImageRequest
    ) async throws(TintypeError) -> Image {
        do throws(TintypeError) {
            if let failure = input.failure { throw failure }
            return try await pipeline.image(for: request(try pipeline.source(input.source)))
        } catch {
            throw error.about(input.name)
        }
    }
}

/// The line that stands for an image, such as `photo.jpg  jpeg  4032×3024`.
enum ShowLine {
    static func text(_ source: SourceArgument, _ info: ImageInfo) -> String {
        var parts = [name(source), info.format.rawValue, "\(info.size.width)×\(info.size.height)"]
        if info.frameCount > 1 { parts.append("\(info.frameCount) frames") }
        return parts.joined(separator: "  ")
    }

    /// The last component of a path or URL, without its query.
    static func name(_ source: SourceArgument) -> String {
        if source.isStandardInput { return "standard input" }
        let text = SourceArgument.displayName(of: source.text)
        // A data URL has its bytes as its name.
        if text.hasPrefix("data:") { return "data URL" }
        let path = source.path ?? text.prefix { $0 != "?" && $0 != "#" }.description
        return path.split(separator: "/").last.map(String.init) ?? text
    }
}
