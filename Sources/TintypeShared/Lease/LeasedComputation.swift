import Foundation
public import TintypeCore

/// Makes each result once on all machines, by leases in a store.
///
/// A machine that misses a result in all caches calls ``entry(for:deadline:compute:)``. The first one gets the lease,
/// computes, and stores the result in the shared caches; the others wait for it there. Use it only for work that takes
/// longer than about 50 ms, because it costs three round trips to the store. In one process, let only one caller at a
/// time compute a key: a pipeline does.
///
/// Leases save work and are not needed for correctness: equal keys give equal results. A store that fails or does not
/// answer makes every machine compute at once. You can call every method from any thread.
public final class LeasedComputation: Sendable {
    private let leases: any LeaseStore
    private let marks: any SharedStore
    private let results: [SharedCache]
    private let configuration: LeaseConfiguration
    private let clock: StoreClock
    private let caller: StoreCaller
    private let state = Locked(State())

    private struct State: Sendable {
        var stats = LeaseStats()
        /// The tasks that store results and release leases.
        var ending: [Int: Task<Void, Never>] = [:]
        var endedEarly: Set<Int> = []
        var lastNumber = 0
    }

    /// Creates a computation. Does not call the store.
    ///
    /// - Parameters:
    ///   - store: The store of the leases, and of marks that tell other machines about failures.
    ///   - results: The caches in which machines find the results of each other.
    ///   - configuration: The settings.
    ///   - time: The clocks. Only tests replace them.
    public convenience init(
        _ store: some LeaseStore & SharedStore, results: [SharedCache],
        configuration: LeaseConfiguration = LeaseConfiguration(), time: TimeSource = .system
    ) {
        self.init(store, results: results, configuration: configuration, clock: StoreClock(time: time))
    }

    /// Creates a computation whose waits and random numbers a test controls.
    ///
    /// - Parameter neighbor: A cache in the same store. Leases are then called by its circuit breaker and not by one of
    ///   their own, so that fewer requests wait for a store that has stopped; `nil` for none.
    package init(
        _ store: some LeaseStore & SharedStore, results: [SharedCache],
        configuration: LeaseConfiguration = LeaseConfiguration(), sharingBreakerOf neighbor: SharedCache? = nil,
        clock: StoreClock = StoreClock(time: .system)
    ) {
        (leases, marks) = (store, store)
        self.results = results
        self.configuration = configuration
        self.clock = clock
        caller = neighbor?.caller ?? StoreCaller(store.name, clock)
    }

    /// The counters of this object since it was created, and its current state.
    public var stats: LeaseStats {
        var stats = state.withLock { $0.stats }
        stats.breaker = caller.breakerState
        return stats
    }

    /// Returns the result for a key: computed here, or by another machine.
    ///
    /// - Parameters:
    ///   - key: The key of the result.
    ///   - deadline: How long the caller can wait for the result. At most half of it passes before `compute` begins.
    ///   - compute: Makes the result. Its result is returned at once; storing it goes on in the background.
    /// - Throws: The error of `compute`, or that of another machine if it comes from the source of the image;
    ///   `TintypeError.Code.cancelled` if the task is cancelled.
    public func entry(
        for key: CacheKey, deadline: Duration? = nil, compute: () async throws(TintypeError) -> CacheEntry
    ) async throws(TintypeError) -> CacheEntry {
        var flow = LeaseFlow(
            at: clock.time.uptime(), leaseTime: configuration.leaseTime, deadline: deadline)
        var step = LeaseFlow.Step.acquire
        var token: LeaseToken?
        while true {
            let event: LeaseFlow.Event
            switch step {
            case .acquire: (event, token) = await acquire(key)
            case .wait(let delay):
                do { try await clock.sleep(delay) } catch { throw .cancelled }
                event = .waited
            case .look:
                switch await look(for: key) {
                case .found(let entry):
                    if let token { end { await $0.release(key, token) } }
                    state.withLock { $0.stats.shared += 1 }
                    return entry
                case .event(let found): event = found
                case .failed(let error):
                    if let token { end { await $0.release(key, token) } }
                    state.withLock { $0.stats.sharedFailures += 1 }
                    throw error
                }
            case .compute:
                count(isLeased: token != nil, hasGivenUp: flow.hasGivenUp)
                return try await self.compute(key, token, compute)
            }
            if Task.isCancelled {
                if let token { end { await $0.release(key, token) } }
                throw .cancelled
            }
            step = flow.step(after: event, at: clock.time.uptime(), random: clock.random())
        }
    }

    /// Waits until the results so far are stored and their leases released.
    public func flush() async {
        for task in state.withLock({ Array($0.ending.values) }) { await task.value }
    }

