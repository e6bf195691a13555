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
    /// What is still being encoded for the disk.
    let background = BackgroundTasks(budget: 256 << 20)

    let failures: FailedSources

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
        failures = FailedSources(time: configuration.time)
        loader = ImageLoaderChain(configuration.loaders)
    }

    func intercepted(_ request: ImageRequest) -> ImageRequest {
        configuration.interceptors.reduce(request) { $1.intercept($0) }
    }

    /// The picture of a request in memory, where its policy lets memory answer.
    func cachedImage(for request: ImageRequest) -> Image? {
        guard request.policy.reads(request.policy.rendered.memory) else { return nil }
        return configuration.memory?.image(for: request.key)
    }
}

/// What makes two pieces of work the same: the same picture, got in the same way.
struct JobKey: Hashable, Sendable {
    let key: CacheKey
    let policy: LoadPolicy
}
