import Crypto
import Foundation
import TintypeCore

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
