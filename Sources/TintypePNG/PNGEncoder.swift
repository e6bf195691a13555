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
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
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

/// Animated PNG (PNG third edition, 11.3.6). Of each frame the rectangle is stored that differs from the one before, and
/// replaces what was there: every pixel is kept.
///
/// A duration is stored as a fraction of whole numbers, exactly if it was one of these; 65,535 seconds is the longest.
extension PNGEncoder: AnimatedImageEncoder {
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = try animation.isOpaque()
        var writer = PNGAnimationWriter(animation)
        var shown: PixelBuffer?
        for index in 0..<animation.frameCount {
            let picture = try animation.frame(at: index)
            let rect = Self.rect(picture, after: shown)
            let png = try encode(picture.cropped(to: rect), isOpaque: isOpaque)
            try writer.add(png, at: rect, duration: animation.durations[index])
            shown = picture
        }
        return writer.finished()
    }

    /// What is to be painted; a frame has one pixel at least.
    private static func rect(_ picture: PixelBuffer, after shown: PixelBuffer?) -> PixelRect {
        guard let shown else { return PixelRect(x: 0, y: 0, size: picture.size) }
        return picture.changedRect(from: shown) ?? PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
    }
}
