import Foundation
import Tintype

// The code of the article Tuning. `DocumentCodeTests` compares the two.

/// Returns a pipeline for a program that scrolls through many thumbnails on a machine with little memory, and a trace
/// of what it does.
func makeThumbnailPipeline() -> (ImagePipeline, TraceRecorder) {
    var downloader = DownloaderConfiguration()
    downloader.maximumConcurrentDownloads = 12
    var limits = CacheLimits(cost: 96 << 20, entryCost: 8 << 20)
    limits.hiddenShare = 0.25
    let disk = DiskCache(limits: DiskLimits(byteCount: 300_000_000))
    let trace = TraceRecorder()
    var configuration = PipelineConfiguration.standard(
        downloader: downloader, memory: MemoryCache(limits: limits), disk: disk)
    configuration.observers.append(trace)
    return (ImagePipeline(configuration), trace)
}

/// Returns a request for a thumbnail that costs as little as possible when it is shown again.
func makeThumbnailRequest(for url: URL, size: PixelSize) -> ImageRequest {
    var request = ImageRequest(url: url)
    request.rendition.decode.size = .cover(size)
    // Pixels on disk: a hit maps a file and decodes nothing.
    request.policy.caching.form = .pixels
    return request
}
