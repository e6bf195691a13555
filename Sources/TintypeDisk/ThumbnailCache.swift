public import Foundation
public import TintypeCore

/// Decoded pictures on disk, ready to show: a hit costs a file that is opened, mapped and verified, and no decoding.
///
/// It takes 4 bytes for each pixel, ten times as much as an encoded picture, so it is for small ones, and has limits of
/// its own. Everything else is that of a ``DiskCache``, of which it has one: an entry is the rows of a picture,
/// premultiplied and as memory has them, with what is known of it in the metadata.
public final class ThumbnailCache: PixelCaching {
    /// The files, for who looks after them.
    public let disk: DiskCache
    /// The most bytes of pixels that one picture may have.
    public let largest: Int

    /// Such an entry's format; no decoder takes it.
    static let format = ImageFormat(rawValue: "pixels")

    /// Pixels that may wait to be written. They are copies: no picture is kept alive by waiting.
    private static let waitingBytes = 32 << 20

    /// - Parameters:
    ///   - directory: `nil` is `thumbnails` in the directory of the standard ``DiskCache``.
    ///   - limits: 128 MB and a week since the last use by default.
    ///   - largest: bytes of pixels; 1 MB by default, a picture of 512 × 512.
    public init(
        directory: URL? = nil, limits: DiskLimits = DiskLimits(byteCount: 128 << 20), largest: Int = 1 << 20,
        time: TimeSource = .system
    ) {
        let layout =
            directory.map { CacheLayout($0) } ?? CacheLayout(root: "\(CacheLayout.standard.root)/\(Self.folderName)")
        disk = DiskCache(layout, limits, [], time, WaitingRoom(memory: Self.waitingBytes))
        self.largest = largest
    }

    /// The one that belongs to a disk cache: in a folder of its directory.
    public convenience init(beside disk: DiskCache) {
        self.init(
            directory: disk.directory.appending(path: Self.folderName, directoryHint: .isDirectory), time: disk.time)
    }

    private static let folderName = "thumbnails"
}

extension ThumbnailCache {
    public func image(for key: CacheKey) -> Image? {
        guard let found = disk.find(key, as: UsedInPlace.self) else { return nil }
        if let image = found.image { return image }
        // Sound, but not what this writes.
        disk.remove(key)
        return nil
    }

    @discardableResult
    public func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        guard !image.isAnimated, !image.isPartial, image.highRange == nil,
            let count = PixelBuffer.rowByteCount(image.size), count <= largest
        else {
            return false
        }
        let now = disk.time.date()
        let entry = CacheEntry(
            data: image.pixels.rows, format: Self.format, metadata: ThumbnailFacts(image).encoded,
            created: image.received ?? now, expires: timeToLive.map { now.later(by: $0) })
        disk.store(entry, for: key)
        return true
    }

    public func remove(_ key: CacheKey) { disk.remove(key) }

    public func contains(_ key: CacheKey) -> Bool { disk.contains(key) }

    public func removeAll() async throws(TintypeError) { try await disk.removeAll() }

    public func flush() async throws(TintypeError) { try await disk.flush() }
}

extension DiskCache.Finding<UsedInPlace> {
    /// `nil` for what is no picture's pixels.
    fileprivate var image: Image? {
        switch self {
        case .file(let header, .mapped(let mapped)):
            ThumbnailFacts(decoding: header.metadata)?.image { PixelBuffer(mapped, from: header.length, size: $0) }
        case .file(let header, .copied(let data)):
            ThumbnailFacts(decoding: header.metadata)?.image { PixelBuffer(rows: data[header.length...], size: $0) }
        case .entry(let entry):
            ThumbnailFacts(decoding: entry.metadata)?.image { PixelBuffer(rows: entry.data, size: $0) }
        }
    }
}

/// The metadata of an entry of pixels: width, height and scale of the picture, and what is known of its source. Numbers
/// are of 8 bytes and little-endian.
struct ThumbnailFacts {
    private let size: PixelSize
    private let scale: Double
    private let source: StoredInfo

    private static let length = 24

    init(_ image: Image) {
        size = image.size
        scale = image.scale
        source = StoredInfo(image)
    }

    /// `nil` for what was not made by ``encoded``, or says what no picture can be.
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

    func image(_ pixels: (PixelSize) -> PixelBuffer?) -> Image? {
        pixels(size).map { source.applied(to: $0, scale: scale) }
    }
}
