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

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let (info, exif, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try JXLHeader(raw, isComplete: true, context.limits) else { throw .truncatedJXL }
            var info = header.info
            try context.limits.check(info, byteCount: raw.count)
            let exif = try JXLReader.exif(of: raw, context.limits)
            info.density = exif?.density
            guard info.frameCount == 1 || context.options.frames == .first else {
                return (info, exif, WideImage?.none)
            }
            return (info, exif, try Self.still(raw, header, context))
        }
        guard let still else { return try animatedImage(bytes, info: info, context: context, exif: exif) }
        return Image(
            pixels: still.pixels, info: info, scale: context.options.scale ?? 1, highRange: still.highRange,
            exif: context.options.keepsExif ? exif : nil)
    }

    private static func still(
        _ raw: UnsafeRawBufferPointer, _ header: JXLHeader, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let target = try DecodeTarget(header.info, context.options)
        var pixels = try JXLPixels(raw, header, context)
        let stored = try pixels.frame(0, target, isCancelled: context.isCancelled)
        return try stored.oriented(header.info.orientation)
    }

    public func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try JXLFrameDecoder(bytes, context.limits)
    }

    /// Where no limits are given.
    private static let anyLimits = DecodeLimits(pixels: .max, side: .max, frames: 100_000)
}

/// Frames of an animation are shown when the next one has begun, so the last one comes with the whole; a still picture is
/// shown as soon as libjxl has all of it at an eighth of its size, and then where it has more.
extension JXLDecoder: ProgressiveAnimationDecoder {
    public func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalImage { (head) throws(TintypeError) in try Self.kind(of: head, context) }
    }

    private static func kind(
        of head: Data, _ context: DecodeContext
    ) throws(TintypeError) -> IncrementalImage.Kind {
        let header = try head.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .nothing, context.limits)
        }
        guard let header else { return .unknown }
        guard !header.isAnimated else {
            return .animation(IncrementalAnimation(decoder: JXLDecoder(), context))
        }
        return .still(try JXLPreviewReader(header, context))
    }

    public func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .arrived, context.limits)
        }
        guard let header, header.isAnimated else { return nil }
        return ArrivedFrames(info: header.info, decoder: try JXLFrameDecoder(bytes, header, context.limits))
    }
}

extension JXLDecoder: SalvagingImageDecoder {
    /// What libjxl has of the picture before the damage; of an animation, the frames that are whole, or else what there is
    /// of the first.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .nothing, context.limits)
        }
        guard let header else { return nil }
        if header.isAnimated, let animation = try? salvageAnimation(bytes, context: context) { return animation }
        try context.checkCancelled()
        let reader = try JXLPreviewReader(header, context)
        guard let sound = try Self.soundBytes(bytes, reader) else { return try reader.preview() }
        // What has met damage is not asked again.
        let second = try JXLPreviewReader(header, context)
        _ = try second.append(bytes.prefix(sound))
        return try second.preview()
    }

    /// How many of the first bytes make sense; `nil` where all do.
    private static func soundBytes(_ bytes: Data, _ reader: JXLPreviewReader) throws(TintypeError) -> Int? {
        let step = max(1024, bytes.count / 64)
        for start in stride(from: 0, to: bytes.count, by: step) {
            do throws(TintypeError) {
                let piece = bytes.dropFirst(start).prefix(step)
                _ = try reader.append(piece)
            } catch {
                guard error.code == .undecodable else { throw error }
                return start
            }
        }
        return nil
    }
}
