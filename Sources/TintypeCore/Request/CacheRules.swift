/// What one tier of the cache may be used for.
public enum CacheAccess: Hashable, Sendable {
    case readWrite
    case readOnly
    case writeOnly
    case off

    public var canRead: Bool { self == .readWrite || self == .readOnly }
    public var canWrite: Bool { self == .readWrite || self == .writeOnly }

    /// The same without writing.
    var reading: CacheAccess { canRead ? .readOnly : .off }
}

/// What each tier of the cache may be used for.
public struct CacheRules: Hashable, Sendable {
    /// For decoded pictures.
    public var memory: CacheAccess
    /// For encoded bytes.
    public var disk: CacheAccess

    var keepsAnything: Bool { memory.canWrite || disk.canWrite }

    /// The same without writing.
    var readOnly: CacheRules { CacheRules(memory: memory.reading, disk: disk.reading) }

    public init(memory: CacheAccess = .readWrite, disk: CacheAccess = .readWrite) {
        self.memory = memory
        self.disk = disk
    }
}
