package import Foundation
public import TintypeCore

extension DiskCache {
    /// Returns a cache of decoded images in the folder `thumbnails` of this cache's directory, with the same clock: a
    /// hit opens, maps and verifies one file and decodes nothing.
    ///
    /// It takes 4 bytes per pixel, about ten times as much as an encoded image, so it is meant for small images and has
    /// limits of its own.
    ///
    /// - Parameters:
    ///   - limits: The limits on size, count and age. `nil` takes those of this cache, but at most 128 MB.
    ///   - maximumByteCount: The maximum size of one image's pixels, in bytes. 1 MB by default, or 512 × 512 pixels.
    public func thumbnails(
        limits: DiskLimits? = nil, maximumByteCount: Int = 1 << 20
    ) -> any PixelCaching {
        ThumbnailCache(beside: self, limits: limits, maximumByteCount: maximumByteCount)
    }
}

/// A disk cache of decoded images. A hit opens, maps and verifies one file and decodes nothing.
///
/// It takes 4 bytes per pixel, about ten times as much as an encoded image, so it is meant for small images and has
/// limits of its own. The files are managed by a ``DiskCache``: an entry's payload is the premultiplied rows of the
/// image as they are in memory, and its metadata describes the image. You can call every method from any thread.
package final class ThumbnailCache: PixelCaching {
    /// The cache that manages the files, for maintenance such as ``DiskCache/trim(to:)``.
    package let disk: DiskCache
    /// The maximum size of one image's pixels, in bytes.
    package let maximumByteCount: Int

    /// The format of the entries. No decoder accepts it.
    static let format = ImageFormat(rawValue: "pixels")

    /// The maximum size of the pixels that wait to be written, in bytes. They are copies, so that a pending write
    /// retains no image.
    private static let pendingByteLimit = 32 << 20

    /// Creates a cache without touching the disk.
    ///
    /// - Parameters:
    ///   - directory: The directory of the cache. `nil` uses `thumbnails` in the directory of the standard
    ///     ``DiskCache``.
    ///   - limits: The limits on size, count and age. 128 MB and 7 days since the last use by default.
    ///   - maximumByteCount: The maximum size of one image's pixels, in bytes. 1 MB by default, or 512 × 512 pixels.
    ///   - time: The clock for ages and expiry dates.
    package convenience init(
        directory: URL? = nil, limits: DiskLimits = DiskLimits(byteCount: 128 << 20), maximumByteCount: Int = 1 << 20,
        time: TimeSource = .system
    ) {
        let layout = directory.map { CacheLayout($0) } ?? .standard.folder(Self.folderName)
        self.init(layout, limits, maximumByteCount, time)
    }

    /// Creates a cache in the folder `thumbnails` of a disk cache's directory, with the same clock.
    ///
    /// - Parameters:
    ///   - disk: The disk cache.
    ///   - limits: The limits on size, count and age. `nil` takes those of the disk cache, but at most 128 MB.
    ///   - maximumByteCount: The maximum size of one image's pixels, in bytes. 1 MB by default.
    package convenience init(beside disk: DiskCache, limits: DiskLimits? = nil, maximumByteCount: Int = 1 << 20) {
        var inherited = disk.limits
        inherited.byteCount = min(inherited.byteCount, 128 << 20)
        self.init(disk.layout.folder(Self.folderName), limits ?? inherited, maximumByteCount, disk.time)
    }

    private init(_ layout: CacheLayout, _ limits: DiskLimits, _ maximumByteCount: Int, _ time: TimeSource) {
        // Pixels are mapped from files of their own.
        disk = DiskCache(
            layout, limits, [], .read, time, StagingBudget(memory: Self.pendingByteLimit), usesSegments: false)
        self.maximumByteCount = maximumByteCount
    }

    private static let folderName = "thumbnails"
}

extension ThumbnailCache {
    /// Returns the image of a key, or `nil` on a miss. Blocks the calling thread.
    ///
    /// The pixels are mapped from the file, and stay valid after the file is removed. An entry that is not an image is
    /// removed.
    package func image(for key: CacheKey) -> Image? {
        guard let result = disk.lookUp(key, as: InPlaceBytes.self) else { return nil }
        if let image = result.image { return image }
        // The entry is sound, but this cache did not write it.
        disk.remove(key)
        return nil
    }

