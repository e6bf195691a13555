import Foundation
import Timing
import TintypeCore
import TintypeDisk
import TintypeJPEG

/// Compares a thumbnail of 200 × 200 from the cache of pixels with decoding the same thumbnail from JPEG: the caches
/// only, and loads through a pipeline without a memory cache.
final class ThumbnailTimings: Sendable {
    private let disk: DiskCache
    private let pixels: ThumbnailCache
    private let key: CacheKey
    private let image: Image
    private let jpeg: Data

    private static let batch = 200
    private static let square = ResizeTransformer(to: PixelSize(width: 200, height: 200), mode: .fill)

    init() throws {
        let folder = try Scratch.makeFolder()
        disk = DiskCache(directory: folder)
        pixels = ThumbnailCache(beside: disk)
        key = CacheKey(source: "https://images.example.com/ocean.jpg", rendition: Self.square.identifier)
        image = try JPEGDecoder().decode(Self.sample(), context: DecodeContext()).transformed(by: Self.square)
        jpeg = try JPEGEncoder().encode(image.pixels, as: .jpeg, options: EncodeOptions())
    }

    private static func sample(here: String = #filePath) throws -> Data {
        let package = (0..<4).reduce(URL(filePath: here)) { url, _ in url.deletingLastPathComponent() }
        return try Data(contentsOf: package.appending(path: "Sources/CTintypeSamples/Samples/ocean.jpg"))
    }

    func measure() async throws {
        print("thumbnail: \(image.size), \(jpeg.count) bytes of JPEG, \(image.pixels.byteCount) of pixels")
        pixels.store(image, for: key)
        disk.store(CacheEntry(data: jpeg, format: .jpeg), for: key)
        try await pixels.flush()
        try await disk.flush()
        let alone = try await Timing(rounds: 101, operations: Self.batch) { _ in
            for _ in 0..<Self.batch { try decode() }
        } control: { _ in
            for _ in 0..<Self.batch { try map() }
        }
        alone.report("decoding a JPEG / hit of pixels", goal: 5)
        let entry = try await Timing(rounds: 101, operations: Self.batch) { _ in
            for _ in 0..<Self.batch { try readAndDecode() }
        } control: { _ in
            for _ in 0..<Self.batch { try map() }
        }
        entry.report("hit of an entry and decoding / hit of pixels", goal: 5)
        try await measureLoads()
    }

    private func map() throws { try check(pixels.image(for: key) != nil) }

    private func decode() throws { _ = try JPEGDecoder().decode(jpeg, context: DecodeContext()) }

    private func readAndDecode() throws {
        guard let entry = disk.entry(for: key) else { throw Unexpected() }
        _ = try JPEGDecoder().decode(entry.data, context: DecodeContext())
    }

    /// Measures loads whose rendition is on disk, as JPEG and as pixels.
    private func measureLoads() async throws {
        var configuration = PipelineConfiguration()
        configuration.coders = ImageCoderRegistry(decoders: [JPEGDecoder()], encoders: [JPEGEncoder()])
        configuration.cache = ImageCache(memory: nil, disk: disk, pixels: pixels)
        let pipeline = ImagePipeline(configuration)
        guard let url = URL(string: "https://images.example.com/ocean.jpg") else { throw Unexpected() }
        var encoded = ImageRequest(url: url)
        encoded.rendition.transforms = [Self.square]
        var mapped = encoded
        mapped.policy.stored = .pixels
        encoded.policy.stored = .automatic
        disk.store(CacheEntry(data: jpeg, format: .jpeg), for: encoded.key)
        pixels.store(image, for: mapped.key)
        try await pipeline.flush()
        try await pixels.flush()
        let (first, second) = (encoded, mapped)
        let timing = try await Timing(rounds: 101, operations: Self.batch) { _ in
            for _ in 0..<Self.batch { _ = try await pipeline.image(for: first) }
        } control: { _ in
            for _ in 0..<Self.batch { _ = try await pipeline.image(for: second) }
        }
        timing.report("load from JPEG on disk / load from pixels", goal: 5)
    }
}
