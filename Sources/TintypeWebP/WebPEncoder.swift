import CTintypeWebP
public import Foundation
public import TintypeCore

/// Encodes WebP with libwebp, still and animated. Of quality 1 every pixel is kept.
public struct WebPEncoder: ImageEncoder {
    /// From 0, fast, to 6, small.
    public var method: Int

    public init(method: Int = 4) {
        self.method = min(max(method, 0), 6)
    }

    public var formats: Set<ImageFormat> { [.webp] }

    /// How hard to try where nothing is lost, in hundredths: more takes long and gains little.
    private static let losslessEffort = 75.0

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let settings = settings(options)
        let straight = pixels.isOpaque ? pixels : try pixels.unpremultiplied()
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = straight.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_webp_encode(
                    $0, UInt32(straight.size.width), UInt32(straight.size.height), straight.bytesPerRow,
                    settings.quality, settings.is_lossless, settings.method, &bytes, &count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            throw TintypeError(code, stage: .encode, "no WebP could be made of \(pixels.size) pixels")
        }
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in tintype_webp_free(pointer.assumingMemoryBound(to: UInt8.self)) })
    }

    func settings(_ options: EncodeOptions) -> tintype_webp_settings {
        // NaN compares as false and becomes the lowest.
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        let isLossless = quality == 1
        return tintype_webp_settings(
            quality: Float(isLossless ? Self.losslessEffort : quality * 100), is_lossless: isLossless,
            method: Int32(method))
    }
}
