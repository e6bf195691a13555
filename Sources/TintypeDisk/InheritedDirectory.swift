import Crypto
public import Foundation
import TintypeCore

/// A directory that a cache reads and never writes, such as one bundled with a program or left by another library.
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
            return SDWebImageFile.paths(of: key, in: url.path(percentEncoded: false)).lazy
                .compactMap(SDWebImageFile.entry).first
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
    /// Returns the possible paths of a key's original: with the extension of its URL, and without, as before version 4.
    static func paths(of key: CacheKey, in folder: String) -> [String] {
        guard key.isOriginal else { return [] }
        let name = Insecure.MD5.hash(data: Data(key.source.utf8)).hexadecimal
        return fileExtension(of: key.source).map { ["\(folder)/\(name).\($0)", "\(folder)/\(name)"] }
            ?? ["\(folder)/\(name)"]
    }

    /// Reads a file as an entry whose age is that of the file. `nil` if it does not begin like an image or is too
    /// large.
    static func entry(_ path: String) -> CacheEntry? {
        guard let file = try? LocalFile(reading: path), file.byteCount <= maximumByteCount,
            let data = try? file.read(file.byteCount, from: 0), let format = FormatSniffer.format(of: data)
        else { return nil }
        var status = stat()
        let created = stat(path, &status) == 0 ? DiskTime(status.st_mtim).date : Date()
        return CacheEntry(data: data, format: format, created: created)
    }

    /// Returns the extension of the URL's path, or of the whole key if that is not a URL. `nil` if it is too long for a
    /// file name or would lead to another folder.
    private static func fileExtension(of key: String) -> String? {
        let text = URL(string: key)?.pathExtension ?? (key as NSString).pathExtension
        let isUsable = !text.isEmpty && text.utf8.count <= longestExtension && !text.contains { "/\0".contains($0) }
        return isUsable ? text : nil
    }

    /// The maximum size of a file, in bytes. Files are read into memory and not mapped, because other programs may
    /// truncate them.
    private static let maximumByteCount = 256 << 20

    /// `NAME_MAX` minus 32 digits and a period.
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
