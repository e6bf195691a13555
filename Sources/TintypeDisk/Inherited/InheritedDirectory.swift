public import Foundation
public import TintypeCore

/// A directory that a cache reads and never writes, such as one bundled with a program or left by another library.
///
/// It may belong to another user, whom the program trusts by naming it. A directory to which every user may write is
/// ignored. Symbolic links in it are not followed. Files over 256 MB are ignored; smaller ones are read into memory and
/// not mapped, because their owner may truncate them.
public struct InheritedDirectory: Sendable {
    /// Reads the directory.
    package let entries: any InheritedEntries

    package init(_ entries: any InheritedEntries) {
        self.entries = entries
    }

    /// The directory of a ``DiskCache``.
    public static func tintype(_ directory: URL) -> InheritedDirectory {
        InheritedDirectory(TintypeDirectory(url: directory))
    }
}

/// Reads the entries of an ``InheritedDirectory``. All methods block the calling thread.
package protocol InheritedEntries: Sendable {
    /// Returns the entry of a key. A damaged file is a miss and stays.
    func entry(for key: CacheKey) -> CacheEntry?

    /// Whether there is an entry whose own expiry date has not passed.
    func contains(_ key: CacheKey, at date: Date) -> Bool
}

/// The directory of a ``DiskCache`` that another one inherits.
private struct TintypeDirectory: InheritedEntries {
    let url: URL

    func entry(for key: CacheKey) -> CacheEntry? {
        let name = EntryName(key)
        if let handle, case .file(let header, let bytes, _) = EntryFile.read(name, in: handle, for: key) {
            return CacheEntry(header, bytes[header.length...])
        }
        guard let bytes = InheritedSegments(layout)?.record(of: name),
            let header = bytes.withBytes({ EntryFile.verified($0, for: key) })
        else { return nil }
        return CacheEntry(header, bytes[header.length...])
    }

    func contains(_ key: CacheKey, at date: Date) -> Bool {
        let name = EntryName(key)
        if let handle, case .sound(let header, _) = EntryFile.readHead(name, in: handle), header.key == key {
            return header.times.expires.map { $0 > DiskTime(date) } ?? true
        }
        guard let bytes = InheritedSegments(layout)?.record(of: name),
            let header = bytes.withBytes({ EntryHeader(decoding: $0, for: key) })
        else { return false }
        return header.times.expires.map { $0 > DiskTime(date) } ?? true
    }

    private var layout: CacheLayout { CacheLayout(FolderLocation(named: url.path(percentEncoded: false))) }

    private var handle: EntriesHandle? {
        EntriesHandle(inherited: layout)
    }
}

/// The effect of a hit in an inherited directory.
public enum InheritedUse: Hashable, Sendable {
    /// The entry is read where it is.
    case read
    /// The entry is also stored in the cache that inherits it, so that the directory can be removed some day.
    case adopt
}

extension DiskCache {
    /// Stores the entries that ``inherited`` directories have for some keys, for example to move from SDWebImage's
    /// cache to this one. Entries that this cache has already are left alone, and the directories are not changed.
    ///
    /// SDWebImage's files do not name their URLs, so the program names them. ``InheritedUse/adopt`` does the same for
    /// each entry when it is used.
    ///
    /// - Returns: The number of entries that were stored.
    /// - Throws: The first write error, usually `TintypeError.Code.unwritable`; `TintypeError.Code.cancelled` if
    ///   the task is cancelled.
    public func adopt(_ keys: [CacheKey]) async throws(TintypeError) -> Int {
        var count = 0
        for start in stride(from: 0, to: keys.count, by: Self.adoptedAtOnce) {
            let group = keys[start..<min(start + Self.adoptedAtOnce, keys.count)]
            count += try await onDisk { () throws(TintypeError) in group.count(where: { self.adopt($0) }) }
            // Entries that wait to be written take memory.
            try await flush()
        }
        return count
    }

    private static let adoptedAtOnce = 16

    /// - Returns: Whether an entry was stored. Blocks the calling thread.
    private func adopt(_ key: CacheKey) -> Bool {
        guard !containsOwn(key) else { return false }
        for directory in inherited {
            guard let entry = directory.entries.entry(for: key), !entry.isExpired(at: time.date()) else { continue }
            store(entry, for: key)
            return true
        }
        return false
    }
}
