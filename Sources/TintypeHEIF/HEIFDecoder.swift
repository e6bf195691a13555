package import Foundation
import TintypeColor
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of HEIC.
    public static let heic = ImageCoderRegistry(decoders: [HEIFDecoder()], encoders: [HEIFEncoder()])
}

/// Decodes HEIC (ISO/IEC 23008-12 with HEVC).
///
/// The primary image is rotated and cropped as the file declares. libheif reads its metadata and decodes it, but images
/// whose chroma has fewer samples than pixels are decoded with libde265 where ``HEIFStill`` describes them. libheif
/// 1.15 does not support image sequences: their colour and alpha tracks are read here and decoded with libde265. Their
/// metadata is that of the still image in the same file.
///
/// A value may be used from any thread.
package struct HEIFDecoder: AnimatedImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Loads libheif and libde265.
    package static func prepareWorker() {
        try? HEIFLibrary.load()
        try? HEVCLibrary.load()
    }

    /// The HEIC format.
    package var formats: Set<ImageFormat> { [.heic] }

    /// Returns the properties of the image or of the sequence, without decoding pixels.
    ///
    /// - Parameter isComplete: Whether `bytes` are the whole file. A sequence needs the whole file.
    /// - Returns: `nil` if `bytes` are a prefix that does not suffice.
    /// - Throws: `TintypeError.Code.undecodable` if a whole file is damaged.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let isSequence = bytes.withUnsafeBytes { HEIFTrack.hasSequenceBrand($0) }
        guard isComplete || !isSequence else { return nil }
        if isSequence, let sequence = try Self.sequence(bytes, DecodeLimits(pixels: .max, frames: 100_000)) {
            return sequence.info
        }
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                var info = try HEIFReader(raw, DecodeLimits(pixels: 32_768 * 32_768)).info
                if !info.isHighRange { info.isHighRange = (try? HEIFGainMap(raw, DecodeContext())) != nil }
                return info
            }
        } catch {
            // libheif reports truncated data like damaged data.
            guard isComplete else { return nil }
            throw error
        }
    }

    /// Reads the image sequence; `nil` for a file of still images.
    private static func sequence(
        _ bytes: Data, _ limits: DecodeLimits, allowsTruncation: Bool = false
    ) throws(TintypeError) -> HEIFSequence? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            HEIFTrack.hasSequenceBrand(raw)
                ? try HEIFSequence(raw, limits, allowsTruncation: allowsTruncation) : nil
        }
    }

    /// Creates a decoder for the frames of an image sequence.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, also for a file of still images;
    ///   `TintypeError.Code.limitExceeded`.
    package func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        guard let sequence = try Self.sequence(bytes, context.limits) else {
            throw TintypeError(.undecodable, stage: .decode, "the HEIC has no image sequence")
        }
        return try HEIFFrameDecoder(bytes, sequence, context.limits)
    }

    /// Decodes the primary image at the requested size, or the sequence as an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled` if the context is cancelled between two steps.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        if let sequence = try Self.sequence(bytes, context.limits) {
            let exif = context.options.keepsExif ? Self.stillExif(bytes, context.limits) : nil
            return try animatedImage(bytes, info: sequence.info, context: context, exif: exif)
        }
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try HEIFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            // libheif and libde265 need more, which only a worker process limits.
            let bytesPerPixel = PixelBuffer.bytesPerPixel + context.highRangeBytesPerPixel(isWide: reader.isWide)
            try context.limits.checkMemory(bytesPerPixel: bytesPerPixel, of: info.size)
            // Both the stated size and what is decoded below are those of the turned image.
            var upright = info
            upright.orientation = .up
            let target = try DecodeTarget(upright, options: context.options)
            try context.checkCancelled()
            let still = try Self.decodeStill(reader, target, context)
            try context.checkCancelled()
            let (bright, hasMap) = try Self.brightened(still, raw, reader, target, context)
            var shown = info
            if reader.hasDamagedPixels {
                guard context.options.damageTolerance == .minor else { throw TintypeError.damagedPixels }
                shown.warnings.append(.damagedPixels)
            }
            shown.isHighRange = info.isHighRange || hasMap
            return Image(
                pixels: still.pixels, info: shown, scale: context.options.scale ?? 1,
                highRange: bright ?? still.highRange,
                exif: context.options.keepsExif ? reader.exif : nil)
        }
    }

    /// Applies the gain map if the request asks for the high range, and returns whether there is one. Invalid boxes
    /// count only then.
    private static func brightened(
        _ still: WideImage, _ raw: UnsafeRawBufferPointer, _ reader: borrowing HEIFReader, _ target: DecodeTarget,
        _ context: DecodeContext
    ) throws(TintypeError) -> (HighRangePixels?, hasMap: Bool) {
        guard context.options.range == .high else { return (nil, (try? HEIFGainMap(raw, context)) != nil) }
        let map = try HEIFGainMap(raw, context)
        return (try map?.applied(to: still, of: reader, target), map != nil)
    }

    /// Returns the Exif data of the still image that a file with a sequence may have; `nil` if it is damaged, because
    /// the sequence can be shown without it.
    private static func stillExif(_ bytes: Data, _ limits: DecodeLimits) -> ExifData? {
        try? bytes.withTypedBytes { raw throws(TintypeError) in try HEIFReader(raw, limits).exif }
    }

    /// Decodes an embedded thumbnail if the options allow it and one is large enough, otherwise the image itself. If
    /// the thumbnail cannot be decoded, the image is.
    private static func decodeStill(
        _ reader: borrowing HEIFReader, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let colors = try reader.colors(context.limits)
        let isAllowed = context.options.embeddedThumbnail == .whereLargeEnough && context.options.crop == nil
        if isAllowed, let thumbnail = reader.thumbnail(atLeast: target.size) {
            let whole = DecodeTarget(whole: thumbnail.info.size, size: target.size)
            if let image = try? thumbnail.decodeImage(whole, colors, context), !thumbnail.hasDamagedPixels {
                return image
            }
        }
        return try reader.decodeImage(target, colors, context)
    }
}

extension TintypeError {
    fileprivate static let damagedPixels = TintypeError(
        .undecodable, stage: .decode, "the HEIC is damaged: some of its pixels cannot be decoded")
}

extension HEIFDecoder: XMPDecoder {
    package func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            try HEIFReader(raw, limits).xmp(atMost: limits.exifBytes)
        }
    }
}

extension HEIFDecoder: SalvagingImageDecoder {
    /// Returns the frames of a truncated sequence up to the first incomplete one; `nil` if there are none, and for a
    /// still image, which is decoded completely or not at all.
    ///
    /// - Throws: `TintypeError.Code.undecodable` or `TintypeError.Code.limitExceeded`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvageAnimation(bytes, context: context) { bytes, context throws(TintypeError) in
            guard let sequence = try Self.sequence(bytes, context.limits, allowsTruncation: true) else { return nil }
            return ArrivedFrames(info: sequence.info, decoder: try HEIFFrameDecoder(bytes, sequence, context.limits))
        }
    }
}

extension TintypeError {
    static let damagedSequence = TintypeError(
        .undecodable, stage: .decode, "the HEIC sequence is damaged or truncated")
}
