import Foundation
import Synchronization

@testable import TintypeCore
@testable import TintypeJPEG
@testable import TintypePNG
@testable import TintypeWebP

/// Reads the metadata of the input, and writes the input as the metadata of valid images, of each kind and in each
/// format that has metadata.
struct MetadataRun {
    private let bytes: Data
    private let choice: FuzzChoice

    private static let coders = ImageCoderRegistry(
        decoders: [JPEGDecoder(), PNGDecoder(), WebPDecoder()],
        encoders: [JPEGEncoder(), PNGEncoder(), WebPEncoder()])
    private static let formats: [ImageFormat] = [.jpeg, .png, .webp]
    private static let size = PixelSize(width: 9, height: 7)

    init(_ bytes: Data) {
        self.bytes = bytes
        choice = FuzzChoice(bytes)
    }

    func run() {
        _ = PipelineRead.image(of: bytes, Self.coders)
        let metadata = ImageMetadata(exif: ExifData(bytes), xmp: bytes, iptc: bytes)
        for format in Self.formats { write(metadata, as: format) }
    }

    /// The kinds to write.
    private var kinds: Set<MetadataKind> {
        var kinds: Set<MetadataKind> = [.exif, .xmp, .iptc]
        if choice.isHeads(0) { kinds.insert(.icc) }
        if choice.isHeads(1) { kinds.insert(.location) }
        return kinds
    }

    private func write(_ metadata: ImageMetadata, as format: ImageFormat) {
        guard let pixels = Self.pixels() else { return }
        let image = Image(pixels: pixels, info: ImageInfo(format: format, size: Self.size), metadata: metadata)
        var options = EncodeOptions(embedsThumbnail: choice.isHeads(2))
        options.metadata = kinds
        do throws(TintypeError) {
            let file = try Self.coders.encode(image, as: format, options: options)
            let read = PipelineRead.image(of: file, Self.coders)
            precondition(read?.size == Self.size, "an image with metadata is not the image without")
            let hasLocation = read?.metadata?.exif?.number(0x8825) != nil
            precondition(kinds.contains(.location) || !hasLocation, "the location was written")
        } catch {
            preconditionFailure("a valid image with metadata fails: \(error)")
        }
    }

    private static func pixels() -> PixelBuffer? {
        guard var writer = try? PixelWriter(size: size) else { return nil }
        writer.withRows { rows in
            for index in rows.indices { rows[index] = 255 }
        }
        return writer.finish()
    }
}

/// Decodes with all metadata, which a pipeline reads beside the decoder.
enum PipelineRead {
    private static let number = Atomic(0)

    /// The result of a task that another thread waits for.
    private final class Result: Sendable {
        let image = Mutex<Image?>(nil)
        let ended = DispatchSemaphore(value: 0)
    }

    /// Returns the image; `nil` if it cannot be decoded. Blocks the calling thread.
    static func image(of bytes: Data, _ coders: ImageCoderRegistry) -> Image? {
        var configuration = PipelineConfiguration()
        configuration.coders = coders
        configuration.decodeLimits = DecodeLimits(pixels: 1 << 18, side: 4096)
        let pipeline = ImagePipeline(configuration)
        var options = DecodeOptions()
        options.keepsMetadata = true
        let id = "\(number.add(1, ordering: .relaxed).newValue)"
        let off = CacheRules(memory: .off, disk: .off)
        let request = ImageRequest(
            source: .bytes(bytes, id: id), rendition: Rendition(decode: options),
            policy: LoadPolicy(caching: LoadPolicy.Caching(rendition: off, original: off), failureMemory: .ignored))
        let result = Result()
        Task.detached {
            let image = try? await pipeline.image(for: request)
            result.image.withLock { $0 = image }
            result.ended.signal()
        }
        result.ended.wait()
        return result.image.withLock { $0 }
    }
}
