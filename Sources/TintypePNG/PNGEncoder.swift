import CTintypePNG
public import Foundation
public import TintypeCore

/// Encodes lossless PNG and animated PNG with libpng: 8-bit RGB if every pixel is opaque, otherwise RGBA.
///
/// Any thread may use an encoder.
public struct PNGEncoder: ImageEncoder {
    /// The compression level of zlib, from 0 (none) to 9 (slowest and smallest).
    public var compressionLevel: Int

    /// Creates a PNG encoder.
    ///
    /// - Parameter compressionLevel: The level of zlib; clamped to 0…9.
    public init(compressionLevel: Int = 6) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
    }

    /// The formats that this encoder writes: PNG.
    public var formats: Set<ImageFormat> { [.png] }

    /// Encodes `pixels`; `options` has no effect on PNG.
    ///
    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``.
    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        try encode(pixels, isOpaque: pixels.isOpaque)
    }

    /// Encodes `pixels`, without alpha if `isOpaque` is true.
    ///
    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``.
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
            throw TintypeError(code, stage: .encode, "encoding a PNG failed: \(String(cText: message))")
        }
        return Data(takingOver: bytes, count: count, freedBy: tintype_png_free)
    }
}

/// Encodes animated PNG (PNG third edition, 11.3.6).
///
/// Each frame stores the rectangle that differs from the previous frame, so that every pixel is exact. A duration is
/// stored as a fraction of two 16-bit numbers, exactly if it came from one; the longest is 65,535 seconds.
extension PNGEncoder: AnimatedImageEncoder {
    /// Encodes the frames of `animation`; `options` has no effect on PNG.
    ///
    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``, and the errors of decoding the frames.
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = try animation.isOpaque()
        var writer = PNGAnimationWriter(animation)
        var previous: PixelBuffer?
        for index in 0..<animation.frameCount {
            let pixels = try animation.frame(at: index)
            let rect = Self.changedRect(of: pixels, after: previous)
            let png = try encode(pixels.cropped(to: rect), isOpaque: isOpaque)
            try writer.append(png, at: rect, duration: animation.durations[index])
            previous = pixels
        }
        return writer.finish()
    }

    /// Returns the rectangle to store for a frame, which has at least one pixel.
    private static func changedRect(of pixels: PixelBuffer, after previous: PixelBuffer?) -> PixelRect {
        guard let previous else { return PixelRect(x: 0, y: 0, size: pixels.size) }
        return pixels.changedRect(from: previous) ?? PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
    }
}
