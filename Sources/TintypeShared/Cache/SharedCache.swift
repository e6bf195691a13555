public import CoreMetrics
import Foundation
public import TintypeCore

/// A cache of encoded images in a ``SharedStore``, which several machines use at the same time.
///
/// The store is never required. A failure of it, or a call that takes too long, is a miss and costs no error; after
/// several of them a circuit breaker keeps the tier from calling the store for a while. Every entry is verified on
/// read: a damaged one is a miss and is removed. Writes and removals are made in the background, by at most four tasks,
/// from a queue that is bounded in bytes; reads see what waits there.
///
/// Use it behind a cache on disk, in a ``TieredDataCache``. You can call every method from any thread.
public final class SharedCache: RemoteDataCaching {
    /// The store.
    public let store: any SharedStore
    /// The settings.
    public let configuration: SharedCacheConfiguration

    let clock: StoreClock
    let caller: StoreCaller
    let metrics: SharedCacheMetrics?
    let state: Locked<State>

    struct State: Sendable {
        var queue: WriteQueue
        var stats = SharedCacheStats()
        var waits: [Wait] = []
        /// The changes of which a caller wants to know whether they were made.
        var awaited: [AwaitedWrite] = []
        /// Entries that were stored at this time or earlier are misses: ``SharedCache/removeAll()`` was called then.
        var cleared: Date?

        /// Removes and returns the awaited change with a number.
        mutating func takeAwaited(_ number: Int) -> [AwaitedWrite] { takeAwaited { $0.number == number } }

        /// Removes and returns the awaited changes of a key that a newer one has replaced in the queue.
        mutating func takeReplaced(_ key: CacheKey) -> [AwaitedWrite] {
            takeAwaited { [queue] in $0.key == key && !queue.isPending($0.number, of: key) }
        }

        private mutating func takeAwaited(where isWanted: (AwaitedWrite) -> Bool) -> [AwaitedWrite] {
            guard !awaited.isEmpty else { return [] }
            let taken = awaited.filter(isWanted)
            if !taken.isEmpty { awaited.removeAll(where: isWanted) }
            return taken
        }
    }

    /// A change of which a caller wants to know whether it was made.
    struct AwaitedWrite: Sendable {
        let key: CacheKey
        let number: Int
        let promise: SharedPromise<Bool>
    }

    /// A caller that waits until changes are complete.
    struct Wait: Sendable {
        let isOver: @Sendable (WriteQueue) -> Bool
        let promise: SharedPromise<Void>
    }

    /// Creates a cache. Does not call the store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - configuration: The settings.
    ///   - metrics: Records `tintype_shared_lookups`, `tintype_shared_writes`, `tintype_shared_lookup_duration`,
    ///     `tintype_shared_queue_bytes` and `tintype_shared_breaker`, with the dimension `store`; `nil` records
    ///     nothing.
    ///   - time: The clocks. Only tests replace them.
    public convenience init(
        _ store: any SharedStore, configuration: SharedCacheConfiguration = SharedCacheConfiguration(),
        metrics: (any MetricsFactory)? = nil, time: TimeSource = .system
    ) {
        self.init(store, configuration: configuration, metrics: metrics, clock: StoreClock(time: time))
    }

    /// Creates a cache whose waits and random numbers a test controls.
    package init(
        _ store: any SharedStore, configuration: SharedCacheConfiguration = SharedCacheConfiguration(),
        metrics: (any MetricsFactory)? = nil, clock: StoreClock
    ) {
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.metrics = metrics.map { SharedCacheMetrics(store: store.name, factory: $0) }
        caller = StoreCaller(store.name, clock)
        state = Locked(State(queue: WriteQueue(byteLimit: configuration.queueByteLimit)))
    }

    /// The counters of this cache since it was created, and its current state.
    public var stats: SharedCacheStats {
        var stats = state.withLock { state in
            var stats = state.stats
            (stats.queued, stats.queuedBytes) = (state.queue.count, state.queue.byteCount)
            return stats
        }
        stats.breaker = caller.breakerState
        return stats
    }

    /// Forgets the entries that wait to be written, and stops using those that are in the store now.
    ///
    /// The entries stay in the store, because other machines use them. This object ignores them as long as it lives, by
    /// the time at which they were stored. To remove them for all machines, use the tools of the store.
    public func removeAll() {
        let now = clock.time.date()
        state.withLock { state in
            state.queue.clear()
            state.cleared = now
        }
        resumeWaits()
    }

    /// Waits, without blocking, until everything stored so far is written, was dropped or has failed; at most
    /// ``SharedCacheConfiguration/flushLimit``.
    ///
    /// A failure is not an error, because the tier is not required: see ``stats``.
    public func flush() async {
        let number = state.withLock { $0.queue.last }
        await waitUntil(within: configuration.flushLimit) { $0.isDone(through: number) }
    }

    // MARK: Counting

    func count(_ event: SharedCacheEvent) {
        state.withLock { $0.stats.count(event) }
        metrics?.count(event)
    }
}
