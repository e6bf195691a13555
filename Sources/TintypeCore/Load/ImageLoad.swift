import Foundation

/// The load of one rendition, from a memory miss to the image. ``run()`` is the whole path.
///
/// Each stage is a file: `ImageLoad+Caches`, `+Original`, `+Decode`, `+Transform`, `+Variants`, `+Store`;
/// `+Revalidation` handles requests that ask the origin first.
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
        if let low = request.lowDataRequest, services.configuration.savesData() { return try await loadSavingData(low) }
        if let low = request.lowResolutionRequest { return try await loadAfter(lowResolution: low) }
        guard request.alternatives.isEmpty else { return try await loadFirstAvailable() }
        do throws(TintypeError) {
            // A cache may have what an earlier load without this guard has stored.
            try services.guards.check(request)
            if mustRevalidate { return try await revalidate() }
            if let image = renditionInMemory { return try await deliver(memoryHit(image, request.key)) }
            // The original is not looked up here: its bytes have an entry of their own.
            if !request.key.isOriginal, let hit = try await lookUpDisk() { return try await deliver(hit) }
            if request.policy.variants == .larger, let image = try await resizeLargerVariant() {
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

    /// Adds the original bytes if the request asks for them, and touches the pixels if it wants them resident.
    private func deliver(_ response: ImageResponse) async throws(TintypeError) -> ImageResponse {
        let response = request.policy.data == .always ? try await addOriginalData(to: response) : response
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

    /// Joins or starts the job that makes another rendition, and waits for it. Its progress and previews are reported
    /// as those of this load.
    func join(_ request: ImageRequest) async throws(TintypeError) -> ImageResponse {
        try await services.renditions.value(
            JobKey(rendition: request, bytes: currentBytes), for: job, onStatus: reporter.report,
            work: services.renditionWork(request, bytes: currentBytes))
    }

    /// Returns this load for a changed request.
    func replacing(_ change: (inout ImageRequest) -> Void) -> ImageLoad {
        var load = self
        change(&load.request)
        return load
    }

    /// Tries the request's own source, then its alternatives. Each is a load of its own, which others may share.
    ///
    /// - Throws: The error of the first source, because that is the one that was requested.
    private func loadFirstAvailable() async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            return try await joinAtScale(request.with { $0.alternatives = [] })
        } catch {
            guard error.code != .cancelled else { throw error }
            for substitute in request.substitutes {
                if let response = try await joinIfLoadable(substitute) { return response }
            }
            throw error
        }
    }

    private func joinIfLoadable(_ substitute: ImageRequest) async throws(TintypeError) -> ImageResponse? {
        do throws(TintypeError) {
            return try await joinAtScale(substitute)
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    /// Joins the load of one of the sources. Each has a scale of its own, which an interceptor may have set.
    private func joinAtScale(_ source: ImageRequest) async throws(TintypeError) -> ImageResponse {
        guard let scale = source.rendition.decode.scale else { return try await join(source) }
        var load = self
        load.reporter = JobReporter { [reporter] in reporter($0.atScale(scale)) }
        return try await load.join(source).atScale(scale)
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
    /// The pipeline's loaders, or the request's own.
    var loader: any ImageLoader { services.loader(for: request) }
}

/// The key of a job. Two jobs are the same if they make the same image from the same bytes under the same policy.
struct JobKey: Hashable, Sendable {
    private let key: CacheKey
    private let isIntercepted: Bool
    private let policy: LoadPolicy
    private let overrides: RequestOverrides?
    private let extras: RequestExtras
    /// The sources that are tried when the first one fails; after empty ones, the keys of images with fewer pixels or bytes.
    private let alternatives: [String]
    /// The scale of the result in pixels per point, if it has alternatives: each of them has a scale of its own.
    private let scale: Double?
    /// When the bytes were received, if they are known to be current.
    private let received: Date?

    /// The key of the job that makes a rendition.
    ///
    /// - Parameter isIntercepted: Whether the job begins after the ``AsyncRequestInterceptor``s.
    init(rendition request: ImageRequest, bytes: LoadedBytes?, isIntercepted: Bool = true) {
        var sources = request.substitutes.map(\.key.source)
        if request.hasOtherSources {
            for low in [request.lowResolutionRequest, request.lowDataRequest] {
                sources += low.map { ["", $0.key.source, $0.key.rendition] } ?? [""]
            }
        }
        // The origin's rules may tell sources with one name apart.
        if request.policy.freshness == .http, request.identity != nil { sources.append(request.source.identity) }
        var policy = request.policy
        // Each subscriber of a job asks for the header on its own, and keeps previews on its own.
        (policy.header, policy.previewStorage) = (.withImage, .none)
        self.init(
            request.key, policy, request, alternatives: sources, bytes: bytes, isIntercepted: isIntercepted)
    }

    /// The key of the job that decodes an original. It does not depend on what the request makes of the original.
    init(original key: CacheKey, of request: ImageRequest, bytes: LoadedBytes?) {
        var policy = request.policy.forBytes
        policy.previews = request.policy.previews
        self.init(key, policy, request, bytes: bytes)
    }

    /// The key of the original bytes, loaded under the policy of a request.
    init(bytesOf request: ImageRequest) {
        self.init(request.key.original, request.policy.forBytes, request)
    }

    private init(
        _ key: CacheKey, _ policy: LoadPolicy, _ request: ImageRequest, alternatives: [String] = [],
        bytes: LoadedBytes? = nil, isIntercepted: Bool = true
    ) {
        self.key = key
        self.isIntercepted = isIntercepted
        self.policy = policy
        overrides = request.overrides
        extras = request.extras
        self.alternatives = alternatives
        scale = request.alternatives.isEmpty ? nil : request.rendition.decode.scale
        received = bytes?.received
    }

    /// Hashes the cache key alone: the rest seldom differs, and hashing it would cost every waiter.
    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}
