public import Foundation

/// Loads pictures: from memory, from disk, or from where their bytes are, sharing every piece of work that several want.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: url)
/// ```
///
/// All calls may come from any thread, and none blocks it but those that say so in their names.
public final class ImagePipeline: Sendable {
    let services: PipelineServices
    let running: RunningTasks

    public init(_ configuration: PipelineConfiguration) {
        services = PipelineServices(configuration)
        running = RunningTasks(watch: services.watch)
    }

    /// What it was made with.
    public var configuration: PipelineConfiguration { services.configuration }

    /// The sources that have failed for good, for now.
    public var failures: FailedSources { services.failures }

    /// The picture. When it is in memory this returns without suspending.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` at once when the calling task is cancelled.
    public nonisolated(nonsending) func image(for request: ImageRequest) async throws(TintypeError) -> Image {
        try await response(for: request).image
    }

    public nonisolated(nonsending) func image(for url: URL) async throws(TintypeError) -> Image {
        try await image(for: ImageRequest(url: url))
    }

    /// The picture with what is known of how it was got. When it is in memory this returns without suspending.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` at once when the calling task is cancelled.
    public nonisolated(nonsending) func response(
        for request: ImageRequest
    ) async throws(TintypeError) -> ImageResponse {
        let request = services.intercepted(request)
        if let hit = memoryHit(request) { return hit }
        guard !Task.isCancelled else { throw .cancelled }
        let task = launch(request)
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Starts a load and returns the handle to it. A picture in memory makes a handle that has ended.
    public func start(_ request: ImageRequest) -> ImageTask {
        begin(services.intercepted(request))
    }

    /// Starts a load of a request that the interceptors have seen already.
    func begin(_ request: ImageRequest) -> ImageTask {
        guard let hit = memoryHit(request) else { return launch(request) }
        let task = ImageTask(request: request)
        task.finish(.success(hit))
        return task
    }

    /// Waits until everything that was to be stored is on disk.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when something could not be.
    public func flush() async throws(TintypeError) {
        await services.background.wait()
        try await services.configuration.cache.flush()
    }

    /// What memory has, where that ends the load.
    func memoryHit(_ request: ImageRequest) -> ImageResponse? {
        guard request.policy.data == .whenLoaded, request.policy.freshness.takesWhatIsCached else { return nil }
        return services.cachedImage(for: request).map { ImageResponse(image: $0, origin: .memory) }
    }

    private func launch(_ request: ImageRequest) -> ImageTask {
        let task = ImageTask(request: request, in: running)
        let load = ImageLoad(request: request, services: services)
        let receiver = JobReceiver<ImageResponse, LoadStatus>(
            onStatus: { task.update($0) },
            onEnd: { task.finish($0) })
        let subscription = services.renditions.attach(load.renditionKey, at: request.priority, receiver: receiver) {
            { (job, report) throws(TintypeError) in try await load.run(job, report) }
        }
        task.bind(subscription, at: request.priority)
        return task
    }
}
