import Foundation
import Tintype
import TintypeCore
import TintypeDisk
import TintypeHTTP
import TintypeRedis
import TintypeS3
import TintypeShared
import TintypeTLS

#if Tracing
import TintypeTracing
#endif

extension ServiceConfiguration {
    /// Creates the configuration that settings describe: a pipeline that decodes in worker processes, and the caches.
    ///
    /// - Parameter metrics: Counts what the caches and stores do; `nil` counts nothing.
    /// - Throws: A line that says which setting is wrong. The parser has checked each on its own.
    package init(_ settings: ServerSettings, metrics: ServerMetrics? = nil) throws(ServerStartError) {
        let memory = ServerMemory(settings)
        self.init(pipeline: ImagePipeline(try Self.pipeline(settings)), urls: try ImageURLParser(settings))
        rendering.maximumResultSide = settings.limits.resultSide
        rendering.maximumFrames = settings.limits.frames
        rendering.watermarkOpacity = settings.output.watermarkOpacity
        rendering.isProgressive = settings.output.isProgressive
        formats.preferred = settings.output.preferredFormats.compactMap { ImageFormat(fileExtension: $0) }
        negotiation = settings.negotiation
        cacheLimits = settings.cacheLimits
        crossOrigin = settings.crossOrigin
        if settings.output.allowsRaw || settings.output.isReverseProxy {
            passThrough = Self.passThrough(settings, metrics)
        }
        localRoot = settings.sources.localRoot.map { URL(filePath: $0, directoryHint: .isDirectory) }
        renditionMemory = memory.renditions
        self.metrics = metrics
        let tiers = try SharedTiers(settings, metrics: metrics)
        renditionDisk = Self.disk("renditions", settings)
        renditionCache = tiers.cache(over: renditionDisk)
        (leases, breakers) = (tiers.leases, { tiers.breakers })
        admission = settings.admissionLimits(
            cores: ProcessInfo.processInfo.activeProcessorCount, memory: memory.total)
        requestTimeout = settings.listening.requestTimeout
        isDevelopment = settings.observing.isDevelopment
        gate = settings.listening.bearerToken.revealed.map(BearerGate.init)
        fallbackLifetime = settings.caching.fallbackLifetime
        if let path = settings.caching.fallbackFile {
            fallback = try Self.fallback(path, lifetime: settings.caching.fallbackLifetime)
        }
        if let path = settings.output.watermarkFile { watermark = try Self.watermark(path) }
    }

    private static func pipeline(_ settings: ServerSettings) throws(ServerStartError) -> PipelineConfiguration {
        // Not the standard one: it keeps interrupted downloads and thumbnails on the disk, which no request here asks
        // for.
        var configuration = PipelineConfiguration()
        configuration.coders = .server(
            additional: Set(settings.limits.additionalFormats.compactMap(AdditionalFormat.init)),
            isStrict: settings.limits.isStrictlyIsolated)
        configuration.loaders.append(Downloader(downloader(settings)))
        configuration.cache = ImageCache(memory: nil, disk: disk("sources", settings), coders: configuration.coders)
        configuration.observers = [PipelineMetrics()]
        if let loader = try SharedTiers.sourceLoader(settings) { configuration.loaders.append(loader) }
        configuration.maximumByteCount = settings.limits.sourceBytes
        #if Tracing
        configuration.observers.append(PipelineTracer())
        #endif
        let (pixels, framePixels) = (settings.limits.sourceMegapixels * 1e6, settings.limits.frameMegapixels * 1e6)
        configuration.decodeLimits.pixels = Int(framePixels > 0 ? framePixels : pixels)
        configuration.decodeLimits.animatedPixels = Int(pixels)
        return configuration
    }

