public import TintypeCore

/// What a disk cache has done since it was made.
public struct DiskStats: Sendable {
    public internal(set) var hits = 0
    public internal(set) var misses = 0
    /// Files that were not whole entries of the right key, and were removed.
    public internal(set) var damaged = 0
    public internal(set) var writes = 0
    /// Entries that were not written: the disk would not take them, or too many were waiting.
    public internal(set) var turnedAway = 0
    /// Entries that were removed to keep the limits.
    public internal(set) var evictions = 0
    /// Times that the bookkeeping was found lost or damaged and was made anew.
    public internal(set) var rebuilds = 0
    /// Why nothing can be written now, so that the cache goes on as memory only; `nil` when it can.
    public internal(set) var problem: TintypeError?
}
