public import Foundation

/// Loads images from memory, disk or their source. Equal work of several callers runs once.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: url)
/// ```
///
/// All members may be called from any thread. None blocks it, except those whose names begin with `blocking`.
public final class ImagePipeline: Sendable {
    let services: PipelineServices
    let running: RunningTasks

    /// Creates a pipeline. Nothing is started or opened before the first load.
    public init(_ configuration: PipelineConfiguration) {
        services = PipelineServices(configuration)
        running = RunningTasks(watch: services.watch)
    }

    /// The configuration that the pipeline was created with.
    public var configuration: PipelineConfiguration { services.configuration }

    /// The sources that have failed and are not tried again for a while.
    public var failureMemory: FailureMemory { services.failureMemory }

    /// Loads an image. Returns without suspending if it is in memory.
    ///
    /// - Throws: The error of the load; ``TintypeError/Code/cancelled`` at once when the calling task is cancelled.
    public nonisolated(nonsending) func image(for request: ImageRequest) async throws(TintypeError) -> Image {
        let request = services.intercepted(request)
        // Apart from a response, whose many fields would take as long as the lookup.
        if let image = memoryHit(request) { return image }
        return try await result(of: request).image
    }

    /// Loads the image at a URL. Returns without suspending if it is in memory.
    ///
    /// - Throws: The error of the load; ``TintypeError/Code/cancelled`` at once when the calling task is cancelled.
    public nonisolated(nonsending) func image(for url: URL) async throws(TintypeError) -> Image {
        try await image(for: ImageRequest(url: url))
    }

    /// Loads an image, and returns it with details of the load. Returns without suspending if the image is in memory.
    ///
    /// - Throws: The error of the load; ``TintypeError/Code/cancelled`` at once when the calling task is cancelled.
    public nonisolated(nonsending) func response(
        for request: ImageRequest
    ) async throws(TintypeError) -> ImageResponse {
        let request = services.intercepted(request)
        if let image = memoryHit(request) { return ImageResponse(image: image, origin: .memory) }
        return try await result(of: request)
    }

    /// Starts a load and returns a handle to it. The load has ended already if the image is in memory.
    public func start(_ request: ImageRequest) -> ImageTask {
        begin(services.intercepted(request))
    }

    /// Checks whether this pipeline may load a request, for a program that reads a file itself instead of loading it.
    ///
    /// - Throws: ``TintypeError/Code/forbidden`` or ``TintypeError/Code/refused``.
    package func checkAllowed(_ request: ImageRequest) throws(TintypeError) {
        try services.checkAllowed(services.intercepted(request))
    }

    /// Starts a load of a request that the interceptors have already rewritten.
    func begin(_ request: ImageRequest) -> ImageTask {
        if let image = memoryHit(request) { return ImageTask(request: request, image: image) }
        return launch(request)
    }

    /// The image in memory, if that ends the load of a request that the interceptors have already rewritten.
    package func memoryHit(_ request: ImageRequest) -> Image? {
        request.policy.endsInMemory ? services.cachedImage(for: request) : nil
    }

    /// Loads a request that the interceptors have already rewritten, and that memory cannot answer.
    private nonisolated(nonsending) func result(
        of request: ImageRequest
    ) async throws(TintypeError) -> ImageResponse {
        guard !Task.isCancelled else { throw .cancelled }
        let task = launch(request)
        return try await task.end.wait {
            task.cancel()
            return .failure(.cancelled)
        }.get()
    }

    /// Waits until everything that loads have stored is on disk: the entries of all caches, including those in
    /// ``RequestOverrides``, and the files of loaders, such as cookies and the bytes of interrupted transfers.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if something could not be written. The rest is written nevertheless.
    public func flush() async throws(TintypeError) {
        await services.background.wait()
        try await services.flush()
    }

    /// Starts the load of a request that the interceptors have already rewritten, and that memory cannot answer.
    ///
    /// - Parameter start: Where the load begins; `nil` asks the ``AsyncRequestInterceptor``s first, if there are any.
    func launch(_ request: ImageRequest, from start: JobStart? = nil) -> ImageTask {
        let task = ImageTask(
            request: request, in: running,
            keeper: request.policy.keepsPreviews ? PreviewKeeper(request, services) : nil)
        if request.policy.keepsPreviews || request.placeholderKey != nil { showPlaceholder(in: task) }
        let start = start ?? (services.configuration.asyncInterceptors.isEmpty ? .caches : .interceptors)
        let subscription = services.attach(request, from: start, at: request.priority, receiver: task)
        task.handle.bind(subscription, subscribedAt: request.priority)
        return task
    }
}

// MARK: - For toolkits

extension ImagePipeline {
    /// Tells the caches whether the program shows no image at the moment, for example because its window is hidden.
    /// They then keep only ``CacheLimits/hiddenShare`` of their memory.
    ///
    /// The views of GTK do so after five seconds (`VisibleViews`); other programs call it themselves, on any thread.
    public func setHidden(_ isHidden: Bool) {
        services.configuration.cache.setHidden(isHidden)
    }

    /// Returns the request after all request interceptors.
    package func intercepted(_ request: ImageRequest) -> ImageRequest { services.intercepted(request) }

    /// Returns the image in memory of a request that the interceptors have already rewritten, even if the load goes on.
    package func imageInMemory(of request: ImageRequest) -> Image? { services.cachedImage(for: request) }

    /// Starts the load of a request that the interceptors have already rewritten, and that memory cannot answer.
    package func startIntercepted(_ request: ImageRequest) -> ImageTask { launch(request) }

    /// Loads an image and calls back on the main actor: with progress and previews while it loads, and with
    /// ``ImageEvent/finished(_:)`` exactly once, last.
    ///
    /// If the image is in memory, the callback happens before this returns, so that a view shows it without a flash.
    /// After ``ImageTask/cancel()`` the only further event is the end, with ``TintypeError/Code/cancelled``.
    ///
    /// - Returns: The running load, or `nil` if the image was in memory.
    @MainActor @discardableResult
    public func load(
        _ request: ImageRequest, onEvent receive: @escaping @MainActor @Sendable (ImageEvent) -> Void
    ) -> ImageTask? {
        let task = start(request)
        if case .finished(let response) = task.status {
            receive(.finished(.success(response)))
            return nil
        }
        let events = task.events
        Task { @MainActor in
            for await event in events where !event.isStale(task) { receive(event) }
        }
        return task
    }
}

extension ImageEvent {
    /// Whether the load ended while the event waited for the main actor.
    fileprivate func isStale(_ task: ImageTask) -> Bool {
        switch (self, task.status) {
        case (.finished, _), (_, .running): false
        case (_, .finished), (_, .failed): true
        }
    }
}
