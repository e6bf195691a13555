import CoreMetrics
import Foundation
import TintypeAVIF
import TintypeBMP
public import TintypeCore
public import TintypeDisk
import TintypeGIF
import TintypeHEIF
public import TintypeHTTP
import TintypeICO
import TintypeJPEG
import TintypeJXL
import TintypePNG
import TintypeSVG
import TintypeTIFF
import TintypeWebP

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

extension ImagePipeline {
    /// The pipeline for a program that needs no other: standard parts, caches in the user's cache directory.
    public static let shared = ImagePipeline(.standard())
}

extension ImageCoderRegistry {
    /// Every format that Tintype has.
    public static let standard = ImageCoderRegistry(
        decoders: [
            AVIFDecoder(), BMPDecoder(), GIFDecoder(), HEIFDecoder(), ICODecoder(), JPEGDecoder(), JXLDecoder(),
            PNGDecoder(), SVGDecoder(), TIFFDecoder(), WebPDecoder(),
        ],
        encoders: [
            AVIFEncoder(), BMPEncoder(), GIFEncoder(), HEIFEncoder(), JPEGEncoder(), JXLEncoder(), PNGEncoder(),
            TIFFEncoder(),
            WebPEncoder(),
        ])
}
