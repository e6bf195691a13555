/// A running load: a handle to follow it, to change its priority and to cancel it.
///
/// Releasing the handle does not stop the load. All members may be called from any thread.
public final class ImageTask: Sendable {
    /// The request after all request interceptors.
    public let request: ImageRequest

    private struct State: Sendable {
        var events = ImageTaskState()
        var entry: RunningTasks.Entry?
    }

    private let state = Locked(State())
    let handle: JobHandle
    /// Fulfilled at the end.
    let end = Promise<ImageTaskState.End>()
    private let running: RunningTasks?
    private let keeper: PreviewKeeper?

    /// Creates a task for a load that begins now.
    ///
    /// - Parameters:
    ///   - running: The list of running loads, which contains the task until it ends.
    ///   - keeper: Keeps the previews for the next request.
    init(request: ImageRequest, in running: RunningTasks? = nil, keeper: PreviewKeeper? = nil) {
        self.request = request
        self.running = running
        self.keeper = keeper
        handle = JobHandle(priority: request.priority)
        if request.policy.delivery.header == .early { state.withLock { $0.events.deliversInfo = true } }
        guard let running else { return }
        let entry = running.add(self)
        let end = state.withLock { state in
            state.entry = entry
            return state.events.end
        }
        // A listed task may be cancelled before its entry in the list is stored here.
        if let end { running.end(entry, request, end) }
    }

    /// Creates a task that has ended with an image in memory, as the request delivers it.
    init(request: ImageRequest, image: Image) {
        self.request = request
        (running, keeper) = (nil, nil)
        handle = JobHandle(priority: request.priority)
        let result = ImageTaskState.End.success(ImageResponse(image: image, origin: .memory))
        _ = state.withLock { $0.events.finish(result) }
        end.fulfill(result)
    }

    /// The state of a load.
    public enum Status: Sendable {
        /// The load is running, and this much has arrived.
        case running(LoadProgress)
        /// The load has succeeded.
        case finished(ImageResponse)
        /// The load has failed or was cancelled.
        case failed(TintypeError)
    }

    /// The current state of the load.
    public var status: Status {
        state.withLock { state in
            switch state.events.end {
            case nil: .running(state.events.status.progress)
            case .success(let response): .finished(response)
            case .failure(let error): .failed(error)
            }
        }
    }

    /// How much has arrived, also after the end of the load.
    package var progress: LoadProgress { state.withLock { $0.events.status.progress } }

    /// The newest preview of the running load.
    package var preview: ImageResponse? { state.withLock { $0.events.status.preview } }

    /// The priority of the load. A change takes effect at once, wherever the load waits in a queue.
    public var priority: ImagePriority {
        get { handle.priority }
        set { handle.setPriority(newValue) }
    }

    /// Cancels the load: it ends at once with ``TintypeError/Code/cancelled``, unless it has already ended. Work that
    /// no other caller waits for is stopped.
    public func cancel() {
        finish(.failure(.cancelled))
        handle.cancel()
    }

    // MARK: Waiting for the result

    /// The response, when the load has ended. Any number of tasks may wait.
    ///
    /// Throws the error of the load. If the waiting Swift task is cancelled, throws ``TintypeError/Code/cancelled`` at
    /// once, and the load itself continues: call ``cancel()`` to stop it.
    public var response: ImageResponse {
        get async throws(TintypeError) {
            try await end.wait { .failure(.cancelled) }.get()
        }
    }

    // MARK: Following the events

    /// The events of the load from now on, beginning with its current state.
    ///
    /// Each access creates a separate subscription before it returns. The sequence always ends with
    /// ``ImageEvent/finished(_:)``, unless the listening task is cancelled.
    public var events: some AsyncSequence<ImageEvent, Never> & Sendable {
        ImageEvents(task: self, number: state.withLock { $0.events.openStream() })
    }

    func nextEvent(of stream: Int) async -> ImageEvent? {
        if Task.isCancelled { closeStream(stream) }
        let listener = ImageTaskState.Listener()
        deliver(state.withLock { $0.events.listen(listener, to: stream) })
        return await listener.wait {
            closeStream(stream)
            return .some(nil)
        }
    }

    /// Ends a subscription. Its waiting listener gets `nil`.
    func closeStream(_ number: Int) {
        deliver(state.withLock { $0.events.closeStream(number) })
    }

    private func deliver(_ deliveries: [ImageTaskState.Delivery]) {
        for delivery in deliveries { delivery.listener.fulfill(delivery.event) }
    }
}

// MARK: - From the pipeline

extension ImageTask: JobReceiver {
    /// Shows an image before the previews of the load.
    func show(_ placeholder: ImageResponse) {
        deliver(state.withLock { $0.events.show(placeholder) })
    }

    /// The scale to set on the images of the job. Jobs do not depend on the scale, so that requests with different
    /// scales share them. `nil` for a request with additional sources, whose jobs set the scale of the source that was
    /// loaded.
    private var scale: Double? { request.others == nil ? request.rendition.decode.scale : nil }

    /// Takes a snapshot from the job, which other tasks may share. Has no effect after the end.
    package func update(_ status: LoadStatus) {
        keeper?.store(status.preview)
        let scaled = status.atScale(scale)
        deliver(state.withLock { $0.events.update(scaled) })
        if request.policy.delivery.header == .early { status.headerReader?.readHeader() }
    }

    /// Ends the task with the result of the job, which other tasks may share. Only the first end counts.
    package func finish(_ shared: Result<ImageResponse, TintypeError>) {
        keeper?.end(shared)
        let result = shared.map { $0.atScale(scale).modified(by: request.resultModifier) }
        let (deliveries, entry) = state.withLock { ($0.events.finish(result), $0.entry) }
        guard let deliveries else { return }
        if let entry { running?.end(entry, request, result) }
        end.fulfill(result)
        deliver(deliveries)
    }
}
