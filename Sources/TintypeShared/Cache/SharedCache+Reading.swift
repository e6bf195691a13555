import Foundation
public import TintypeCore

extension SharedCache {
    /// Returns the verified entry of a key, or `nil` for a miss. Blocks the calling thread, at most for
    /// ``SharedCacheConfiguration/readWait``.
    public func entry(for key: CacheKey) -> CacheEntry? {
        if let answer = answerWithoutStore(key) { return answer.entry }
        let (start, name) = (clock.time.uptime(), SharedName.entry(key))
        let result = caller.blockingCall(configuration.readTime) { [store] () async throws(TintypeError) in
            try await store.value(for: name)
        }
        return entry(in: result, for: key, since: start)
    }

    /// Returns `true`.
    package var hasRemoteEntries: Bool { true }

    /// Returns an entry that waits to be written; `nil` for all others. Does not block.
    package func localEntry(for key: CacheKey) -> CacheEntry? {
        guard let entry = state.withLock({ $0.queue.change(for: key) }).flatMap({ entry(in: $0) }) else { return nil }
        count(.read(.hit))
        return entry
    }

    /// Returns the verified entry of a key, or `nil` for a miss, without blocking.
    package func remoteEntry(for key: CacheKey) async -> CacheEntry? { await entry(for: key) }

    /// Returns the verified entry of a key, or `nil` for a miss, without blocking.
    public func entry(for key: CacheKey) async -> CacheEntry? {
        if let answer = answerWithoutStore(key) { return answer.entry }
        let (start, name) = (clock.time.uptime(), SharedName.entry(key))
        let result = await caller.call(configuration.readTime) { [store] () async throws(TintypeError) in
            try await store.value(for: name)
        }
        return entry(in: result, for: key, since: start)
    }

    /// The result of ``lookAgain(for:)``.
    enum Look: Sendable {
        case hit(CacheEntry)
        case miss
        /// The store has failed or is not called.
        case unavailable
    }

    /// Looks for an entry that another machine is about to store, without blocking. Only a hit is counted, so that
    /// repeated looks do not distort the hit ratio.
    func lookAgain(for key: CacheKey) async -> Look {
        guard configuration.accepts(key) else { return .unavailable }
        if let entry = state.withLock({ $0.queue.change(for: key) }).flatMap({ entry(in: $0) }) { return .hit(entry) }
        let name = SharedName.entry(key)
        let result = await caller.call(configuration.readTime) { [store] () async throws(TintypeError) in
            try await store.value(for: name)
        }
        guard case .success(let value) = result else { return .unavailable }
        guard let value, let entry = verifiedEntry(in: value, for: key).0 else { return .miss }
        count(.read(.hit))
        return .hit(entry)
    }

    /// Returns whether there is an entry for a key, without verifying it. Blocks the calling thread, at most for
    /// ``SharedCacheConfiguration/readWait``. `false` if the store fails.
    public func contains(_ key: CacheKey) -> Bool {
        guard configuration.accepts(key) else { return false }
        let (change, isCleared) = state.withLock { ($0.queue.change(for: key), $0.cleared != nil) }
        if let change { return entry(in: change) != nil }
        // Only the header tells when the entry was stored.
        if isCleared { return entry(for: key) != nil }
        let name = SharedName.entry(key)
        let result = caller.blockingCall(configuration.readTime) { [store] () async throws(TintypeError) in
            try await store.contains(name)
        }
        return if case .success(true) = result { true } else { false }
    }

    /// What is known without the store.
    private struct Answer {
        /// The entry; `nil` for a miss.
        let entry: CacheEntry?
    }

    /// Returns the answer for a key that the tier does not accept or that waits to be changed; `nil` if only the store
    /// can answer.
    private func answerWithoutStore(_ key: CacheKey) -> Answer? {
        guard configuration.accepts(key) else { return Answer(entry: nil) }
        guard let change = state.withLock({ $0.queue.change(for: key) }) else { return nil }
        let entry = entry(in: change)
        count(.read(entry == nil ? .miss : .hit))
        return Answer(entry: entry)
    }

    private func entry(in change: WriteQueue.Change) -> CacheEntry? {
        guard case .store(let entry) = change, entry.expires.map({ $0 > clock.time.date() }) ?? true else { return nil }
        return entry
    }

    private func entry(
        in result: StoreCaller.Result<Data?>, for key: CacheKey, since start: Duration
    ) -> CacheEntry? {
        let (entry, event): (CacheEntry?, SharedCacheEvent.ReadResult) =
            switch result {
            case .skipped: (nil, .skipped)
            // The caller does not want the answer any more.
            case .failure(let error) where error.code == .cancelled: (nil, .miss)
            case .failure: (nil, .failure)
            case .success(nil): (nil, .miss)
            case .success(let value?): verifiedEntry(in: value, for: key)
            }
        count(.read(event))
        if event != .skipped { metrics?.record(lookupDuration: clock.time.uptime() - start) }
        metrics?.record(caller.breakerState)
        if case .success = result { retryRemovals() }
        return entry
    }

    /// Decodes a value, and has it removed from the store if it is damaged.
    private func verifiedEntry(in value: Data, for key: CacheKey) -> (CacheEntry?, SharedCacheEvent.ReadResult) {
        guard let shared = SharedEntry(decoding: value, for: key) else {
            removeDamaged(key)
            return (nil, .damaged)
        }
        let cleared = state.withLock { $0.cleared }
        let isUsable = !shared.isExpired(at: clock.time.date()) && cleared.map { shared.stored > $0 } ?? true
        return isUsable ? (shared.entry, .hit) : (nil, .miss)
    }

    /// Removes a damaged value, unless the key was changed since it was read.
    private func removeDamaged(_ key: CacheKey) {
        let isChanging = state.withLock { $0.queue.change(for: key) != nil }
        if !isChanging { remove(key) }
    }
}