    /// Stores an image and returns at once; a background thread writes the file.
    ///
    /// - Parameters:
    ///   - image: A complete still image without high-range pixels, of at most `maximumByteCount` bytes.
    ///   - key: The key of the image.
    ///   - timeToLive: The time until the entry expires, or `nil` if only the limits apply.
    /// - Returns: Whether the image is of a kind and size that this cache stores.
    @discardableResult
    package func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        guard !image.isAnimated, !image.isPartial, image.highRange == nil,
            let count = PixelBuffer.rowByteCount(image.size), count <= maximumByteCount
        else {
            return false
        }
        let now = disk.time.date()
        let entry = CacheEntry(
            data: image.pixels.rows, format: Self.format, metadata: ThumbnailMetadata(image).encoded,
            created: image.received ?? now, expires: timeToLive.map { now.later(by: $0) })
        disk.store(entry, for: key)
        return true
    }

    /// Removes the image of a key. Blocks the calling thread.
    package func remove(_ key: CacheKey) { disk.remove(key) }

    /// Returns whether there is an unexpired entry for a key. Does not verify its bytes. Blocks the calling thread.
    package func contains(_ key: CacheKey) -> Bool { disk.contains(key) }

    /// Removes all images.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if the files cannot be removed; `TintypeError.Code.cancelled` if
    ///   the task is cancelled.
    package func removeAll() async throws(TintypeError) { try await disk.removeAll() }

    /// Waits until all earlier changes are written to disk.
    ///
    /// - Throws: The first write error since the last call, usually `TintypeError.Code.unwritable`.
    package func flush() async throws(TintypeError) { try await disk.flush() }
}

extension DiskCache.LookupResult<InPlaceBytes> {
    /// The image of this entry, or `nil` if the entry does not describe one.
    fileprivate var image: Image? {
        switch self {
        case .file(let header, .mapped(let mapped)):
            ThumbnailMetadata(decoding: header.metadata)?.image(expires: header.times.expires?.date) {
                PixelBuffer(mapped, from: header.length, size: $0)
            }
        case .file(let header, .copied(let data)):
            ThumbnailMetadata(decoding: header.metadata)?.image(expires: header.times.expires?.date) {
                PixelBuffer(rows: data[header.length...], size: $0)
            }
        case .entry(let entry):
            ThumbnailMetadata(decoding: entry.metadata)?.image(expires: entry.expires) {
                PixelBuffer(rows: entry.data, size: $0)
            }
        }
    }
}

/// The metadata of an entry of pixels: the width, height and scale of the image, and the information on its source.
/// Numbers have 8 bytes and are little-endian.
struct ThumbnailMetadata {
    private let size: PixelSize
    private let scale: Double
    private let source: StoredInfo

    private static let length = 24

    init(_ image: Image) {
        size = image.size
        scale = image.scale
        source = StoredInfo(image)
    }

    /// Reads metadata made by ``encoded``. `nil` if it is malformed or describes an impossible image.
    init?(decoding data: Data) {
        guard data.count >= Self.length, let source = StoredInfo(decoding: data.dropFirst(Self.length)) else {
            return nil
        }
        let numbers = data.withUnsafeBytes { bytes in
            (0..<3).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        size = PixelSize(width: Int(clamping: numbers[0]), height: Int(clamping: numbers[1]))
        scale = Double(bitPattern: numbers[2])
        self.source = source
        guard PixelBuffer.rowByteCount(size) != nil, scale.isFinite, scale > 0 else { return nil }
    }

    var encoded: Data {
        var data = Data()
        for number in [UInt64(size.width), UInt64(size.height), scale.bitPattern] {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        return data + source.encoded
    }

    /// Returns an image of the pixels that the closure makes for the size. It expires with its entry.
    func image(expires: Date?, _ pixels: (PixelSize) -> PixelBuffer?) -> Image? {
        pixels(size).map { source.applied(to: $0, scale: scale, expires: expires) }
    }
}
