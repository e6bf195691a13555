import Foundation

/// The load of one rendition, from a memory miss to the image. ``run()`` is the whole path.
///
/// The stages are in files of their own, in the order of ``run()``: `ImageLoad+OtherSources` for requests that name
/// several sources, `+Revalidation` for those that ask the origin first, `+Caches`, `+Original`, `+File`, `+Decode`,
/// `+Transform` (larger decoded sizes as well) and `+Store`.
struct ImageLoad: Sendable {
    var request: ImageRequest
    let services: PipelineServices
    /// The job that this load runs in: its priority, and whether a caller still waits.
    let job: JobContext
    var reporter: JobReporter<LoadStatus>
    /// The original bytes, if they are known to be current: an earlier load has revalidated them.
    var currentBytes: LoadedBytes?

    /// Runs the stages in order. A stage that has the image ends the path.
    func run() async throws(TintypeError) -> ImageResponse {
        if let others = request.others { return try await loadFromSources(others) }
        do throws(TintypeError) {
            // A load without this guard may have stored the image in a cache.
            if let refusal = services.guards.refusal(of: request) { throw refusal }
            if mustRevalidate { return try await revalidate() }
            if let image = renditionInMemory { return try await deliver(memoryHit(image, request.key)) }
            // The original is not looked up here: its bytes have an entry of their own.
            if !request.key.isOriginal, let hit = try await lookUpDisk() { return try await deliver(hit) }
            if request.policy.caching.match == .larger, let image = try await resizeLargerImage() {
                return try await deliver(ImageResponse(image: image, origin: .memory))
            }
            let response =
                request.rendition.transforms.isEmpty
                ? try await decodeOriginal()  // from the disk, else from the loader
                : try await transform()  // another rendition, without the last transforms
            try await store(response)
            return try await deliver(response)
        } catch {
            throw error.about(request.source.displayName)
        }
    }

    /// Makes the decoded original, in the job that all loads which decode it in the same way share.
    func makeOriginal() async throws(TintypeError) -> ImageResponse {
        if let currentBytes { return try await decodeAndStore(currentBytes) }
        if let localFile { return try await decodeFile(localFile) }
        // From here on, this load can take the bytes of an equal load, even if that load ends first.
        let key = JobKey(bytesOf: request)
        services.handover.withLock { $0.enter(key) }
        defer { services.handover.withLock { $0.leave(key) } }
        if let stored = try await decodeStoredOriginal() { return stored }
        let bytes: LoadedBytes
        // The previews end before the image is decoded, which needs their memory.
        do {
            let previews = PreviewPump(self)
            defer { previews.stop() }
            bytes = try await loadBytes(previews: previews)
        }
        return try await decodeAndStore(bytes)
    }

    /// Adds the original bytes if the request asks for them, and touches the pixels if it wants them resident.
    private func deliver(_ response: ImageResponse) async throws(TintypeError) -> ImageResponse {
        let response = request.policy.delivery.data == .always ? try await addOriginalData(to: response) : response
        guard request.policy.preparation != .automatic else { return response }
        return try await watch.watch(.deliver, request.key) { _ throws(TintypeError) in
            try await prepare(response)
            return response
        }
    }
}

// MARK: - Other loads

extension ImageLoad {
    typealias Jobs = JobRunner<JobKey, ImageResponse, LoadStatus>

    /// Returns this load for a changed request.
    func replacing(_ change: (inout ImageRequest) -> Void) -> ImageLoad {
        var load = self
        change(&load.request)
        return load
    }
}

// MARK: - Keys and parts

extension ImageLoad {
    /// The key of the original with the request's decode options, before any transform.
    var decodedOriginalKey: CacheKey {
        request.rendition.transforms.isEmpty
            ? request.key
            : CacheKey(
                source: request.key.source, rendition: Rendition(decode: request.rendition.decode).identifier)
    }

    /// The cache for the rendition: the pipeline's, or the request's own.
    var cache: any ImageCaching { services.cache(for: request) }
    /// The cache for the original: the pipeline's, or the request's own.
    var originalCache: any ImageCaching { services.originalCache(for: request) }
    /// The observers of the pipeline, and those of the request.
    var watch: StageWatch { request.overrides == nil ? services.watch : services.watch.including(request) }
}

/// The key of a job. Two jobs are the same if they make the same image from the same bytes under the same policy.
struct JobKey: Hashable, Sendable {
    private let key: CacheKey
    private let start: JobStart
    private let policy: LoadPolicy
    private let overrides: RequestOverrides.Identity?
    private let extras: RequestExtras
    /// The other sources of the request, and what distinguishes its own source from others with the same key.
    private let sources: [String]
    /// The scale of the result in pixels per point, if the request has other sources: each has a scale of its own.
    private let scale: Double?
    /// When the bytes were received, if they are known to be current.
    private let received: Date?

    /// The key of the job that makes a rendition.
    ///
    /// - Parameter start: Where the job begins.
    init(rendition request: ImageRequest, from start: JobStart, bytes: LoadedBytes?) {
        var sources = request.others?.keyParts ?? []
        // The origin's rules may tell sources with one name apart.
        if request.policy.freshness == .http, request.identity != nil { sources.append(request.source.identity) }
        self.init(request.key, request.policy.forRendition, request, from: start, sources: sources, bytes: bytes)
    }

    /// The key of the job that decodes an original. It does not depend on what the request makes of the original.
    init(original key: CacheKey, of request: ImageRequest, bytes: LoadedBytes?) {
        var policy = request.policy.forBytes
        (policy.delivery.previews, policy.verification) = (
            request.policy.delivery.previews, request.policy.verification
        )
        self.init(key, policy, request, bytes: bytes)
    }

    /// The key of the original bytes, loaded under the policy of a request.
    init(bytesOf request: ImageRequest) {
        self.init(request.key.original, request.policy.forBytes, request)
    }

    private init(
        _ key: CacheKey, _ policy: LoadPolicy, _ request: ImageRequest, from start: JobStart = .caches,
        sources: [String] = [], bytes: LoadedBytes? = nil
    ) {
        self.key = key
        self.start = start
        self.policy = policy
        overrides = request.overrides?.identity
        extras = request.extras
        self.sources = sources
        scale = request.others == nil ? nil : request.rendition.decode.scale
        received = bytes?.received
    }

    /// Hashes the cache key alone: the rest seldom differs, and hashing it would cost every waiter.
    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}

/// Where the job of a rendition begins.
enum JobStart: Hashable, Sendable {
    /// With the ``AsyncRequestInterceptor``s.
    case interceptors
    /// With the ``AsyncRequestInterceptor``s, for an additional source of a request. They must not add further sources.
    case interceptorsOfOtherSource
    /// With the caches: the interceptors have decided, or there are none.
    case caches
}
