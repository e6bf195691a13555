public import Foundation

/// Loads images before they are requested, a few at a time and at a low priority.
///
/// A request for an image that is being prefetched shares the work and raises its priority. All methods may be called
/// from any thread, take effect in the order of the calls, and do not block.
public final class ImagePrefetcher: Sendable {
    /// The pipeline that loads and caches the images.
    public let pipeline: ImagePipeline
    /// The settings of all batches.
    package let settings: PrefetchSettings

    package typealias Report = @Sendable (ImageSource, TintypeError?) -> Void

    private struct RunningBatch: Sendable {
        let batch: PrefetchBatch
        let report: Report?
    }

    private struct State: Sendable {
        var table: PrefetchTable
        var batches: [Int: RunningBatch] = [:]
        /// The load of each image that has begun, with the identity of its source before any interceptor.
        var loads: [PrefetchTable.Item: (source: String, task: ImageTask)] = [:]
    }

    private let state: Locked<State>

    /// Creates a prefetcher that loads images through a pipeline.
    public init(_ pipeline: ImagePipeline, settings: PrefetchSettings = PrefetchSettings()) {
        self.pipeline = pipeline
        self.settings = settings
        state = Locked(State(table: PrefetchTable(concurrency: settings.concurrency)))
    }

    /// Loads the images of URLs, in their order.
    ///
    /// The list costs no memory beyond the array: each request is created when its image is loaded.
    ///
    /// - Parameters:
    ///   - urls: The URLs.
    ///   - request: A template whose settings apply to each URL; its source is ignored.
    ///   - report: Called on any thread when the load of an image has ended, with the error if the image was skipped.
    ///     Not called for images of a cancelled batch.
    /// - Returns: A token for the batch.
    @discardableResult
    public func prefetch(
        _ urls: [URL], as request: ImageRequest? = nil,
        report: (@Sendable (_ source: ImageSource, _ error: TintypeError?) -> Void)? = nil
    ) -> PrefetchBatch {
        add(.urls(urls, as: request), report)
    }

    /// Loads the images of requests, in their order.
    ///
    /// - Parameters:
    ///   - requests: The requests. The priority and the destination of the `settings` replace theirs.
    ///   - report: Called on any thread when the load of an image has ended, with the error if the image was skipped.
    ///     Not called for images of a cancelled batch.
    /// - Returns: A token for the batch.
    @discardableResult
    public func prefetch(
        _ requests: [ImageRequest],
        report: (@Sendable (_ source: ImageSource, _ error: TintypeError?) -> Void)? = nil
    ) -> PrefetchBatch {
        add(.requests(requests), report)
    }

    /// Whether the prefetcher is paused: no further loads are started, but running loads continue.
    public var isPaused: Bool {
        get { state.withLock { $0.table.isPaused } }
        set {
            state.withLock { $0.table.setPaused(newValue) }
            startWorkers()
        }
    }

    /// Cancels an image in every batch.
    ///
    /// - Complexity: O(batches + running loads).
    public func cancel(_ source: ImageSource) {
        let identity = source.identity
        let tasks = state.withLock { state in
            state.table.cancel(source: identity)
            return state.loads.values.filter { $0.source == identity }.map(\.task)
        }
        for task in tasks { task.cancel() }
    }

    /// Cancels every batch. Images that other requests wait for are still loaded for those.
    public func cancelAll() { cancel { $0.cancelAll() } }

    /// Cancels batches of this prefetcher.
    func cancel(_ batches: [PrefetchBatch]) {
        cancel { table in
            Set(batches.compactMap(\.number)).reduce(into: [:]) { $0[$1] = table.cancel($1) }
        }
    }

    /// Cancels batches. Under one lock, so that no worker of a cancelled batch begins with the next one.
    ///
    /// - Parameter change: Cancels them in the table, and returns the final progress of each.
    private func cancel(_ change: (inout PrefetchTable) -> [Int: PrefetchProgress]) {
        let (ended, tasks) = state.withLock { state in
            let progress = change(&state.table)
            let ended = progress.map { (state.batches.removeValue(forKey: $0), $1) }
            return (ended, state.loads.filter { progress[$0.key.batch] != nil }.map(\.value.task))
        }
        for task in tasks { task.cancel() }
        for (running, progress) in ended { running?.batch.update(progress) }
    }

