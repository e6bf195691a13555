public import Foundation

/// Loads pictures: from memory, from disk, or from where their bytes are, sharing every piece of work that several want.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: url)
/// ```
///
/// All calls may come from any thread, and none blocks it.
public final class ImagePipeline: Sendable {
    private let services: PipelineServices

    public init(_ configuration: PipelineConfiguration) {
        services = PipelineServices(configuration)
    }

    public var configuration: PipelineConfiguration { services.configuration }

    /// The sources that have failed for good, for now.
    public var failures: FailedSources { services.failures }

    /// The picture in memory; `nil` when it is not there. Looks nowhere else, allocates nothing, waits for nothing: made
    /// to be called for every row of a list while it scrolls.
    public func cachedImage(for request: ImageRequest) -> Image? {
        guard services.configuration.interceptors.isEmpty else {
            return services.cachedImage(for: services.intercepted(request))
        }
        return services.cachedImage(for: request)
    }

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
        let task = ImageTask(request: request)
        launch(task)
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Starts a load and returns the handle to it. A picture in memory makes a handle that has ended.
    public func start(_ request: ImageRequest) -> ImageTask {
        let task = ImageTask(request: services.intercepted(request))
        if let hit = memoryHit(task.request) {
            task.finish(.success(hit))
        } else {
            launch(task)
        }
        return task
    }

    /// Waits until everything that was to be stored is on disk.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when something could not be.
    public func flush() async throws(TintypeError) {
        await services.background.wait()
        try await services.configuration.disk?.flush()
    }

    /// Renditions that are being made now, each counted once however many wait for it.
    public var runningLoads: Int { services.renditions.count }

    /// Jobs of every stage that have not ended, for tests that want to see that nothing is left.
    var runningJobs: Int { services.renditions.count + services.decoded.count + services.bytes.count }

    private func memoryHit(_ request: ImageRequest) -> ImageResponse? {
        guard request.policy.data == .whenLoaded else { return nil }
        return services.cachedImage(for: request).map { ImageResponse(image: $0, origin: .memory) }
    }

    private func launch(_ task: ImageTask) {
        let load = ImageLoad(request: task.request, services: services)
        let receiver = JobReceiver<ImageResponse, LoadStatus>(
            onStatus: { task.update($0) },
            onEnd: { task.finish($0) })
        let priority = task.priority
        let subscription = services.renditions.attach(load.renditionKey, at: priority, receiver: receiver) {
            (job, report) throws(TintypeError) in
            try await load.run(job, report)
        }
        task.bind(subscription, at: priority)
    }
}
