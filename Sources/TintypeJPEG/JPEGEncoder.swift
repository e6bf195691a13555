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
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions
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
