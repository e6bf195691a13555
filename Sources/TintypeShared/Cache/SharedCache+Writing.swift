import Foundation
public import TintypeCore

extension SharedCache {
    /// Stores an entry. Returns at once. Reads of this object see it from then on; other machines do when it is
    /// written.
    ///
    /// An entry that the store cannot hold, or that has expired, is not stored. An older entry of the key is then
    /// removed.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        guard configuration.accepts(key) else { return }
        guard let change = change(storing: entry, for: key) else { return remove(key) }
        add(change, for: key)
    }

    /// Removes the entry of a key. Returns at once. Reads of this object do not see it any more; other machines do
    /// until the removal is made. A removal that fails is tried again when the store answers.
    public func remove(_ key: CacheKey) {
        guard configuration.accepts(key) else { return }
        add(.remove, for: key)
    }

    /// Stores an entry before everything that waits, and waits until the store has it, without blocking; at most for
    /// ``SharedCacheConfiguration/writeLimit``.
    ///
    /// - Returns: Whether the store has the entry. `false` also if a newer change of the key was made instead.
    package func storeNow(_ entry: CacheEntry, for key: CacheKey) async -> Bool {
        guard configuration.accepts(key) else { return false }
        guard let change = change(storing: entry, for: key) else {
            remove(key)
            return false
        }
        let promise = SharedPromise<Bool>()
        add(change, for: key, isUrgent: true, awaitedBy: promise)
        let timer = timer(configuration.writeLimit) { promise.fulfill(false) }
        defer { timer.cancel() }
        return await promise.wait { false }
    }

    /// Returns the change that stores an entry; `nil` if it cannot be stored.
    private func change(storing entry: CacheEntry, for key: CacheKey) -> WriteQueue.Change? {
        guard SharedEntry.encodedLength(entry, for: key) <= store.maximumValueSize else {
            count(.write(.oversized, count: 1))
            return nil
        }
        return entry.expires.map { $0 > clock.time.date() } ?? true ? .store(entry) : nil
    }

    /// - Parameter promise: Gets whether the change was made.
    private func add(
        _ change: WriteQueue.Change, for key: CacheKey, isUrgent: Bool = false,
        awaitedBy promise: SharedPromise<Bool>? = nil
    ) {
        let (addition, bytes, replaced) = state.withLock { state in
            let addition = state.queue.add(change, for: key, isUrgent: isUrgent)
            let replaced = state.takeReplaced(key)
            if let promise, let number = addition.number {
                state.awaited.append(AwaitedWrite(key: key, number: number, promise: promise))
            }
            return (addition, state.queue.byteCount, replaced)
        }
        if addition.number == nil { promise?.fulfill(false) }
        for write in replaced { write.promise.fulfill(false) }
        if addition.dropped > 0 { count(.write(.dropped, count: addition.dropped)) }
        metrics?.record(queueBytes: bytes)
        if addition.startsWorker { startWorker() }
        if addition.dropped > 0 { resumeWaits() }
    }

    // MARK: Workers

    private func startWorker() {
        Task.detached(priority: .utility) { await self.makeChanges() }
    }

    private func makeChanges() async {
        while let write = state.withLock({ $0.queue.next() }) {
            let outcome = await make(write)
            let (lost, bytes, awaited) = state.withLock { state in
                (state.queue.finish(write, outcome), state.queue.byteCount, state.takeAwaited(write.number))
            }
            if outcome == .done { count(.write(.success, count: 1)) }
            if lost > 0 { count(.write(.failure, count: lost)) }
            metrics?.record(queueBytes: bytes)
            metrics?.record(caller.breakerState)
            for write in awaited { write.promise.fulfill(outcome == .done) }
            resumeWaits()
            if outcome == .done { retryRemovals() }
        }
    }

    private func make(_ write: WriteQueue.Write) async -> WriteQueue.Outcome {
        let name = SharedName.entry(write.key)
        let result: StoreCaller.Result<Void>
        switch write.change {
        case .remove:
            result = await caller.call(configuration.writeTime) { [store] () async throws(TintypeError) in
                try await store.remove(name)
            }
        case .store(let entry):
            guard let (value, timeToLive) = await value(of: entry, for: write.key) else { return .failed }
            result = await caller.call(configuration.writeTime) { [store] () async throws(TintypeError) in
                try await store.store(value, for: name, timeToLive: timeToLive)
            }
        }
        return switch result {
        case .success: .done
        case .failure: .failed
        case .skipped: .skipped
        }
    }

    /// Encodes an entry on the threads for files, because its data may be a mapped file.
    ///
    /// - Returns: The value and its time to live; `nil` if the entry has expired or cannot be encoded.
    private func value(of entry: CacheEntry, for key: CacheKey) async -> (Data, Duration?)? {
        let now = clock.time.date()
        let life = configuration.timeToLive.map { $0.jittered(by: 0.1, clock.random()) }
        let shared = SharedEntry(key: key, entry: entry, stored: now, endOfLife: life.map { now.later(by: $0) })
        guard !shared.isExpired(at: now) else { return nil }
        let untilExpiry = entry.expires.map { Duration.seconds($0.timeIntervalSince(now)) }
        let encoded = try? await WorkQueue.disk.run(for: JobContext(priority: .veryLow)) { () throws(TintypeError) in
            shared.encoded
        }
        guard let value = encoded ?? nil, value.count <= store.maximumValueSize else { return nil }
        return (value, .earlier(life, untilExpiry))
    }

    /// Tries failed removals again, after the store has answered.
    func retryRemovals() {
        if state.withLock({ $0.queue.retryHeld() }) { startWorker() }
    }

    // MARK: Waiting

    /// Waits until a condition on the queue holds, at most for a limit, or until the task is cancelled.
    func waitUntil(within limit: Duration, _ isOver: @escaping @Sendable (WriteQueue) -> Bool) async {
        let promise = SharedPromise<Void>()
        let isOver = state.withLock { state in
            if isOver(state.queue) { return true }
            state.waits.append(Wait(isOver: isOver, promise: promise))
            return false
        }
        guard !isOver else { return }
        let timer = timer(limit) { promise.fulfill(()) }
        await promise.wait()
        timer.cancel()
        state.withLock { state in state.waits.removeAll { $0.promise === promise } }
    }

    private func timer(_ limit: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, any Error> {
        Task { [clock] in
            // Throws when the wait has ended first.
            try await clock.sleep(limit)
            body()
        }
    }

    /// Resumes the callers whose changes are complete.
    func resumeWaits() {
        let over = state.withLock { state in
            let over = state.waits.filter { $0.isOver(state.queue) }
            if !over.isEmpty { state.waits.removeAll { wait in over.contains { $0.promise === wait.promise } } }
            return over
        }
        for wait in over { wait.promise.fulfill(()) }
    }
}
