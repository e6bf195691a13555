import CTintypePNG
public import Foundation
public import TintypeCore

/// Encodes PNG with libpng, and animated PNG: 8-bit RGB where every pixel is opaque, RGBA otherwise. Lossless.
public struct PNGEncoder: ImageEncoder {
    /// zlib's level, from 0, none, to 9, the slowest.
    public var compressionLevel: Int

    public init(compressionLevel: Int = 6) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
    }

    public var formats: Set<ImageFormat> { [.png] }

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        try encode(pixels, isOpaque: pixels.isOpaque)
    }

    /// - Parameter isOpaque: whether alpha is left out.
    func encode(_ pixels: PixelBuffer, isOpaque: Bool) throws(TintypeError) -> Data {
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        var message = [CChar](repeating: 0, count: 200)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = straight.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_png_encode(
                    $0, UInt32(straight.size.width), UInt32(straight.size.height), straight.bytesPerRow, isOpaque,
                    Int32(compressionLevel), &bytes, &count, &message, message.count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw TintypeError(code, stage: .encode, "no PNG could be made: \(reason)")
        }
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in
                tintype_png_free(pointer.assumingMemoryBound(to: UInt8.self))
            })
    }
}
