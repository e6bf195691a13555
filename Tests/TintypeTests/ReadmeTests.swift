import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

// The code of README.md. `DocumentCodeTests` compares the two.

/// Shows an image three times: in full, as a thumbnail that sharpens while its bytes arrive, and from memory.
func show(
    _ url: URL, with pipeline: ImagePipeline = .shared, draw: (Image) -> Void
) async throws(TintypeError) {
    // From memory, from disk or from the network.
    draw(try await pipeline.image(for: url))

    // Decoded directly to the size of a thumbnail, before less urgent loads, with previews.
    var request = ImageRequest(url: url, priority: .high)
    request.rendition.decode.size = .fit(PixelSize(width: 320, height: 240))
    request.policy.delivery.previews = .progressive
    request.policy.delivery.header = .early
    for await event in pipeline.start(request).events {
        switch event {
        case .info(let info): print("\(info.size) pixels")
        case .progress(let progress): print("\(progress.received) bytes of \(progress.expected ?? 0)")
        case .preview(let preview): draw(preview.image)
        case .finished(let result): draw(try result.get().image)
        }
    }

    // Synchronous: looks only in memory.
    if let image = pipeline.cachedImage(for: request) { draw(image) }
}

/// Returns a pipeline with at most 500 MB of entries in `directory` and 64 MB of decoded images in memory.
func makePipeline(cachingIn directory: URL) -> ImagePipeline {
    let disk = DiskCache(directory: directory, limits: DiskLimits(byteCount: 500_000_000))
    let memory = MemoryCache(limits: CacheLimits(cost: 64 << 20))
    return ImagePipeline(.standard(memory: memory, disk: disk))
}

/// Loads images ahead of time, at a lower priority than all other loads.
func warm(_ urls: [URL], with pipeline: ImagePipeline) async {
    let batch = ImagePrefetcher(pipeline).prefetch(urls)
    for await progress in batch.updates { print("\(progress.finishedCount) of \(progress.total)") }
}

/// A cell of a list, in any toolkit. It shows an image from memory at once. A reused cell never shows its previous
/// image.
@MainActor final class Cell: ImageDisplay {
    private(set) var pixels: PixelBuffer?
    private let player = ContentPlayer()
    private lazy var binding = ImageBinding(self, pipeline: .shared)

    init() {
        // The pixels of a still image, or each frame of an animation when it is due.
        player.onPixels = { [weak self] pixels in self?.pixels = pixels }
    }

    func show(_ content: ImageContent) { player.show(content) }

    var wantedSize: PixelSize? { PixelSize(width: 96, height: 96) }

    func use(for url: URL?) {
        guard let url else { return binding.clear() }
        binding.load(ImageRequest(url: url), presentation: Presentation(sizing: .fitsDisplay, transition: .fade))
    }
}

@Suite(.timeLimited) struct ReadmeTests {
    @Test func theCodeInTheReadmeRuns() async throws {
        let origin = try await Origin.start()
        let white = try PixelBuffer.filled(
            Pixel(red: 255, green: 255, blue: 255), size: PixelSize(width: 640, height: 480))
        let jpeg = try JPEGEncoder().encode(white, as: .jpeg, options: EncodeOptions())
        origin.serve("/a.jpg", response: .image(jpeg, type: "image/jpeg"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-readme-\(UUID().uuidString)")
        let pipeline = ImagePipeline(
            .standard(downloader: .patient, memory: MemoryCache(), disk: DiskCache(directory: folder)))
        let sizes = Shared<[PixelSize]>([])
        try await show(origin.url("/a.jpg"), with: pipeline) { image in sizes.withLock { $0.append(image.size) } }
        #expect(sizes.now.first == white.size)
        #expect(sizes.now.last == PixelSize(width: 320, height: 240))
        #expect(origin.requestCount() == 1)
        try await pipeline.flush()
        await origin.stop()
        try FileManager.default.removeItem(at: folder)
    }

    @Test func thePipelineInTheReadmeLoadsAnImage() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-readme-\(UUID().uuidString)")
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: PixelSize(width: 6, height: 4))
        let data = try PNGEncoder().encode(white, as: .png, options: EncodeOptions())
        let pipeline = makePipeline(cachingIn: folder)
        let image = try await pipeline.image(for: ImageRequest(source: .bytes(data, id: "white")))
        #expect(image.size == white.size)
        try await pipeline.flush()
        try? FileManager.default.removeItem(at: folder)
    }
}

extension String {
    /// The text between two others, if both occur.
    func between(_ start: String, _ end: String) -> String? {
        guard let first = range(of: start), let last = self[first.upperBound...].range(of: end) else { return nil }
        return String(self[first.upperBound..<last.lowerBound])
    }
}
