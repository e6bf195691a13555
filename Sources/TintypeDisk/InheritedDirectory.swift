import Crypto
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

/// The files of SDWebImage's disk cache (5.x, `SDDiskCacheFileNameForKey`).
enum SDWebImageFile {
    /// Where the original of a key may be: with the extension of its URL, and without any, as before version 4.
    static func paths(of key: CacheKey, in folder: String) -> [String] {
        guard key.isOriginal else { return [] }
        let name = Insecure.MD5.hash(data: Data(key.source.utf8)).hexadecimal
        return fileExtension(of: key.source).map { ["\(folder)/\(name).\($0)", "\(folder)/\(name)"] }
            ?? ["\(folder)/\(name)"]
    }

    /// A picture as it is; `nil` for what does not begin like one, or is too large to be one. Its metadata and age are the
    /// file's.
    static func entry(_ path: String) -> CacheEntry? {
        guard let file = try? LocalFile(reading: path), file.byteCount <= largest,
            let data = try? file.read(file.byteCount, from: 0), let format = FormatSniffer.format(of: data)
        else { return nil }
        var facts = stat()
        let created = stat(path, &facts) == 0 ? DiskTime(facts.st_mtim).date : Date()
        return CacheEntry(data: data, format: format, created: created)
    }

    /// Of the URL's path, or of the whole key where that is no URL. One that a file name has no room for is left out,
    /// and so is one that would lead to another folder.
    private static func fileExtension(of key: String) -> String? {
        let text = URL(string: key)?.pathExtension ?? (key as NSString).pathExtension
        let isUsable = !text.isEmpty && text.utf8.count <= longestExtension && !text.contains { "/\0".contains($0) }
        return isUsable ? text : nil
    }

    /// Bytes. Read into memory and not mapped, since others may cut these files.
    private static let largest = 256 << 20

    /// `NAME_MAX` without 32 digits and a dot.
    private static let longestExtension = 255 - 32 - 1
}

extension Insecure.MD5.Digest {
    fileprivate var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 2 ? digits : "0\(digits)"
        }.joined()
    }
}
