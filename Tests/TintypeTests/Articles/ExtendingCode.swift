import Foundation
import QOIExample
import Testing
import Tintype
import TintypeTesting

// The code of the article Extending. `DocumentCodeTests` compares the two.

/// Darkens every other row, as on an old screen.
struct ScanlineTransformer: ImageTransformer {
    /// From 0, no change, to 1, black.
    let strength: Double

    /// Every parameter that changes pixels: the text is part of the cache key.
    var identifier: String { "scanlines(\(strength))" }
    /// It looks at one pixel at a time, so previews may have it.
    var transformsPreviews: Bool { true }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: pixels.size)
        for y in 0..<pixels.size.height {
            try TransformContext.current.checkCancelled()
            let factor = y.isMultiple(of: 2) ? 1 : 1 - min(max(strength, 0), 1)
            writer.withRows(from: y) { row in
                for x in 0..<pixels.size.width {
                    // Premultiplied: the colours shrink with the alpha that they have.
                    let pixel = pixels[x, y]
                    let channels = [pixel.red, pixel.green, pixel.blue].map { UInt8(Double($0) * factor) }
                    for (index, value) in (channels + [pixel.alpha]).enumerated() { row[4 * x + index] = value }
                }
            }
        }
        return writer.finish()
    }
}

/// Loads `archive:` URLs from an archive of the program.
struct ArchiveLoader: ImageLoader {
    let read: @Sendable (_ name: String) throws -> Data

    func canLoad(_ source: ImageSource) -> Bool { source.url?.scheme == "archive" }

    @concurrent
    func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let name = source.url?.lastPathComponent ?? ""
        do {
            return LoadedBytes(data: try read(name), origin: .custom)
        } catch {
            throw TintypeError(.notFound, stage: .load, "not in the archive", subject: name, underlying: error)
        }
    }
}

/// Returns a pipeline that reads archives and QOI images.
func makeExtendedPipeline(reading read: @escaping @Sendable (_ name: String) throws -> Data) -> ImagePipeline {
    var configuration = PipelineConfiguration.standard(disk: nil)
    configuration.coders = configuration.coders.adding(decoders: [QOIDecoder()])
    configuration.loaders.append(ArchiveLoader(read: read))
    return ImagePipeline(configuration)
}

@Suite(.timeLimit(.minutes(1))) struct ExtendingArticleTests {
    private static let url = URL(string: "archive:///a.png")

    @Test func theTransformerDarkensTheOddRowsOfAnArchivedImage() async throws {
        let grey = Pixel(red: 100, green: 100, blue: 100)
        let png = try PNGEncoder().encode(
            try PixelBuffer.filled(grey, size: PixelSize(width: 2, height: 2)), as: .png, options: EncodeOptions())
        let pipeline = makeExtendedPipeline { _ in png }
        let request = ImageRequest(url: try #require(Self.url)).transformed(by: ScanlineTransformer(strength: 0.5))
        let image = try await pipeline.image(for: request)
        #expect(image.pixels[1, 0] == grey)
        #expect(image.pixels[1, 1] == Pixel(red: 50, green: 50, blue: 50))
    }

    @Test func anImageThatTheArchiveDoesNotHaveIsNotFound() async throws {
        let url = try #require(Self.url)
        let pipeline = makeExtendedPipeline { _ in throw CocoaError(.fileNoSuchFile) }
        let error = await #expect(throws: TintypeError.self) { try await pipeline.image(for: url) }
        #expect(error?.code == .notFound)
    }
}
