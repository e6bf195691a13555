public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes HEIC (ISO/IEC 23008-12 with HEVC) with libheif: the primary picture, turned and cut as the file says. Image
/// sequences, which libheif 1.15 does not know, are read from their tracks, of pictures and of alpha, and decoded with
/// libde265.
///
/// libheif applies the orientation while it decodes.
public struct HEIFDecoder: AnimatedImageDecoder, PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.heic] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let isNamed = bytes.withUnsafeBytes { HEIFTrack.isNamed(in: $0) }
        guard isComplete || !isNamed else { return nil }
        if isNamed, let sequence = try Self.sequence(bytes, DecodeLimits(pixels: .max, frames: 100_000)) {
            return sequence.info
        }
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                let limits = DecodeLimits(pixels: 32_768 * 32_768)
                try Self.checkParts(ISOFile(bytes: raw), limits)
                return try HEIFReader(raw, limits).info
            }
        } catch {
            // libheif does not tell bytes that end too early from others.
            guard isComplete else { return nil }
            throw error
        }
    }

    /// What can be checked of a file whose pixels are still to come, before libheif reads it.
    private static func checkParts(_ file: ISOFile, _ limits: DecodeLimits) throws(TintypeError) {
        let meta = try file.itemBox()
        try HEIFParts(file, meta, HEIFItems.kinds(file, meta), limits).check(file.primaryItem(meta))
    }

    static func sequence(
        _ bytes: Data, _ limits: DecodeLimits, keepsPart: Bool = false
    ) throws(TintypeError) -> HEIFSequence? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            HEIFTrack.isNamed(in: raw) ? try HEIFSequence(raw, limits, keepsPart: keepsPart) : nil
        }
    }

    public func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        guard let sequence = try Self.sequence(bytes, context.limits) else {
            throw TintypeError(.undecodable, stage: .decode, "the HEIC has no image sequence")
        }
        return try HEIFFrameDecoder(bytes, sequence, context.limits)
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        if let sequence = try Self.sequence(bytes, context.limits) {
            return try animatedImage(bytes, info: sequence.info, context: context)
        }
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            // Before libheif sees any of it, which reads as trustingly as it decodes.
            let parts = try HEIFCodedPictures.check(raw, context.limits)
            let reader = try HEIFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            // What libheif gives is upright already.
            var upright = info
            upright.orientation = .up
            let target = try DecodeTarget(upright, context.options)
            try context.checkCancelled()
            let picture = try Self.picture(reader, parts, target, context)
            try context.checkCancelled()
            return Image(
                pixels: picture.pixels, info: info, scale: context.options.scale ?? 1, highRange: picture.highRange,
                exif: context.options.keepsExif ? reader.exif : nil)
        }
    }

    /// Made of a thumbnail of the file, where that may be; one that cannot be decoded is no reason to fail.
    private static func picture(
        _ reader: borrowing HEIFReader, _ parts: HEIFParts, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let colors = try reader.colors(context.limits)
        let isAllowed = context.options.embeddedThumbnail == .whereLargeEnough && context.options.crop == nil
        if isAllowed, let small = reader.thumbnail(atLeast: target.size, parts) {
            let whole = DecodeTarget(whole: small.info.size, size: target.size)
            if let picture = try? small.picture(whole, colors, context) { return picture }
        }
        return try reader.picture(target, colors, context)
    }
}

extension HEIFDecoder: SalvagingImageDecoder {
    /// The frames of a sequence that are whole, up to the first that is not. Of a still picture libheif shows all or nothing.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvagedAnimation(bytes, context: context) { bytes, context throws(TintypeError) in
            guard let sequence = try Self.sequence(bytes, context.limits, keepsPart: true) else { return nil }
            return ArrivedFrames(info: sequence.info, decoder: try HEIFFrameDecoder(bytes, sequence, context.limits))
        }
    }
}

extension TintypeError {
    static let damagedSequence = TintypeError(
        .undecodable, stage: .decode, "the HEIC sequence is damaged or cut short")

    static let noItems = TintypeError(.undecodable, stage: .decode, "a HEIC that tells of no pictures")

    /// Many times more boxes, units or pieces of pictures than any writer makes, or such as are not the same to all who read
    /// them.
    static let hiddenPictures = TintypeError(
        .undecodable, stage: .decode, "a HEIC of more parts than can be looked at, or of doubtful ones")
}
