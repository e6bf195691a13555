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
public import TintypeSandbox
import TintypeTIFF
import TintypeWebP

extension PipelineConfiguration {
    /// Returns a configuration with everything that Tintype includes: the HTTP, file and data URL loaders, every image
    /// format, and memory and disk caches with finite limits.
    ///
    /// The memory cache shrinks when the kernel reports memory pressure. Metrics are recorded if the program has
    /// bootstrapped `MetricsSystem` before this call.
    ///
    /// - Parameters:
    ///   - downloader: The settings of HTTP. If ``DownloaderConfiguration/partials`` is `nil`, interrupted downloads
    ///     are stored in a subdirectory of the disk cache's directory. Its server guard, if any, also refuses sources
    ///     that are not HTTP URLs.
    ///   - memory: The memory cache, or `nil` for none.
    ///   - disk: The disk cache, or `nil` for none. A subdirectory of it holds decoded thumbnails, for requests that
    ///     ask for them, within the same limits and at most 128 MB.
    ///   - sandbox: How images are decoded in worker processes. `nil` uses the workers of
    ///     ``ImageCoderRegistry/standard``.
    public static func standard(
        downloader: DownloaderConfiguration = DownloaderConfiguration(), memory: (any MemoryCaching)? = MemoryCache(),
        disk: DiskCache? = DiskCache(), sandbox: SandboxConfiguration? = nil
    ) -> PipelineConfiguration {
        var configuration = PipelineConfiguration()
        configuration.coders = sandbox.map { .standard.sandboxed($0) } ?? .standard
        var downloader = downloader
        if downloader.partials == nil, let disk {
            downloader.partials = PartialStore(in: disk.location)
        }
        configuration.loaders.append(Downloader(downloader))
        configuration.cache = ImageCache(
            memory: memory, disk: disk, pixels: disk.map { ThumbnailCache(beside: $0) },
            coders: configuration.coders)
        if let memory = memory as? MemoryCache { MemoryPressureMonitor.shared.add(memory) }
        if !(MetricsSystem.factory is NOOPMetricsHandler) { configuration.observers = [PipelineMetrics()] }
        return configuration
    }
}

extension ImagePipeline {
    /// The process-wide pipeline, with the standard configuration and its caches in the user's cache directory.
    public static let shared = ImagePipeline(.standard())
}

extension ImageCoderRegistry {
    /// The decoders and encoders of every format that Tintype includes. SVG, HEIC, AVIF, JPEG XL and TIFF are decoded
    /// in worker processes: see ``ImageCoderRegistry/sandboxed(_:)``.
    public static let standard = ImageCoderRegistry(
        decoders: [
            AVIFDecoder(), BMPDecoder(), GIFDecoder(), HEIFDecoder(), ICODecoder(), JPEGDecoder(), JXLDecoder(),
            PNGDecoder(), SVGDecoder(), TIFFDecoder(), WebPDecoder(),
        ],
        encoders: [
            AVIFEncoder(), BMPEncoder(), GIFEncoder(), HEIFEncoder(), JPEGEncoder(), JXLEncoder(), PNGEncoder(),
            TIFFEncoder(), WebPEncoder(),
        ]
    ).sandboxed()
}
