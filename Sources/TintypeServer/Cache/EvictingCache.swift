import TintypeCore

/// Values in memory, with a limit on their total cost. The order of eviction is that of the pipeline's memory cache.
final class EvictingCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        /// Shared by all copies of the entry, so that a hit moves nothing.
        let use: Use
    }

    /// Read and written only under the lock of the cache.
    private final class Use: Sendable {
        let wasUsed = Locked(false)
    }

    private struct State: Sendable {
        var queue: EvictionQueue<Key, Key>
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
        entry.use.wasUsed.withLock { $0 = true }
        return entry.value
    }

    /// Stores a value, and evicts others to make room. A value that costs more than a quarter of the limit is not stored.
    func store(_ value: Value, for key: Key, cost: Int = 1) {
        state.withLock { state in
            let entries = state.entries
            let insertion = state.queue.insert(key, for: key, cost: cost) { key in
                entries[key]?.use.wasUsed.withLock { used in
                    defer { used = false }
                    return used
                } ?? false
            }
            for key in insertion.evicted { state.entries[key] = nil }
            state.entries[key] = insertion.isInserted ? Entry(value: value, use: Use()) : nil
        }
    }

    /// Removes the value of a key.
    func remove(_ key: Key) {
        state.withLock { state in
            _ = state.queue.remove(key)
            state.entries[key] = nil
        }
    }

    /// Removes all values that a condition selects. O(n).
    func removeAll(where isSelected: (Value) -> Bool) {
        state.withLock { state in
            let keys = state.entries.filter { isSelected($0.value.value) }.map(\.key)
            for key in keys {
                _ = state.queue.remove(key)
                state.entries[key] = nil
            }
        }
    }

    /// The total cost of all values.
    var cost: Int { state.withLock { $0.queue.cost } }
}
