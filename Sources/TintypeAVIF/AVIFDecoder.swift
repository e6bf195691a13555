import CLibAVIF
public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes AVIF (AV1 Image File Format 1.1) with libavif, image sequences too.
///
/// A smaller size is resampled row by row as colours are made of the planes, which alone are whole in memory.
public struct AVIFDecoder: AnimatedImageDecoder, PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.avif] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                try ImageInfo(AVIFReader(raw, Self.anyLimits))
            }
        } catch {
            // libavif has no word for bytes that end too early in each place where they may.
            guard isComplete else { return nil }
            throw error
        }
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let (info, exif, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try AVIFReader(raw, context.limits)
            let info = try ImageInfo(reader)
            try context.limits.check(info, byteCount: raw.count)
            guard info.frameCount == 1 || context.options.frames == .first else {
                return (info, reader.exif, WideImage?.none)
            }
            return (info, reader.exif, try Self.picture(reader, info, context))
        }
        guard let still else { return try animatedImage(bytes, info: info, context: context, exif: exif) }
        return Image(
            pixels: still.pixels, info: info, scale: context.options.scale ?? 1, highRange: still.highRange,
            exif: context.options.keepsExif ? exif : nil)
    }

    public func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try AVIFFrameDecoder(bytes, context.limits)
    }

    private static func picture(
        _ reader: borrowing AVIFReader, _ info: ImageInfo, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let target = try DecodeTarget(info, context.options)
        try context.checkCancelled()
        try reader.decode(frame: 0)
        try context.checkCancelled()
        let colors = try AVIFColors(reader, context)
        return try reader.picture(target, colors, context).oriented(info.orientation)
    }

    /// Where no limits are given, libavif's own.
    private static let anyLimits = DecodeLimits(pixels: 16384 * 16384, side: 32_768, frames: 100_000)
}

/// Frames of a sequence are shown as they arrive, if the file tells of them before their data: those of libavif do. A still
/// picture is not shown before its end.
extension AVIFDecoder: ProgressiveAnimationDecoder {
    public func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        guard let info = try arrivedInfo(bytes, context.limits) else { return nil }
        let decoder = try AVIFFrameDecoder(bytes, arrived: info.frameCount, context.limits)
        return ArrivedFrames(info: info, decoder: decoder)
    }

    private func arrivedInfo(_ bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                let reader = try AVIFReader(raw, isComplete: false, limits)
                var info = try ImageInfo(reader)
                guard info.frameCount > 1 else { return nil }
                info.frameCount = reader.arrivedFrameCount(raw.count)
                info.durations = Array(info.durations.prefix(info.frameCount))
                return info.frameCount > 0 ? info : nil
            }
        } catch {
            // libavif has no word for bytes that end too early in each place where they may.
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}

extension AVIFReader {
    /// How many of the first frames can be decoded of so many bytes, in a file whose frames lie one after the other.
    fileprivate func arrivedFrameCount(_ byteCount: Int) -> Int {
        // To tell where one ends takes as long as there are frames since the last key frame: few are asked for.
        var (count, end) = (0, frameCount)
        while count < end {
            let middle = (count + end) / 2
            if isFrameThere(middle, byteCount) { count = middle + 1 } else { end = middle }
        }
        return count
    }

    private func isFrameThere(_ index: Int, _ byteCount: Int) -> Bool {
        var extent = avifExtent()
        guard avifDecoderNthImageMaxExtent(decoder, UInt32(index), &extent) == AVIF_RESULT_OK else { return false }
        let (end, overflows) = extent.offset.addingReportingOverflow(UInt64(extent.size))
        return !overflows && end <= UInt64(byteCount)
    }
}

extension AVIFDecoder: SalvagingImageDecoder {
    /// The frames of a sequence that are whole, up to the first that is not. Of a still picture libavif shows all or nothing.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvagedAnimation(bytes, context: context)
    }
}
