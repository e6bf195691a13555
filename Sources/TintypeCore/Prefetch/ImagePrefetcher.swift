public import Foundation

/// Loads pictures before anyone asks for them: a few at a time, and after everything that someone waits for.
///
/// A request for one of them that comes meanwhile shares the work, and raises its priority. All calls may come from any
/// thread, take effect in their order, and block no one.
public final class ImagePrefetcher: Sendable {
    /// Where its pictures go.
    public let pipeline: ImagePipeline
    /// For all batches.
    public let settings: PrefetchSettings

    /// Called on some thread for each picture that has ended: with its source, and its error if it was skipped.
    public typealias Report = @Sendable (ImageSource, TintypeError?) -> Void

    private struct Running: Sendable {
        let batch: PrefetchBatch
        let report: Report?
    }

    private struct State: Sendable {
        var table: PrefetchTable
        var batches: [Int: Running] = [:]
        /// The load of each picture that has begun, with its source as it was given.
        var loads: [PrefetchTable.Item: (source: String, task: ImageTask)] = [:]
    }

    private let state: Locked<State>

    public init(_ pipeline: ImagePipeline, settings: PrefetchSettings = PrefetchSettings()) {
        self.pipeline = pipeline
        self.settings = settings
        state = Locked(State(table: PrefetchTable(concurrency: settings.concurrency)))
    }

    /// Loads the pictures of these URLs, in their order.
    ///
    /// The list costs no memory beyond its own: requests are made when their turn comes.
    ///
    /// - Parameters:
    ///   - request: what is asked of each, but for its source; by default nothing special.
    ///   - report: not called for pictures whose batch was cancelled.
    @discardableResult
    public func prefetch(_ urls: [URL], as request: ImageRequest? = nil, report: Report? = nil) -> PrefetchBatch {
        add(.urls(urls, as: request), report)
    }

    @discardableResult
    public func prefetch(_ requests: [ImageRequest], report: Report? = nil) -> PrefetchBatch {
        add(.requests(requests), report)
    }

    /// Whether no more pictures are begun. Those that have begun go on.
    public var isPaused: Bool {
        get { state.withLock { $0.table.isPaused } }
        set {
            state.withLock { $0.table.setPaused(newValue) }
            startWorkers()
        }
    }

    /// Gives one picture up, in every batch. Costs O(batches + pictures under way).
    public func cancel(_ source: ImageSource) {
        let identity = source.identity
        let tasks = state.withLock { state in
            state.table.cancel(source: identity)
            return state.loads.values.filter { $0.source == identity }.map(\.task)
        }
        for task in tasks { task.cancel() }
    }

    /// Ends every batch. What views wait for as well goes on for them.
    public func cancelAll() {
        // All at once, so that no worker that one batch leaves begins with the next.
        let (ended, tasks) = state.withLock { state in
            let ended = state.table.cancelAll().map { (state.batches.removeValue(forKey: $0), $1) }
            return (ended, state.loads.values.map(\.task))
        }
        for task in tasks { task.cancel() }
        for (running, progress) in ended { running?.batch.update(progress) }
    }

    private func add(_ items: PrefetchItems, _ report: Report?) -> PrefetchBatch {
        let token = state.withLock { state in
            let number = state.table.add(items)
            let token = PrefetchBatch(total: items.count) { [weak self] in
                if let number { self?.cancel(number) }
            }
            if let number { state.batches[number] = Running(batch: token, report: report) }
            return token
        }
        startWorkers()
        return token
    }

    private func cancel(_ number: Int) {
        let (running, progress, tasks) = state.withLock { state in
            let progress = state.table.cancel(number)
            let tasks = state.loads.filter { $0.key.batch == number }.map(\.value.task)
            return (state.batches.removeValue(forKey: number), progress, tasks)
        }
        for task in tasks { task.cancel() }
        if let progress { running?.batch.update(progress) }
    }
}

// MARK: - The work

extension ImagePrefetcher {
    private func startWorkers() {
        for _ in 0..<state.withLock({ $0.table.workersToStart() }) {
            Task.detached(priority: .utility) { await self.work() }
        }
    }

    private func work() async {
        while let (item, request) = state.withLock({ $0.table.next() }) {
            do throws(TintypeError) {
                try await load(item, request)
                end(item, request.source, nil)
            } catch {
                end(item, request.source, error)
            }
        }
    }

    /// Brings one picture where it should be.
    private func load(_ item: PrefetchTable.Item, _ request: ImageRequest) async throws(TintypeError) {
        let source = request.source.identity
        guard !isCancelled(item, source) else { throw .cancelled }
        let request = pipeline.services.intercepted(request)
        if await isOnDisk(request) { return }
        let task = pipeline.begin(settings.request(for: request))
        state.withLock { $0.loads[item] = (source, task) }
        // It may have been cancelled before there was a task to cancel.
        if isCancelled(item, source) { task.cancel() }
        _ = try await task.response
    }

    private func isCancelled(_ item: PrefetchTable.Item, _ source: String) -> Bool {
        state.withLock { $0.table.isCancelled(item, source) }
    }

    /// Whether an original that is wanted on disk alone is there, which a read tells without decoding it.
    private func isOnDisk(_ request: ImageRequest) async -> Bool {
        guard settings.destination == .disk, request.key.isOriginal, request.policy.freshness == .cached
        else { return false }
        return await pipeline.storedData(for: request) != nil
    }

    private func end(_ item: PrefetchTable.Item, _ source: ImageSource, _ error: TintypeError?) {
        let running = state.withLock { state in
            state.loads[item] = nil
            return state.batches[item.batch]
        }
        // Told before it is counted: who waits for the batch has heard of every picture by then.
        running?.report?(source, error)
        let progress = state.withLock { state in
            let progress = state.table.end(item, succeeded: error == nil)
            if progress?.isComplete == true { state.batches[item.batch] = nil }
            return progress
        }
        if let running, let progress { running.batch.update(progress) }
    }
}
