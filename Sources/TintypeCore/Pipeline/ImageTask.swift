/// One running load: the handle to follow it, to change its priority, and to give it up.
///
/// Letting go of the handle does not stop the load.
public final class ImageTask: Sendable {
    /// What is loaded, as the pipeline understood it.
    public let request: ImageRequest

    private struct State: Sendable {
        var events = ImageTaskState()
        var priority: ImagePriority
        var subscription: JobSubscription?
        var entry: RunningTasks.Entry?
    }

    private let state: Locked<State>
    private let running: RunningTasks?

    /// - Parameter running: where it is listed until it ends; `nil` for one that has ended when it is made.
    init(request: ImageRequest, in running: RunningTasks? = nil) {
        self.request = request
        self.running = running
        state = Locked(State(priority: request.priority))
        if let running { enter(running) }
    }

    /// Once it is listed it may be cancelled, and so have ended before its place in the list is noted.
    private func enter(_ running: RunningTasks) {
        let entry = running.add(self)
        let end = state.withLock { state in
            state.entry = entry
            return state.events.end
        }
        if let end { running.end(entry, request, end) }
    }

    /// How a load stands.
    public enum Status: Sendable {
        case running(LoadProgress)
        case finished(ImageResponse)
        case failed(TintypeError)
    }

    public var status: Status {
        state.withLock { state in
            switch state.events.end {
            case nil: .running(state.events.status.progress)
            case .success(let response): .finished(response)
            case .failure(let error): .failed(error)
            }
        }
    }

    /// How soon the picture is wanted. Takes effect at once, wherever the load stands in a line.
    public var priority: ImagePriority {
        get { state.withLock { $0.priority } }
        set {
            state.withLock { $0.priority = newValue }
            tellPriority()
        }
    }

    private func tellPriority(alreadyTold: ImagePriority? = nil) {
        ImagePriority.pass(alreadyTold: alreadyTold) {
            state.withLock { state in state.subscription.map { (state.priority, $0) } }
        } to: {
            $0.follow($1)
        }
    }

    /// Gives the load up: it ends at once with ``TintypeError/Code/cancelled``, unless it has ended before. Work that
    /// no one else waits for is stopped.
    public func cancel() {
        finish(.failure(.cancelled))
        let subscription = state.withLock { $0.subscription }
        subscription?.cancel()
    }
}

// MARK: - From the pipeline

extension ImageTask {
    /// Ties the task to the shared job that it waits for.
    ///
    /// - Parameter priority: the one it was subscribed at.
    func bind(_ subscription: JobSubscription, at priority: ImagePriority) {
        let isOver = state.withLock { state in
            let isOver = state.events.end != nil
            if !isOver { state.subscription = subscription }
            return isOver
        }
        // Either may have happened before there was a subscription to tell.
        if isOver { subscription.cancel() } else { tellPriority(alreadyTold: priority) }
    }

    func update(_ status: LoadStatus) {
        let told = state.withLock { $0.events.update(status) }
        for (listener, event) in told { listener.resume(returning: event) }
    }

    func finish(_ result: Result<ImageResponse, TintypeError>) {
        let (told, entry) = state.withLock { ($0.events.finish(result), $0.entry) }
        guard let (waiters, listeners) = told else { return }
        if let entry { running?.end(entry, request, result) }
        for waiter in waiters { waiter.resume(returning: result) }
        for (listener, event) in listeners { listener.resume(returning: event) }
    }
}

// MARK: - Waiting for the end

extension ImageTask {
    /// The picture, once it is there; any number may wait.
    ///
    /// When the waiting Swift task is cancelled, its wait ends at once with ``TintypeError/Code/cancelled``; the load
    /// goes on until ``cancel()``.
    public var response: ImageResponse {
        get async throws(TintypeError) {
            try await result.get()
        }
    }

    var result: ImageTaskState.End {
        get async {
            let number = state.withLock { $0.events.nextNumber() }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in addWaiter(waiter, number) }
            } onCancel: {
                state.withLock { $0.events.removeWaiter(number) }?.resume(returning: .failure(.cancelled))
            }
        }
    }

    private func addWaiter(_ waiter: ImageTaskState.Waiter, _ number: Int) {
        if let end = state.withLock({ $0.events.addWaiter(waiter, number: number) }) {
            waiter.resume(returning: end)
        } else if Task.isCancelled {
            // The handler may have run before there was a waiter to release.
            state.withLock { $0.events.removeWaiter(number) }?.resume(returning: .failure(.cancelled))
        }
    }
}

// MARK: - Following the events

extension ImageTask {
    /// What happens to the load from now on, beginning with how it stands; each use is a subscription of its own, made
    /// before this returns. It always ends with ``ImageEvent/finished(_:)``, unless the listening task is cancelled.
    public var events: ImageEvents {
        ImageEvents(task: self, number: state.withLock { $0.events.openStream() })
    }

    func nextEvent(of stream: Int) async -> ImageEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { listener in
                let told = state.withLock { $0.events.listen(listener, to: stream) }
                if let (listener, event) = told { listener.resume(returning: event) }
            }
        } onCancel: {
            closeStream(stream)
        }
    }

    func closeStream(_ number: Int) {
        state.withLock { $0.events.closeStream(number) }?.resume(returning: nil)
    }
}
