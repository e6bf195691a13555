import Foundation
import Timing
import TintypeCore
import TintypeDisk
import TintypeHTTP
import TintypeJPEG

/// Measures how much memory a body of 1 GB adds on its way through a pipeline to the disk cache.
///
/// The body is an image followed by zeros, from the nginx that `scripts/bench/measure-transfers` starts. The baseline
/// is the same image without zeros.
struct LargeBody {
    private let origin: URL
    private let folder: URL
    private let pipeline: ImagePipeline

    init(of origin: URL) throws {
        self.origin = origin
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-large-\(UUID().uuidString)")
        var downloader = DownloaderConfiguration()
        downloader.maximumByteCount = 2 << 30
        var configuration = PipelineConfiguration()
        configuration.maximumByteCount = 2 << 30
        configuration.coders = ImageCoderRegistry(decoders: [JPEGDecoder()])
        configuration.loaders = [Downloader(downloader)]
        configuration.cache = ImageCache(
            memory: nil, disk: DiskCache(directory: folder, limits: DiskLimits(byteCount: 4 << 30, age: nil)))
        pipeline = ImagePipeline(configuration)
    }

    func measure() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await store("small.jpg")
        let before = try Self.peak
        let start = ContinuousClock.now
        try await store("large.jpg")
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let added = Double(try Self.peak - before) / 1e6
        print("1 GB to the disk cache in \(seconds.rounded(1)) s adds \(added.rounded(1)) MB of memory (goal 32)")
        // Reading verifies that the entry is complete. It takes as much memory as the entry has bytes, so it comes
        // last.
        try check(try await pipeline.response(for: request("large.jpg")).origin == .disk)
    }

    private func store(_ name: String) async throws {
        try check(try await pipeline.response(for: request(name)).origin == .network)
        try await pipeline.flush()
    }

    private func request(_ name: String) -> ImageRequest { ImageRequest(url: origin.appending(path: name)) }

    /// The peak memory of the process in bytes, including mapped files.
    private static var peak: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                throw Unexpected()
            }
            return kilobytes << 10
        }
    }
}
