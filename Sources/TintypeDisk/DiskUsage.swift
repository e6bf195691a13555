public import Foundation
public import TintypeCore

/// How many entries there are, and how many bytes their files have.
public struct DiskUsage: Equatable, Sendable {
    public var count: Int
    public var byteCount: Int

    public init(count: Int = 0, byteCount: Int = 0) {
        self.count = count
        self.byteCount = byteCount
    }
}

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

/// One entry of a disk cache, as a person would look at it.
public struct DiskEntryFacts: Sendable {
    public var key: CacheKey
    public var format: ImageFormat?
    /// Bytes of the encoded picture.
    public var byteCount: Int
    /// When its bytes were got.
    public var created: Date
    /// When its bytes were stored.
    public var modified: Date
    /// Its last use; but of several within a minute, the first.
    public var accessed: Date
    /// From when on it is a miss; `nil` leaves that to the limits.
    public var expires: Date?
    /// The file that holds it.
    public var path: String
}

/// What a look at every byte of a disk cache found.
public struct DiskVerification: Sendable {
    /// Undamaged entries.
    public var sound = DiskUsage()
    /// Files that were not whole entries of the right name, by path; they have been removed.
    public var damaged: [String] = []

    public init() {}
}
