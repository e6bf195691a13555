public import Foundation
import TintypeCore
public import TintypeDisk

extension InheritedDirectory {
    /// The directory of an SDWebImage disk cache, such as `…/com.hackemist.SDImageCache/default`.
    ///
    /// Its files are named by the MD5 of the key, with the key's extension, and have no header. It contains originals
    /// only. The only check on its bytes is that they begin like an image.
    public static func sdWebImage(_ directory: URL) -> InheritedDirectory {
        InheritedDirectory(SDWebImageDirectory(url: directory))
    }
}

/// Reads the directory of an SDWebImage disk cache.
private struct SDWebImageDirectory: InheritedEntries {
    let url: URL

    func entry(for key: CacheKey) -> CacheEntry? {
        guard let folder else { return nil }
        for name in SDWebImageFile.names(of: key) {
            if let entry = SDWebImageFile.entry(name, in: folder) { return entry }
        }
        return nil
    }

    func contains(_ key: CacheKey, at date: Date) -> Bool {
        guard let folder else { return false }
        return SDWebImageFile.names(of: key).contains {
            folder.status(of: $0).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
        }
    }

    /// `nil` if there is no such folder, or if every user may write to it.
    private var folder: OwnedFolder? { try? OwnedFolder(url.path(percentEncoded: false), .readOnly) }
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
            file.byteCount <= maximumByteCount,
            let data = try? file.read(file.byteCount, from: 0), let format = FormatSniffer.format(of: data)
        else { return nil }
        let created =
            folder.status(of: name).map {
                Date(timeIntervalSince1970: Double($0.st_mtim.tv_sec) + Double($0.st_mtim.tv_nsec) / 1e9)
            } ?? Date()
        return CacheEntry(data: data, format: format, created: created)
    }

    /// Returns the extension of the URL's path, or of the whole key if that is not a URL. `nil` if it is too long for a
    /// file name or would lead to another folder.
    private static func fileExtension(of key: String) -> String? {
        let text = URL(string: key)?.pathExtension ?? (key as NSString).pathExtension
        let isUsable = !text.isEmpty && text.utf8.count <= longestExtension && !text.contains { "/\0".contains($0) }
        return isUsable ? text : nil
    }

    /// The limit of inherited directories.
    private static let maximumByteCount = 256 << 20

    /// `NAME_MAX` minus 32 digits and a period.
    private static let longestExtension = 255 - 32 - 1
}
