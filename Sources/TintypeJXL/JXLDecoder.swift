public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes JPEG XL (ISO/IEC 18181) with libjxl, bare or in a container, animations too.
public struct JXLDecoder: AnimatedImageDecoder, PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.jxl] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            var info = try JXLHeader(raw, isComplete: isComplete, Self.anyLimits)?.info
            if isComplete { info?.density = try JXLReader.exif(of: raw, Self.anyLimits)?.density }
            return info
        }
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let (info, exif, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try JXLHeader(raw, isComplete: true, context.limits) else { throw .truncatedJXL }
            var info = header.info
            try context.limits.check(info, byteCount: raw.count)
            let exif = try JXLReader.exif(of: raw, context.limits)
            info.density = exif?.density
            guard info.frameCount == 1 || context.options.frames == .first else {
                return (info, exif, WidePicture?.none)
            }
            return (info, exif, try Self.still(raw, header, context))
        }
        guard let still else { return try animatedImage(bytes, info, context, exif: exif) }
        return Image(
            pixels: still.pixels, info: info, scale: context.options.scale ?? 1, highRange: still.highRange,
            exif: context.options.keepsExif ? exif : nil)
    }

    private static func still(
        _ raw: UnsafeRawBufferPointer, _ header: JXLHeader, _ context: DecodeContext
    ) throws(TintypeError) -> WidePicture {
        let target = try DecodeTarget(header.info, context.options)
        var pixels = try JXLPixels(raw, header, context)
        let stored = try pixels.frame(0, target, isCancelled: context.isCancelled)
        return try stored.oriented(header.info.orientation)
    }

    public func makeFrameDecoder(
        _ bytes: Data, _ context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try JXLFrameDecoder(bytes, context.limits)
    }

    /// Where no limits are given.
    private static let anyLimits = DecodeLimits(pixels: .max, side: .max, frames: 100_000)
}
