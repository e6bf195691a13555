import CoreMetrics
import Foundation
public import TintypeCore
public import TintypeDisk
public import TintypeHTTP

extension PipelineConfiguration {
    /// Everything that Tintype has: HTTP, files and data URLs, every format, memory and disk caches with finite limits.
    ///
    /// The memory cache shrinks when the kernel says that memory is short. Metrics are counted when the program has
    /// bootstrapped `MetricsSystem` before.
    ///
    /// - Parameters:
    ///   - downloader: the settings of HTTP. Its `Accept` is made from the formats that can be decoded, and what is
    ///     interrupted is kept beside the disk cache. Its guard, if it has one, keeps out other URLs too.
    ///   - memory: `nil` for none.
    ///   - disk: `nil` for none. Thumbnails are kept as pixels in a folder of its directory, by requests that want it.
    public static func standard(
        downloader: DownloaderConfiguration = DownloaderConfiguration(), memory: MemoryCache? = MemoryCache(),
        disk: DiskCache? = DiskCache()
    ) -> PipelineConfiguration {
        var configuration = PipelineConfiguration()
        configuration.coders = .standard
        var downloader = downloader
        downloader.accept = accept(configuration.coders)
        if downloader.partials == nil, let disk {
            downloader.partials = PartialStore(folder: disk.directory.appending(path: "partial"))
        }
        if let serverGuard = downloader.serverGuard {
            configuration.shouldLoad = { serverGuard.allows($0.source) }
        }
        configuration.loaders.append(Downloader(downloader))
        configuration.cache = ImageCache(
            memory: memory, disk: disk, pixels: disk.map { ThumbnailCache(beside: $0) }, coders: .standard)
        if let memory { MemoryPressureMonitor.shared.add(memory) }
        if !(MetricsSystem.factory is NOOPMetricsHandler) { configuration.observers = [PipelineMetrics()] }
        return configuration
    }

    /// What can be decoded first, then any picture, then anything: some servers answer 406 to less.
    private static func accept(_ coders: ImageCoderRegistry) -> String {
        (coders.decodableFormats.map(\.mediaType) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
    }
}
