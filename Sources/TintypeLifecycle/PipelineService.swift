#if ServiceLifecycle
public import ServiceLifecycle
public import TintypeCore

/// Shuts a pipeline down gracefully, as a service of a `ServiceGroup` (swift-service-lifecycle).
///
/// When the group shuts down, the service cancels the prefetchers, waits for the loads that run, and then for
/// everything that they have stored to be on disk, including cookies and interrupted transfers. When the group cancels
/// its services, as it does after `maximumGracefulShutdownDuration`, the remaining loads end with
/// `TintypeError.Code.cancelled`; what has been stored is still written.
///
/// A group stops its services in reverse order, so list the pipeline before the services that use it:
///
/// ```swift
/// let images = PipelineService(pipeline, prefetchers: [prefetcher])
/// let group = ServiceGroup(services: [images, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
public struct PipelineService: Service {
    private let pipeline: ImagePipeline
    private let prefetchers: [ImagePrefetcher]

    /// Creates the service of a pipeline and its prefetchers.
    public init(_ pipeline: ImagePipeline, prefetchers: [ImagePrefetcher] = []) {
        (self.pipeline, self.prefetchers) = (pipeline, prefetchers)
    }

    /// Waits for the shutdown or the cancellation of the group, and performs it. The pipeline can still be used after
    /// that, but what it stores then may not reach the disk.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if something could not be written.
    public func run() async throws {
        // Both ends of the wait lead to the same steps.
        try? await gracefulShutdown()
        for prefetcher in prefetchers { prefetcher.cancelAll() }
        await waitForLoads()
        // A task of its own, which is not cancelled: what was stored is written in any case.
        try await Task { [pipeline] in try await pipeline.flush() }.value
    }

    /// Waits for the loads that run now. Those of a paused pipeline would wait forever, so they are cancelled.
    private func waitForLoads() async {
        if pipeline.isPaused { pipeline.cancelAll() }
        await withTaskCancellationHandler {
            for task in pipeline.runningTasks { _ = try? await task.response }
        } onCancel: {
            pipeline.cancelAll()
        }
    }
}
#endif
