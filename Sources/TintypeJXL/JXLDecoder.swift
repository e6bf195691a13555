public import Foundation
public import TintypeCore

/// Decodes JPEG XL (ISO/IEC 18181) with libjxl, bare or in a container, animations too.
public struct JXLDecoder: AnimatedImageDecoder {
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
                return (header.info, PixelBuffer?.none)
            }
            var pixels = try JXLPixels(raw, header)
            return (header.info, try pixels.frame(0, isCancelled: context.isCancelled))
        }
        guard let still else { return try animatedImage(bytes, info, context) }
        let target = info.orientation.displayed(context.options.size.target(for: info.size))
        let pixels = try still.resampled(to: target, filter: .lanczos3).oriented(info.orientation)
        return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
    }

    public func makeFrameDecoder(
        _ bytes: Data, _ context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try JXLFrameDecoder(bytes, context.limits)
    }

    /// Where no limits are given.
    private static let anyLimits = DecodeLimits(pixels: .max, side: .max, frames: 100_000)
}
