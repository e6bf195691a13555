public import Foundation
public import TintypeCore

/// A directory that a cache reads and never writes, such as one bundled with a program or left by another library.
///
/// It may belong to another user, whom the program trusts by naming it. A directory to which every user may write is
/// ignored. Symbolic links in it are not followed. Files over 256 MB are ignored; smaller ones are read into memory and
/// not mapped, because their owner may truncate them.
public enum InheritedDirectory: Hashable, Sendable {
    /// The directory of a ``DiskCache``.
    case tintype(URL)
    /// The directory of an SDWebImage disk cache, such as `…/com.hackemist.SDImageCache/default`.
    ///
    /// Its files are named by the MD5 of the key, with the key's extension, and have no header. It contains originals
    /// only. The only check on its bytes is that they begin like an image.
    case sdWebImage(URL)

    /// Returns the entry of a key. A damaged file is a miss and stays. Blocks the calling thread.
    func entry(for key: CacheKey) -> CacheEntry? {
        switch self {
        case .tintype(let url):
            guard let entries = Self.entries(url),
                case .file(let header, let bytes, _) = EntryFile.read(EntryName(key), in: entries, for: key)
            else { return nil }
            return CacheEntry(header, bytes[header.length...])
        case .sdWebImage(let url):
            guard let folder = Self.folder(url) else { return nil }
            for name in SDWebImageFile.names(of: key) {
                if let entry = SDWebImageFile.entry(name, in: folder) { return entry }
            }
            return nil
        }
    }

    /// Whether there is an entry whose own expiry date has not passed. Blocks the calling thread.
    func contains(_ key: CacheKey, at date: Date) -> Bool {
        switch self {
        case .tintype(let url):
            guard let entries = Self.entries(url),
                case .sound(let header, _) = EntryFile.readHead(EntryName(key), in: entries)
            else { return false }
            return header.key == key && header.times.expires.map { $0 > DiskTime(date) } ?? true
        case .sdWebImage(let url):
            guard let folder = Self.folder(url) else { return false }
            return SDWebImageFile.names(of: key).contains {
                folder.status(of: $0).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
            }
        }
    }

    /// - Returns: `nil` if there is no such folder, or if every user may write to it.
    private static func folder(_ url: URL) -> OwnedFolder? {
        try? OwnedFolder(url.path(percentEncoded: false), .readOnly)
    }

    private static func entries(_ url: URL) -> EntriesHandle? {
        EntriesHandle(inherited: CacheLayout(FolderLocation(named: url.path(percentEncoded: false))))
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
    /// Stores the entries that ``inherited`` directories have for some keys, for example to move from SDWebImage's cache to this
    /// one. Entries that this cache has already are left alone, and the directories are not changed.
    ///
    /// SDWebImage's files do not name their URLs, so the program names them. ``InheritedUse/adopt`` does the same for each
    /// entry when it is used.
    ///
    /// - Returns: The number of entries that were stored.
    /// - Throws: The first write error, usually ``TintypeError/Code/unwritable``; ``TintypeError/Code/cancelled`` if the task is
    ///   cancelled.
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
            guard let entry = directory.entry(for: key), !entry.isExpired(at: time.date()) else { continue }
            store(entry, for: key)
            return true
        }
        return false
    }
}

/// The files of SDWebImage's disk cache (5.x, `SDDiskCacheFileNameForKey`).
enum SDWebImageFile {
    /// Returns the possible names of a key's original: with the extension of its URL, and without, as before version 4.
    static func names(of key: CacheKey) -> [String] {
        guard key.isOriginal else { return [] }
        let name = MD5Digest.hexadecimal(of: key.source)
        return fileExtension(of: key.source).map { ["\(name).\($0)", name] } ?? [name]
    }

    /// Reads a file as an entry whose age is that of the file. `nil` if it does not begin like an image or is too
    /// large.
    static func entry(_ name: String, in folder: OwnedFolder) -> CacheEntry? {
        let descriptor = folder.open(name, O_RDONLY)
        guard descriptor >= 0, let file = try? LocalFile(owning: descriptor, path: "\(folder.path)/\(name)"),
            file.byteCount <= EntriesHandle.maximumInheritedByteCount,
            let data = try? file.read(file.byteCount, from: 0), let format = FormatSniffer.format(of: data)
        else { return nil }
        let created = folder.status(of: name).map { DiskTime($0.st_mtim).date } ?? Date()
        return CacheEntry(data: data, format: format, created: created)
    }

    /// Returns the extension of the URL's path, or of the whole key if that is not a URL. `nil` if it is too long for a
    /// file name or would lead to another folder.
    private static func fileExtension(of key: String) -> String? {
        let text = URL(string: key)?.pathExtension ?? (key as NSString).pathExtension
        let isUsable = !text.isEmpty && text.utf8.count <= longestExtension && !text.contains { "/\0".contains($0) }
        return isUsable ? text : nil
    }

    /// `NAME_MAX` minus 32 digits and a period.
    private static let longestExtension = 255 - 32 - 1
}
