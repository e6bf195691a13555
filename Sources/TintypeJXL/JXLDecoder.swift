public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes JPEG XL (ISO/IEC 18181) with libjxl, bare or in a container, animations too.
public struct JXLDecoder: AnimatedImageDecoder, PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.jxl] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: isComplete, Self.anyLimits)?.info
        }
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let (info, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try JXLHeader(raw, isComplete: true, context.limits) else { throw .truncatedJXL }
            try context.limits.check(header.info, byteCount: raw.count)
            guard header.info.frameCount == 1 || context.options.frames == .first else {
                return (header.info, Image?.none)
            }
            return (header.info, try Self.still(raw, header, context))
        }
        guard let still else { return try animatedImage(bytes, info, context) }
        return still
    }

    private static func still(
        _ raw: UnsafeRawBufferPointer, _ header: JXLHeader, _ context: DecodeContext
    ) throws(TintypeError) -> Image {
        let info = header.info
        let target = try DecodeTarget(info, context.options)
        var pixels = try JXLPixels(raw, header, context)
        let stored = try pixels.frame(0, target, isCancelled: context.isCancelled)
        let picture = try stored.oriented(info.orientation)
        return Image(
            pixels: picture.pixels, info: info, scale: context.options.scale ?? 1, highRange: picture.highRange)
    }

    public func makeFrameDecoder(
        _ bytes: Data, _ context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try JXLFrameDecoder(bytes, context.limits)
    }

    /// Where no limits are given.
    private static let anyLimits = DecodeLimits(pixels: .max, side: .max, frames: 100_000)
}
