package import Foundation
public import TintypeCore

/// The number of entries and the size of their files.
public struct DiskUsage: Equatable, Sendable {
    /// The number of entries.
    public var count: Int
    /// The size of their files, in bytes. The length of each file is rounded up to 4096 bytes, as a file system does.
    /// An entry of up to 16 KB shares a file with others, and counts rounded up to 64 bytes, with 64 more.
    public var byteCount: Int

    /// Creates a usage with a number of entries and a size in bytes.
    package init(count: Int = 0, byteCount: Int = 0) {
        self.count = count
        self.byteCount = byteCount
    }
}

extension DiskUsage {
    /// The unit in which file systems allocate space: that of ext4, XFS and Btrfs by default.
    static let blockSize = 4096

    /// Returns the size of a file in whole blocks. Without that, files of some hundred bytes would take ten times as
    /// much of the disk as the limit allows.
    package static func allocatedSize(_ fileLength: Int) -> Int { (fileLength + blockSize - 1) / blockSize * blockSize }

    /// The usage of some entries.
    init(of records: [IndexRecord]) {
        self.init(count: records.count, byteCount: records.reduce(0) { $0 + $1.allocatedSize })
    }
}

/// The counters of a ``DiskCache`` since it was created.
public struct DiskStats: Sendable {
    /// The number of reads that returned an entry.
    public internal(set) var hits = 0
    /// The number of reads that found no entry. One that has not ended is counted too.
    public internal(set) var misses = 0
    /// The number of files that were damaged or held another key's entry, and were removed.
    public internal(set) var damaged = 0
    /// The number of entries written.
    package internal(set) var writes = 0
    /// The number of entries that were not written: they were too large, too many were pending, or the disk refused
    /// them.
    package internal(set) var refusals = 0
    /// The number of entries evicted to enforce the limits.
    package internal(set) var evictions = 0
    /// The number of times that the index was missing, damaged or out of date, and was reconciled with the files.
    package internal(set) var rebuilds = 0
    /// The reason why writing fails at present, or `nil` if it works. While there is a problem, the cache only reads.
    public internal(set) var problem: TintypeError?
}

/// A description of one entry of a disk cache.
package struct DiskEntryFacts: Sendable {
    /// The key of the entry.
    package var key: CacheKey
    /// The format of the encoded image, or `nil` if it is unknown.
    package var format: ImageFormat?
    /// The size of the encoded image, in bytes.
    package var byteCount: Int
    /// When its bytes were received from their source.
    package var created: Date
    /// When its bytes were stored.
    package var modified: Date
    /// Its last use. Only the first of several uses within a minute is recorded.
    package var accessed: Date
    /// When it becomes a miss, or `nil` if only the limits apply.
    package var expires: Date?
    /// The path of its file.
    package var path: String
}

extension DiskEntryFacts {
    init(_ header: EntryHeader, accessed: DiskTime, path: String) {
        self.init(
            key: header.key, format: header.format, byteCount: header.payloadLength,
            created: header.times.created.date, modified: header.times.modified.date, accessed: accessed.date,
            expires: header.times.expires?.date, path: path)
    }
}

/// The result of ``DiskCache/verify()``.
public struct DiskVerification: Sendable {
    /// The undamaged entries.
    public var sound = DiskUsage()
    /// The paths of the files that were damaged or misnamed. They have been removed, except those in `unremovable`.
    public var damaged: [String] = []
    /// The paths of those damaged files that could not be removed.
    package var unremovable: [String] = []

    /// Creates an empty result.
    package init() {}
}
