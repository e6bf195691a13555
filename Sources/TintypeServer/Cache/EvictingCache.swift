import TintypeCore

/// Values in memory, with a limit on their total cost. The order of eviction is that of the pipeline's memory cache.
final class EvictingCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: Key
        let value: Value
        /// Shared by all copies of the entry, so that a hit moves nothing.
        let wasUsed = Use()
    }

    private final class Use: Sendable {
        private let flag = Locked(false)

        func set() { flag.withLock { $0 = true } }

        /// Returns whether there was a use since the last call.
        func take() -> Bool {
            flag.withLock { flag in
                defer { flag = false }
                return flag
            }
        }
    }

    private struct State: Sendable {
        var queue: EvictionQueue<Key, Entry>
        var entries: [Key: Entry] = [:]
    }

    private let state: Locked<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - cost: The largest total cost.
    ///   - count: The largest number of values.
    init(cost: Int = .max, count: Int = .max) {
        // One value must not evict all others.
        let limits = TintypeCore.CacheLimits(cost: cost, count: count, entryCost: cost == .max ? .max : cost / 4)
        state = Locked(State(queue: EvictionQueue(limits: limits)))
    }

    /// Returns the value of a key.
    func value(for key: Key) -> Value? {
        guard let entry = state.withLock({ $0.entries[key] }) else { return nil }
        entry.wasUsed.set()
        return entry.value
    }

    /// Stores a value, and evicts others to make room. A value that costs more than a quarter of the limit is not
    /// stored.
    func store(_ value: Value, for key: Key, cost: Int = 1) {
        let entry = Entry(key: key, value: value)
        state.withLock { state in
            let insertion = state.queue.insert(entry, for: key, cost: cost) { $0.wasUsed.take() }
            for evicted in insertion.evicted { state.entries[evicted.key] = nil }
            state.entries[key] = insertion.isInserted ? entry : nil
        }
    }

    /// Removes the value of a key.
    func remove(_ key: Key) {
        state.withLock { state in
            _ = state.queue.remove(key)
            state.entries[key] = nil
        }
    }

    /// Removes the values of some keys. Takes a time that grows with the number of values.
    func removeAll(where isRemoved: @Sendable (Key) -> Bool) {
        state.withLock { state in
            for key in state.entries.keys.filter(isRemoved) {
                _ = state.queue.remove(key)
                state.entries[key] = nil
            }
        }
    }
}