    private func add(_ items: PrefetchItems, _ report: Report?) -> PrefetchBatch {
        let token = state.withLock { state in
            let number = state.table.add(items)
            let token = PrefetchBatch(number, total: items.count, of: self)
            if let number { state.batches[number] = RunningBatch(batch: token, report: report) }
            return token
        }
        startWorkers()
        return token
    }
}

// MARK: - Workers

extension ImagePrefetcher {
    private func startWorkers() {
        for _ in 0..<state.withLock({ $0.table.workersToStart() }) {
            Task.detached(priority: .utility) { await self.work() }
        }
    }

    private func work() async {
        while let (item, request) = state.withLock({ $0.table.nextItem() }) {
            do throws(TintypeError) {
                try await load(item, request)
                end(item, request.source, nil)
            } catch {
                end(item, request.source, error)
            }
        }
    }

    /// Loads one image into the caches.
    private func load(_ item: PrefetchTable.Item, _ request: ImageRequest) async throws(TintypeError) {
        let source = request.source.identity
        guard !isCancelled(item, source) else { throw .cancelled }
        let request = pipeline.services.intercepted(request)
        if await isOnDisk(request) { return }
        let task = pipeline.begin(settings.request(for: request))
        state.withLock { $0.loads[item] = (source, task) }
        // The image may have been cancelled before its task was registered.
        if isCancelled(item, source) { task.cancel() }
        _ = try await task.response
    }

    private func isCancelled(_ item: PrefetchTable.Item, _ source: String) -> Bool {
        state.withLock { $0.table.isCancelled(item, source) }
    }

    /// Returns whether only the disk is the destination and the original is already there. Nothing is decoded.
    private func isOnDisk(_ request: ImageRequest) async -> Bool {
        guard settings.destination == .disk, request.key.isOriginal, request.policy.freshness == .cached
        else { return false }
        return await pipeline.cachedData(forIntercepted: request) != nil
    }

    private func end(_ item: PrefetchTable.Item, _ source: ImageSource, _ error: TintypeError?) {
        let running = state.withLock { state in
            state.loads[item] = nil
            return state.batches[item.batch]
        }
        // The report precedes the count, so that a caller that awaits the batch has received every report.
        running?.report?(source, error)
        let progress = state.withLock { state in
            let progress = state.table.end(item, succeeded: error == nil)
            if progress?.isComplete == true { state.batches[item.batch] = nil }
            return progress
        }
        if let running, let progress { running.batch.update(progress) }
    }
}

// MARK: - Settings

/// The settings of an ``ImagePrefetcher``.
public struct PrefetchSettings: Sendable {
    /// Where images are stored.
    public enum Destination: Hashable, Sendable {
        /// On disk only. Pixels are not stored. An original is decoded to a small size, to verify that it is an image.
        case disk
        /// In memory, ready to show, and on disk.
        case memory
    }

    /// Where images are stored.
    public var destination: Destination
    /// The maximum number of concurrent loads, at least 1.
    public var concurrency: Int
    /// The priority of images that no other request waits for.
    public var priority: ImagePriority

    /// Creates settings; by default three concurrent loads into memory, at the lowest priority.
    public init(destination: Destination = .memory, concurrency: Int = 3, priority: ImagePriority = .veryLow) {
        self.destination = destination
        self.concurrency = concurrency
        self.priority = priority
    }
}

extension PrefetchSettings {
    /// Returns a request with the priority and the cache policy of these settings, which also apply to its other
    /// sources.
    func request(for request: ImageRequest) -> ImageRequest {
        // Nobody would see the low-resolution image.
        request.withoutLowResolution.changingAll { request in
            request.priority = priority
            if destination == .disk { request.storeOnDiskAlone() }
        }
    }
}

extension ImageRequest {
    /// Keeps the image out of memory. If it is an original, the disk stores only its bytes.
    fileprivate mutating func storeOnDiskAlone() {
        policy.caching.rendition.memory = .off
        policy.caching.original.memory = .off
        guard key.isOriginal else { return }
        // Only the bytes of verified images are stored.
        rendition.decode.size = .noPixels
        policy.caching.rendition.disk = .off
    }
}
