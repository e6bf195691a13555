public import Foundation
import TintypeCore

/// A directory of pictures that a cache reads and never writes: one that a program brings with it, or that another
/// library has left.
public enum InheritedDirectory: Hashable, Sendable {
    /// Another directory of a ``DiskCache``.
    case tintype(URL)
    /// A directory of SDWebImage's disk cache, such as `…/com.hackemist.SDImageCache/default`: files named by the MD5 of
    /// the key with the key's extension, without any head. It has originals only, and nothing can be verified but that
    /// they begin like a picture.
    case sdWebImage(URL)

    /// Blocks. What is damaged is a miss, and stays.
    func entry(for key: CacheKey) -> CacheEntry? {
        switch self {
        case .tintype(let url):
            guard let entries = Self.entries(url),
                case .file(let header, let bytes, _) = EntryFile.read(EntryName(key), in: entries, for: key)
            else { return nil }
            return CacheEntry(header, bytes[header.length...])
        case .sdWebImage(let url):
            return SDWebImageFile.paths(of: key, in: url.path(percentEncoded: false)).lazy
                .compactMap(SDWebImageFile.entry).first
        }
    }

    /// Whether there is an entry whose own time is not over. Blocks.
    func contains(_ key: CacheKey, at date: Date) -> Bool {
        switch self {
        case .tintype(let url):
            guard let entries = Self.entries(url),
                case .sound(let header, _) = EntryFile.readHead(EntryName(key), in: entries)
            else { return false }
            return header.key == key && header.times.expires.map { $0 > DiskTime(date) } ?? true
        case .sdWebImage(let url):
            return SDWebImageFile.paths(of: key, in: url.path(percentEncoded: false)).contains {
                access($0, R_OK) == 0
            }
        }
    }

    private static func entries(_ url: URL) -> EntriesHandle? {
        EntriesHandle(CacheLayout(root: url.path(percentEncoded: false)))
    }
}
