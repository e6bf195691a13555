import Foundation
import Logging

/// What a load works with: the configuration, and the tables of shared work of one pipeline.
final class PipelineServices: Sendable {
    let configuration: PipelineConfiguration
    let loader: ImageLoaderChain
    /// Finished pictures in the making.
    let renditions = SharedJobs<JobKey, ImageResponse, LoadStatus>()
    /// Decoded originals in the making.
    let decoded = SharedJobs<JobKey, ImageResponse, LoadStatus>()
    /// Original bytes under way.
    let bytes = SharedJobs<JobKey, LoadedBytes, ReceivedBytes>()
    /// Original bytes on their way from a transfer to the disk.
    let inHand = Locked(BytesInHand())
    /// What is still being encoded for the disk.
    let background = BackgroundTasks(budget: 256 << 20)
    /// Pictures that are asked for again behind the one who got a stale one: no more than so many at once.
    let refreshes = BackgroundTasks(budget: 64)
    /// Pictures of memory by what they were made of.
    let variants = Locked(VariantTable())

    let failures: FailedSources
    let watch: StageWatch

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
        failures = FailedSources(
            configuration.failureMemory, time: configuration.time,
            name: { configuration.intercepted($0).key.source })
        loader = ImageLoaderChain(configuration.loaders)
        let log: [any PipelineObserver] =
            configuration.logger.logLevel <= .debug ? [PipelineLog(logger: configuration.logger)] : []
        watch = StageWatch(configuration.observers + log, time: configuration.time)
    }

    /// The request as the interceptors leave it, and each of its alternatives as if it had been asked for alone.
    func intercepted(_ request: ImageRequest) -> ImageRequest {
        var intercepted = configuration.intercepted(request)
        guard !intercepted.alternatives.isEmpty else { return intercepted }
        intercepted.substitutes = intercepted.alternatives.map { source in
            configuration.intercepted(
                request.with {
                    $0.source = source
                    $0.alternatives = []
                })
        }
        return intercepted
    }

    /// The picture of a request in memory, where its policy lets memory answer.
    func cachedImage(for request: ImageRequest) -> Image? {
        guard request.policy.reads(request.policy.rendered.memory) else { return nil }
        // Asked in place: what is copied on this way is a good part of what a hit costs.
        let image =
            request.overrides?.cache.map { $0.image(for: request.key) } ?? configuration.cache.image(for: request.key)
        watch.tell(.lookedUp(request.key, in: .memory, found: image != nil))
        guard let scale = request.rendition.decode.scale else { return image }
        return image?.atScale(scale)
    }

    /// Where the rendition of a request is kept.
    func cache(for request: ImageRequest) -> any ImageCaching {
        request.overrides?.cache ?? configuration.cache
    }

    /// Where the original of a request is kept.
    func originalCache(for request: ImageRequest) -> any ImageCaching {
        request.overrides?.originalCache ?? cache(for: request)
    }

    func serializer(for request: ImageRequest) -> CacheSerializer? {
        request.overrides?.serializer ?? configuration.serializer
    }

    func loader(for request: ImageRequest) -> any ImageLoader {
        request.overrides?.loader ?? loader
    }
}

/// What makes two pieces of work the same: the same picture, made of the same bytes, got in the same way.
struct JobKey: Hashable, Sendable {
    let key: CacheKey
    let policy: LoadPolicy
    let overrides: RequestOverrides?
    let extras: RequestExtras
    /// The sources that are tried when the first fails.
    let alternatives: [String]
    /// The pixels a point that the result is given.
    let scale: Double?
    /// When the bytes were received, where it is known that they are the current ones.
    let received: Date?

    /// The key alone: what differs under one key is little, and hashing it all would cost every waiter.
    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }

    init(
        _ key: CacheKey, _ policy: LoadPolicy, of request: ImageRequest, alternatives: [String] = [],
        scale: Double? = nil, received: Date? = nil
    ) {
        self.key = key
        self.policy = policy
        overrides = request.overrides
        extras = request.extras
        self.alternatives = alternatives
        self.scale = scale
        self.received = received
    }
}
