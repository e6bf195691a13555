import CTintypeJPEG
package import Foundation
package import TintypeCore

/// Encodes JPEG with libjpeg-turbo: baseline or progressive, grey or in colours. Transparent pixels are drawn over the
/// background colour of the options.
///
/// Any thread may use an encoder.
package struct JPEGEncoder: ImageEncoder {
    /// Creates a JPEG encoder.
    package init() {}

    /// The formats that this encoder writes: JPEG.
    package var formats: Set<ImageFormat> { [.jpeg] }

    /// The quality (0–1) from which on chroma keeps its full resolution.
    private static let fullChromaQuality = 0.9

    /// Encodes `pixels` at the quality of `options`, with an Exif thumbnail if they ask for one.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let opaque = try pixels.flattened(on: options.background)
        let jpeg = try Self.encodeJPEG(opaque, options)
        let thumbnailSize = pixels.size.fitted(into: EncodeOptions.thumbnailSize)
        guard options.embedsThumbnail, thumbnailSize != pixels.size else { return jpeg }
        let thumbnail = try opaque.resampled(to: thumbnailSize, filter: .lanczos3)
        var thumbnailOptions = options
        thumbnailOptions.quality = min(options.usedQuality, Self.thumbnailQuality)
        (thumbnailOptions.chroma, thumbnailOptions.isProgressive) = (.automatic, false)
        return ExifThumbnail(try Self.encodeJPEG(thumbnail, thumbnailOptions)).inserted(into: jpeg)
    }

    /// The highest quality of a thumbnail: 320 × 320 pixels then always fit into an Exif segment.
    private static let thumbnailQuality = 0.8

    private static func encodeJPEG(_ opaque: PixelBuffer, _ options: EncodeOptions) throws(TintypeError) -> Data {
        let settings = settings(options, isGrey: options.allowsGrey && opaque.isGrey)
        var message = [CChar](repeating: 0, count: 200)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = opaque.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_encode(
                    $0, UInt32(opaque.size.width), UInt32(opaque.size.height), opaque.bytesPerRow, settings, &bytes,
                    &count, &message, message.count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            throw TintypeError(code, stage: .encode, "encoding a JPEG failed: \(String(cText: message))")
        }
        return Data(takingOver: bytes, count: count, freedBy: tintype_jpeg_free)
    }

    private static func settings(_ options: EncodeOptions, isGrey: Bool) -> tintype_jpeg_settings {
        let quality = options.usedQuality
        let (across, down): (Int32, Int32) =
            switch options.chroma {
            case .automatic: quality >= fullChromaQuality ? (1, 1) : (2, 2)
            case .yuv420, .sharp420: (2, 2)
            case .yuv422: (2, 1)
            case .yuv444: (1, 1)
            }
        return tintype_jpeg_settings(
            quality: Int32(max(1, (quality * 100).rounded())), is_progressive: options.isProgressive, is_grey: isGrey,
            chroma_across: across, chroma_down: down)
    }
}

/// A thumbnail as Exif data: a TIFF file with two directories, of which the second holds it (Exif 2.32, 4.5.5).
struct ExifThumbnail {
    private let thumbnail: Data

    init(_ thumbnail: Data) {
        self.thumbnail = thumbnail
    }

    /// Returns `jpeg`, which must come from libjpeg, with the thumbnail after its first segment.
    ///
    /// A thumbnail too large for a segment is left out.
    func inserted(into jpeg: Data) -> Data {
        let segment = Data(ExifData.segmentStart) + directories + thumbnail
        let length = segment.count + 2
        guard length <= Int(UInt16.max), jpeg.count > 6 else { return jpeg }
        // The JFIF segment must be the first, directly after the start of the image.
        let insertionPoint = 2 + 2 + Int(jpeg[jpeg.startIndex + 4]) << 8 + Int(jpeg[jpeg.startIndex + 5])
        guard insertionPoint <= jpeg.count else { return jpeg }
        let head = Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)])
        return jpeg.prefix(insertionPoint) + head + segment + jpeg.dropFirst(insertionPoint)
    }

    /// Two big-endian directories: the first states the orientation (upright), the second the position of the
    /// thumbnail.
    private var directories: Data {
        let (firstOffset, secondOffset) = (8, 8 + 2 + 12 + 4)
        let thumbnailOffset = secondOffset + 2 + 3 * 12 + 4
        var data = Data("MM\0*".utf8)
        data.append(big: firstOffset, 4)
        data.append(entries: [(0x0112, 3, 1 << 16)], next: secondOffset)
        data.append(
            entries: [(0x0103, 3, 6 << 16), (0x0201, 4, thumbnailOffset), (0x0202, 4, thumbnail.count)], next: 0)
        return data
    }
}

extension Data {
    /// Appends the low `size` bytes of `number`, most significant first.
    fileprivate mutating func append(big number: Int, _ size: Int) {
        for shift in (0..<size).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }

    /// Appends a directory. Each entry has one value: its tag, its type, and the four bytes of the value.
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
