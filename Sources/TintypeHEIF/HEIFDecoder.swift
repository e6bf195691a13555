public import Foundation
public import TintypeCore

/// Decodes HEIC (ISO/IEC 23008-12 with HEVC) with libheif: the primary picture, turned and cut as the file says.
///
/// libheif applies the orientation, so what is told of a file is that it needs none.
public struct HEIFDecoder: PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.heic] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                try HEIFReader(raw, DecodeLimits(pixels: 32_768 * 32_768)).info
            }
        } catch {
            // libheif does not tell bytes that end too early from others.
            guard isComplete else { return nil }
            throw error
        }
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try HEIFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            let target = try DecodeTarget(info, context.options)
            try context.checkCancelled()
            let pixels = try reader.pixels(target)
            try context.checkCancelled()
            return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
        }
    }
}
