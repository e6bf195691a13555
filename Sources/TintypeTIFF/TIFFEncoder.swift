import CTintypeTIFF
public import Foundation
public import TintypeCore

/// Encodes lossless TIFF with libtiff, compressed with Deflate: 8-bit RGB if every pixel is opaque, otherwise RGBA with
/// straight alpha: many programs take associated alpha for straight, and show it too dark.
///
/// Any thread may use an encoder.
public struct TIFFEncoder: ImageEncoder {
    /// Creates a TIFF encoder.
    public init() {}

    /// The formats that this encoder writes: TIFF.
    public var formats: Set<ImageFormat> { [.tiff] }

    /// Encodes `pixels`; `options` has no effect on TIFF.
    ///
    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``.
    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        var message = [CChar](repeating: 0, count: 200)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        let status = straight.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_tiff_encode(
                    $0, UInt32(pixels.size.width), UInt32(pixels.size.height), straight.bytesPerRow, isOpaque, &bytes,
                    &count, &message, message.count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            throw TintypeError(code, stage: .encode, "encoding a TIFF failed: \(String(cText: message))")
        }
        return Data(takingOver: bytes, count: count, freedBy: tintype_tiff_free)
    }
}
