import CTintypeJPEG
public import Foundation
public import TintypeCore

/// Encodes JPEG with libjpeg-turbo; what is transparent is put on the background of the options.
public struct JPEGEncoder: ImageEncoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.jpeg] }

    /// From this quality on colour keeps its full resolution: who asks for so much wants to see it.
    private static let fullChromaQuality = 0.9

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let opaque = try pixels.flattened(on: options.background)
        let whole = try Self.encoded(opaque, options)
        let small = pixels.size.fitted(into: EncodeOptions.thumbnailSize)
        guard options.embedsThumbnail, small != pixels.size else { return whole }
        let thumbnail = try opaque.resampled(to: small, filter: .lanczos3)
        let quality = min(options.quality, Self.thumbnailQuality)
        return ExifThumbnail(try Self.encoded(thumbnail, EncodeOptions(quality: quality))).inserted(into: whole)
    }

    /// A picture of 320×320 pixels then always fits into an Exif segment.
    private static let thumbnailQuality = 0.8

    private static func encoded(_ opaque: PixelBuffer, _ options: EncodeOptions) throws(TintypeError) -> Data {
        // NaN compares as false and becomes the lowest.
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        var message = [CChar](repeating: 0, count: 200)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = opaque.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_encode(
                    $0, UInt32(opaque.size.width), UInt32(opaque.size.height), opaque.bytesPerRow,
                    Int32(max(1, (quality * 100).rounded())), false, quality >= Self.fullChromaQuality, &bytes, &count,
                    &message, message.count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw TintypeError(code, stage: .encode, "no JPEG could be made: \(reason)")
        }
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in
                tintype_jpeg_free(pointer.assumingMemoryBound(to: UInt8.self))
            })
    }
}

/// A thumbnail as Exif data of a JPEG: a TIFF file of two directories, of which the second has it (Exif 2.32, 4.5.5).
struct ExifThumbnail {
    private let jpeg: Data

    init(_ jpeg: Data) {
        self.jpeg = jpeg
    }

    /// A JPEG of libjpeg's with the thumbnail after its first segment; as it is where that would be too large for one.
    func inserted(into whole: Data) -> Data {
        let segment = Data(ExifData.segmentStart) + directories + jpeg
        let length = segment.count + 2
        guard length <= Int(UInt16.max), whole.count > 6 else { return whole }
        // After the start and the JFIF segment, which has to be the first.
        let first = 2 + 2 + Int(whole[whole.startIndex + 4]) << 8 + Int(whole[whole.startIndex + 5])
        guard first <= whole.count else { return whole }
        let head = Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)])
        return whole.prefix(first) + head + segment + whole.dropFirst(first)
    }

    /// Big-endian: the first directory says that the picture is upright, the second where the thumbnail is.
    private var directories: Data {
        let (firstAt, secondAt) = (8, 8 + 2 + 12 + 4)
        let jpegAt = secondAt + 2 + 3 * 12 + 4
        var data = Data("MM\0*".utf8)
        data.append(big: firstAt, 4)
        data.append(entries: [(0x0112, 3, 1 << 16)], next: secondAt)
        data.append(entries: [(0x0103, 3, 6 << 16), (0x0201, 4, jpegAt), (0x0202, 4, jpeg.count)], next: 0)
        return data
    }
}

extension Data {
    fileprivate mutating func append(big number: Int, _ size: Int) {
        for shift in (0..<size).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }

    /// A directory of entries of one value each: tag, type, and the four bytes of the value.
    fileprivate mutating func append(entries: [(tag: Int, type: Int, value: Int)], next: Int) {
        append(big: entries.count, 2)
        for entry in entries {
            append(big: entry.tag, 2)
            append(big: entry.type, 2)
            append(big: 1, 4)
            append(big: entry.value, 4)
        }
        append(big: next, 4)
    }
}
