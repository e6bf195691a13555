import Foundation
import HTTPTestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// A pipeline with a cache, an origin and a clock that stands still, for loads under the rules of HTTP.
struct HTTPCacheFixture {
    let origin: Origin
    let pipeline: ImagePipeline
    let disk: EntriesInMemory
    let clock: ManualClock
    let downloader: Downloader

    /// The header fields of a response that is fresh for a minute.
    static let fresh: [(name: String, value: String)] = [("Cache-Control", "max-age=60")]

    private init(_ origin: Origin, _ downloads: DownloaderConfiguration) {
        let clock = ManualClock()
        var downloads = downloads
        downloads.clock = Fixture.clock(Shared([]), clock)
        self.init(origin, clock, Downloader(downloads))
    }

    private init(_ origin: Origin, _ clock: ManualClock, _ downloader: Downloader) {
        (self.origin, self.clock, self.downloader) = (origin, clock, downloader)
        disk = EntriesInMemory()
        var configuration = PipelineConfiguration()
        configuration.loaders = [downloader]
        configuration.cache = ImageCache(
            memory: MemoryCache(limits: CacheLimits(cost: 1 << 20), time: clock.timeSource), disk: disk)
        configuration.time = clock.timeSource
        pipeline = ImagePipeline(configuration)
    }

    /// Returns a pipeline with a cache of its own and the same downloader.
    func sharingDownloader() -> HTTPCacheFixture { HTTPCacheFixture(origin, clock, downloader) }

    static func run(
        _ downloads: DownloaderConfiguration = .patient, _ body: (HTTPCacheFixture) async throws -> Void
    ) async throws {
        try await Fixture.withOrigin { origin in try await body(HTTPCacheFixture(origin, downloads)) }
    }

    /// A request that decodes any bytes, with header fields that an interceptor adds.
    func request(_ path: String = "/a", adding fields: [String: String] = [:]) -> ImageRequest {
        var request = ImageRequest(url: origin.url(path)).freshness(.http)
        request.rendition.decode.decoder = NamedDecoder(id: "first byte", decoder: FirstByteDecoder())
        request.policy.failureMemory = .ignored
        request.policy.delivery.data = .always
        if !fields.isEmpty { request.http.interceptors = [DownloadModifier.headers(fields)] }
        return request
    }

    /// Loads a request, and returns its bytes as a text. The pixel must be that of the bytes.
    func load(_ request: ImageRequest) async throws -> String {
        let response = try await pipeline.response(for: request)
        let data = response.data ?? Data()
        guard response.image.pixels[0, 0].red == data.first else { return "the image of other bytes" }
        return String(decoding: data, as: UTF8.self)
    }

    func load(_ path: String = "/a", adding fields: [String: String] = [:]) async throws -> String {
        try await load(request(path, adding: fields))
    }

    /// Returns the error of a load; `nil` if it succeeds.
    func failure(of request: ImageRequest) async -> TintypeError? {
        do throws(TintypeError) {
            _ = try await pipeline.response(for: request)
            return nil
        } catch {
            return error
        }
    }

    /// Expects the bytes of a request to be a text.
    func expect(
        _ text: String, from request: ImageRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let loaded = try await load(request)
        #expect(loaded == text, sourceLocation: sourceLocation)
    }

    func expect(
        _ text: String, from path: String = "/a", adding fields: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expect(text, from: request(path, adding: fields), sourceLocation: sourceLocation)
    }
}

extension OriginResponse {
    /// A response with a text and header fields.
    static func text(_ text: String, _ fields: [(name: String, value: String)] = []) -> OriginResponse {
        OriginResponse.image(Data(text.utf8), type: "image/png").setting(
            \.headers, to: [("Content-Type", "image/png")] + fields)
    }
}

/// Decodes any bytes as one pixel whose red is the first byte.
struct FirstByteDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = []
    private let info = ImageInfo(format: .png, size: PixelSize(width: 1, height: 1))

    func info(of bytes: Data, isComplete: Bool) -> ImageInfo? { info }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let pixel = Pixel(red: bytes.first ?? 0, green: 0, blue: 0)
        return Image(pixels: try PixelBuffer.filled(pixel), info: info, scale: 1)
    }
}

/// A disk cache without a disk.
final class EntriesInMemory: DataCaching {
    private let entries = Shared<[CacheKey: CacheEntry]>([:])

    var count: Int { entries.withLock { $0.count } }

    /// Waits until there is no entry, or until the task is cancelled.
    func waitUntilEmpty() async { await entries.wait { $0.isEmpty } }

    /// Changes every entry.
    func change(_ body: (inout CacheEntry) -> Void) {
        entries.withLock { entries in
            for key in entries.keys {
                if var entry = entries[key] {
                    body(&entry)
                    entries[key] = entry
                }
            }
        }
    }

    func entry(for key: CacheKey) -> CacheEntry? { entries.withLock { $0[key] } }
    func store(_ entry: CacheEntry, for key: CacheKey) { entries.withLock { $0[key] = entry } }
    func remove(_ key: CacheKey) { entries.withLock { $0[key] = nil } }
    func contains(_ key: CacheKey) -> Bool { entries.withLock { $0[key] != nil } }
    func removeAll() async throws(TintypeError) { entries.withLock { $0 = [:] } }
    func flush() async throws(TintypeError) {}
}
