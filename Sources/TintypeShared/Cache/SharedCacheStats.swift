/// The counters of a ``SharedCache`` since it was created, and its current state.
public struct SharedCacheStats: Hashable, Sendable {
    /// Reads that returned an entry, including entries that wait to be written.
    public internal(set) var hits = 0
    /// Reads for which the store had no entry, or only an expired one.
    public internal(set) var misses = 0
    /// Reads that failed or took too long.
    public internal(set) var failures = 0
    /// Reads for which the store was not called, because its circuit breaker was open.
    public internal(set) var skipped = 0
    /// Reads that returned damaged bytes. They are removed from the store.
    public internal(set) var damaged = 0
    /// Entries that were written, and removals that were made.
    public internal(set) var writes = 0
    /// Writes and removals that failed, took too long, or were not tried because the circuit breaker was open.
    public internal(set) var writeFailures = 0
    /// Writes that were dropped because too many bytes waited.
    public internal(set) var dropped = 0
    /// Entries that were not written because the store does not accept values of their size.
    public internal(set) var oversized = 0
    /// The number of writes and removals that wait or are running.
    public internal(set) var queued = 0
    /// The bytes that they hold in memory.
    public internal(set) var queuedBytes = 0
    /// The state of the circuit breaker.
    public internal(set) var breaker = BreakerState.closed

    /// The part of the completed reads that were hits, from 0 to 1; `nil` if there were none.
    public var hitRatio: Double? {
        let reads = hits + misses + failures + skipped + damaged
        return reads > 0 ? Double(hits) / Double(reads) : nil
    }

    mutating func count(_ event: SharedCacheEvent) {
        switch event {
        case .read(.hit): hits += 1
        case .read(.miss): misses += 1
        case .read(.failure): failures += 1
        case .read(.skipped): skipped += 1
        case .read(.damaged): damaged += 1
        case .write(.success, let count): writes += count
        case .write(.failure, let count): writeFailures += count
        case .write(.dropped, let count): dropped += count
        case .write(.oversized, let count): oversized += count
        }
    }
}

/// An event that is counted.
enum SharedCacheEvent: Sendable {
    case read(ReadResult)
    case write(WriteResult, count: Int)

    /// The result of a read.
    enum ReadResult: String, CaseIterable, Sendable {
        case hit, miss, failure, skipped, damaged
    }

    /// The result of a write or a removal.
    enum WriteResult: String, CaseIterable, Sendable {
        case success, failure, dropped, oversized
    }
}