    // MARK: Steps

    private func acquire(_ key: CacheKey) async -> (LeaseFlow.Event, LeaseToken?) {
        let (name, time) = (SharedName.lease(key), configuration.leaseTime)
        let offer = Locked(LeaseOffer())
        let result = await caller.call(configuration.callTime) { [leases] () async throws(TintypeError) in
            guard let token = try await leases.acquireLease(name, for: time) else { return false }
            if offer.withLock({ $0.arrive(token) }) { return true }
            try await leases.releaseLease(name, token)
            return false
        }
        if let token = offer.withLock({ $0.take() }) { return (.acquired, token) }
        return if case .success = result { (.held, nil) } else { (.unavailable, nil) }
    }

    private enum Finding {
        case found(CacheEntry)
        case failed(TintypeError)
        case event(LeaseFlow.Event)
    }

    private func look(for key: CacheKey) async -> Finding {
        var canArrive = false
        for cache in results {
            switch await cache.lookAgain(for: key) {
            case .hit(let entry): return .found(entry)
            case .miss: canArrive = true
            case .unavailable: break
            }
        }
        guard canArrive else { return .event(.unavailable) }
        let name = SharedName.failure(key)
        let result = await caller.call(configuration.callTime) { [marks] () async throws(TintypeError) in
            try await marks.value(for: name)
        }
        guard case .success(let value) = result else { return .event(.unavailable) }
        return switch value.flatMap({ LeaseMark(decoding: $0, for: key, at: clock.time.date()) }) {
        case nil: .event(.nothing)
        case .abandoned: .event(.abandoned)
        case .unshared: .event(.unavailable)
        case .failed(let error): .failed(error)
        }
    }

    private func compute(
        _ key: CacheKey, _ token: LeaseToken?, _ body: () async throws(TintypeError) -> CacheEntry
    ) async throws(TintypeError) -> CacheEntry {
        do throws(TintypeError) {
            let entry = try await body()
            end { computation in
                let isShared = await computation.share(entry, key)
                guard let token else { return }
                if !isShared { await computation.leave(.unshared, for: key) }
                await computation.release(key, token)
            }
            return entry
        } catch {
            if let token {
                end { computation in
                    await computation.leave(LeaseMark(error), for: key)
                    await computation.release(key, token)
                }
            }
            throw error
        }
    }

    /// Stores a result in all caches at the same time.
    ///
    /// - Returns: Whether at least one has it.
    private func share(_ entry: CacheEntry, _ key: CacheKey) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for cache in results { group.addTask { await cache.storeNow(entry, for: key) } }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    private func leave(_ mark: LeaseMark, for key: CacheKey) async {
        let (name, time) = (SharedName.failure(key), configuration.failureTime)
        guard let value = mark.encoded(for: key, at: clock.time.date(), lifetime: time) else { return }
        _ = await caller.call(configuration.callTime) { [marks] () async throws(TintypeError) in
            try await marks.store(value, for: name, timeToLive: time)
        }
    }

    private func release(_ key: CacheKey, _ token: LeaseToken) async {
        let name = SharedName.lease(key)
        _ = await caller.call(configuration.callTime) { [leases] () async throws(TintypeError) in
            try await leases.releaseLease(name, token)
        }
    }

    private func count(isLeased: Bool, hasGivenUp: Bool) {
        state.withLock { state in
            if isLeased {
                state.stats.leased += 1
            } else if hasGivenUp {
                state.stats.impatient += 1
            } else {
                state.stats.unleased += 1
            }
        }
    }

    // MARK: Background

    /// Ends a computation in a task of its own, which is not cancelled with the caller: other machines wait for it.
    private func end(_ body: @escaping @Sendable (LeasedComputation) async -> Void) {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let task = Task.detached {
            await body(self)
            self.state.withLock { state in
                // The task may end before it is stored below.
                if state.ending.removeValue(forKey: number) == nil { state.endedEarly.insert(number) }
            }
        }
        state.withLock { state in
            if state.endedEarly.remove(number) == nil { state.ending[number] = task }
        }
    }
}

/// A lease between the call that gets it and the machine that waits for it. A lease that arrives when the machine has
/// left would keep others waiting for nobody.
private struct LeaseOffer: Sendable {
    private var hasLeft = false
    private var token: LeaseToken?

    /// Offers the lease.
    ///
    /// - Returns: Whether the machine still waits. Otherwise the caller must release the lease.
    mutating func arrive(_ token: LeaseToken) -> Bool {
        guard !hasLeft else { return false }
        self.token = token
        return true
    }

    /// Ends the wait, and returns the lease if it has arrived.
    mutating func take() -> LeaseToken? {
        hasLeft = true
        return token
    }
}
