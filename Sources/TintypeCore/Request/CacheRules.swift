/// The access to one tier of a cache.
public enum CacheAccess: Hashable, Sendable {
    /// The tier is read and written.
    case readWrite
    /// The tier is read only.
    case readOnly
    /// The tier is written only.
    case writeOnly
    /// The tier is not used.
    case off

    /// Whether the tier is read.
    package var canRead: Bool { self == .readWrite || self == .readOnly }
    /// Whether the tier is written.
    package var canWrite: Bool { self == .readWrite || self == .writeOnly }

    /// The same access without writing.
    var reading: CacheAccess { canRead ? .readOnly : .off }
}

/// The access to the memory and disk tiers of a cache.
public struct CacheRules: Hashable, Sendable {
    /// The access to decoded images in memory.
    public var memory: CacheAccess
    /// The access to encoded bytes and raw pixels on disk.
    public var disk: CacheAccess

    /// Whether at least one tier is written.
    var writesAnyTier: Bool { memory.canWrite || disk.canWrite }

    /// The tiers that are read.
    var readableTiers: CacheTiers {
        (memory.canRead ? .memory : CacheTiers()).union(disk.canRead ? [.disk, .pixels] : [])
    }

    /// The same rules without writing.
    var readOnly: CacheRules { CacheRules(memory: memory.reading, disk: disk.reading) }

    /// Creates rules; by default both tiers are read and written.
    public init(memory: CacheAccess = .readWrite, disk: CacheAccess = .readWrite) {
        self.memory = memory
        self.disk = disk
    }
}
