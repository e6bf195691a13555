import CTintypeTIFF
public import Foundation
public import TintypeCore

/// Encodes TIFF with libtiff: 8-bit RGB where every pixel is opaque, RGBA with associated alpha otherwise, compressed with
/// Deflate. Lossless.
public struct TIFFEncoder: ImageEncoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.tiff] }

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        var message = [CChar](repeating: 0, count: 200)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let isOpaque = pixels.isOpaque
        let status = pixels.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_tiff_encode(
                    $0, UInt32(pixels.size.width), UInt32(pixels.size.height), pixels.bytesPerRow, isOpaque, &bytes,
                    &count, &message, message.count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            throw TintypeError(code, stage: .encode, "no TIFF could be made: \(String(tiffMessage: message))")
        }
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in tintype_tiff_free(pointer.assumingMemoryBound(to: UInt8.self)) })
    }
}