    /// Returns what answers requests with the option `raw`.
    private static func passThrough(_ settings: ServerSettings, _ metrics: ServerMetrics?) -> PassThrough {
        let (sources, output) = (settings.sources, settings.output)
        var gateway = GatewayConfiguration(
            cache: CountedCache(disk("raw", settings), tier: "raw", metrics: metrics))
        gateway.serverGuard = serverGuard(sources)
        gateway.limits.firstByte = sources.downloadTimeout
        gateway.limits.idle = sources.stallTimeout
        gateway.maximumStoredByteCount = settings.limits.sourceBytes
        let fields = ForwardedFields(
            isReverseProxy: output.isReverseProxy, userAgent: sources.userAgent,
            ownsAuthorization: settings.listening.bearerToken.revealed != nil)
        return PassThrough(Gateway(gateway), fields, crossOrigin: settings.crossOrigin)
    }

    /// Reads the watermark of the operator.
    private static func watermark(_ path: String) throws(ServerStartError) -> Watermark {
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            let image = try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: DecodeContext())
            return Watermark(pixels: image.pixels, digest: SystemDigest.sha256(data).hexadecimal)
        } catch {
            throw ServerStartError(message: "the watermark \(path) cannot be read: \(error)")
        }
    }

    /// Reads the image for requests that fail.
    private static func fallback(
        _ path: String, lifetime: Int
    ) throws(ServerStartError) -> FallbackImage {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let info = try? ImageCoderRegistry.standard.info(of: data)
        else { throw ServerStartError(message: "the fallback image \(path) cannot be read") }
        let record = SourceRecord(
            digest: SystemDigest.sha256(data).hexadecimal, info: info, byteCount: data.count, lastModified: nil,
            freshness: .unstated, confirmed: Date())
        return FallbackImage(
            ProblemResponse.Fallback(contentType: info.format.mediaType, bytes: data, maximumAge: lifetime),
            source: SourceImage(data: data, record: record, origin: .file))
    }

    private static func downloader(_ settings: ServerSettings) -> DownloaderConfiguration {
        var downloader = DownloaderConfiguration()
        let sources = settings.sources
        downloader.serverGuard = serverGuard(sources)
        downloader.maximumRedirects = sources.maximumRedirects
        downloader.totalTimeout = sources.downloadTimeout
        downloader.idleTimeout = sources.stallTimeout
        downloader.userAgent = sources.userAgent
        downloader.headers = SourceLoader.fields
        downloader.proxy = .direct
        downloader.storedHeaders = nil
        return downloader
    }

    private static func serverGuard(_ sources: ServerSettings.Sources) -> ServerGuard {
        ServerGuard(schemes: ["http", "https", "file", "s3"], ports: nil, addresses: allowedAddresses(sources))
    }

    /// The kinds of addresses that are connected to.
    private static func allowedAddresses(_ sources: ServerSettings.Sources) -> Set<AddressKind> {
        var kinds: Set<AddressKind> = [.global]
        if sources.allowsLoopback { kinds.insert(.loopback) }
        if sources.allowsLinkLocal { kinds.insert(.linkLocal) }
        if sources.allowsPrivate { kinds.insert(.privateNetwork) }
        return kinds
    }

    /// Returns one of the caches on disk, which share the limit.
    private static func disk(_ name: String, _ settings: ServerSettings) -> DiskCache {
        let count = settings.output.allowsRaw || settings.output.isReverseProxy ? 3 : 2
        let folder = URL(filePath: settings.caching.directory ?? defaultFolder, directoryHint: .isDirectory)
        return DiskCache(
            directory: folder.appending(path: name), limits: DiskLimits(byteCount: settings.caching.diskBytes / count))
    }

    /// The folder below that of the XDG base directory specification.
    private static var defaultFolder: String {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? "/var"
        let caches = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.cache"
        return "\(caches)/tintype-server"
    }
}

/// Why the server did not start.
package struct ServerStartError: Error, CustomStringConvertible {
    /// A line for the operator.
    package let message: String
    /// The message.
    package var description: String { message }

    /// Creates an error with its message.
    package init(message: String) {
        self.message = message
    }
}

/// How the memory of the machine is divided.
struct ServerMemory {
    /// The memory that this process may use, in bytes.
    let total: Int
    /// The part for encoded renditions.
    let renditions: Int

    init(_ settings: ServerSettings) {
        total = SystemMemory.available
        renditions = settings.caching.memoryBytes > 0 ? settings.caching.memoryBytes : total / 100 * 15
    }
}
