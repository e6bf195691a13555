import CTintypeTIFF
package import Foundation
import TintypeColor
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of TIFF.
    public static let tiff = ImageCoderRegistry(decoders: [TIFFDecoder()], encoders: [TIFFEncoder()])
}

/// Decodes TIFF (TIFF 6.0 and BigTIFF) with libtiff: up to 16 or 32 bits per channel or floating-point numbers, all
/// colour models, strips and tiles. If a file contains several images, it decodes the first.
///
/// The pixels may be uncompressed or compressed with LZW, Deflate, PackBits, JPEG (new and old style), CCITT fax (RLE,
/// Group 3 and 4), LZMA, Zstandard or LogLuv. Others, such as JBIG, LERC and WebP, are refused: their memory would
/// depend on sizes in the compressed data, not on those that the limits check.
///
/// A smaller size is resampled while strips are decoded, without holding the full image in memory unless it is one
/// strip. Decoders hold no state; any thread may use one.
package struct TIFFDecoder: PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a TIFF decoder.
    package init() {}

    /// The formats that this decoder reads: TIFF.
    package var formats: Set<ImageFormat> { [.tiff] }

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Reads the first directory, which may be anywhere in the file and is usually at its end.
    ///
    /// - Returns: `nil` if `isComplete` is false.
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged, or compressed in a way that is not
    ///   supported.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return try bytes.withTypedBytes { raw throws(TintypeError) in try TIFFReader(raw, DecodeLimits()).info }
    }

    /// Decodes the first image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged, truncated, or compressed in a way that is
    ///   not supported, `TintypeError.Code.limitExceeded` if the image is too large, before it is allocated,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        // Checked before libtiff copies it.
        let profileBytes = TIFFDirectory.first(of: bytes)?.byteCount(Self.profileTag) ?? 0
        try context.limits.check(profileBytes: profileBytes)
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            var info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            try reader.checkMemory(context)
            let target = try DecodeTarget(info, options: context.options)
            var rows = TIFFRows(allowsPartial: false)
            let stored = try Self.decodeImage(reader, info.storedSize, target, context, &rows)
            if reader.hasDamagedRows {
                guard context.options.damageTolerance == .minor else { throw TintypeError.damagedFax }
                info.warnings.append(.damagedPixels)
            }
            let upright = try stored.oriented(info.orientation)
            return Image(
                pixels: upright.pixels, info: info, scale: context.options.scale ?? 1, highRange: upright.highRange,
                exif: context.options.keepsExif ? ExifData(bytes) : nil)
        }
    }

    /// The tag of the ICC profile.
    private static let profileTag = 0x8773

    /// Decodes all pixels: as CMYK if the file has a profile for it, 16 bits or further samples, as 16-bit colours if
    /// it has them, otherwise as libtiff's 8-bit RGBA.
    private static func decodeImage(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ target: DecodeTarget, _ context: DecodeContext,
        _ rows: inout TIFFRows
    ) throws(TintypeError) -> WideImage {
        let colors = try reader.colors(context.limits)
        let cmykConverter = ColorConverter(colors, .cmyk)
        switch reader.startSamples() {
        case .inks where cmykConverter != nil || reader.isWide || reader.hasExtraInks:
            let image = TIFFCMYKImage(size, target, cmykConverter, context)
            return WideImage(pixels: try image.decode(reader, &rows), highRange: nil)
        case .colors:
            let image = WideRows(size, target, WideConverter(colors, reader.channels), context)
            return try Self.decodeSamples(reader, image, &rows, nil)
        case .lab:
            let image = WideRows(size, target, WideConverter(.standard, .rgb), context)
            return try Self.decodeSamples(reader, image, &rows, LabConverter())
        default:
            try reader.start()
            let image = TIFFRGBAImage(size, target, ColorConverter(colors, reader.channels), context)
            return WideImage(pixels: try image.decode(reader, &rows), highRange: nil)
        }
    }

    /// - Parameter lab: Converts the samples to RGB; `nil` if they are.
    private static func decodeSamples(
        _ reader: borrowing TIFFReader, _ image: WideRows, _ rows: inout TIFFRows, _ lab: LabConverter?
    ) throws(TintypeError) -> WideImage {
        try image.image(batch: reader.batchHeight) { (first, count, words) throws(TintypeError) in
            let isPresent = try rows.read(first..<first + count) { (batch) throws(TintypeError) in
                try reader.readSamples(batch, into: words)
            }
            if isPresent { lab?.convert(words) } else { words.update(repeating: 0) }
        }
    }
}

extension TIFFDecoder: SalvagingImageDecoder {
    /// Decodes the strips or tiles before the damage.
    ///
    /// A file that is truncated can be salvaged only if its directory is at the beginning.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info)
            try reader.checkMemory(context)
            let target = try DecodeTarget(info, options: context.options)
            var rows = TIFFRows(allowsPartial: true)
            let stored = try Self.decodeImage(reader, info.storedSize, target, context, &rows)
            guard rows.count > 0 else { return nil }
            let upright = try stored.oriented(info.orientation)
            return Image(
                pixels: upright.pixels, info: info, scale: context.options.scale ?? 1, highRange: upright.highRange)
        }
    }
}

extension TintypeError {
    fileprivate static let damagedFax = TintypeError(
        .undecodable, stage: .decode, "the TIFF is damaged: a row of a fax has another length than the others")
}

/// The rows of an image in order, which end at the first damage if a part of the image suffices.
struct TIFFRows {
    /// The number of rows that have been read.
    private(set) var count = 0
    private let allowsPartial: Bool
    private var isDamaged = false

    init(allowsPartial: Bool) {
        self.allowsPartial = allowsPartial
    }

    /// Reads the next rows with `read`.
    ///
    /// - Returns: Whether the rows were read. The caller makes missing ones transparent.
    /// - Throws: The errors of `read`, but `TintypeError.Code.undecodable` only if all rows are needed.
    mutating func read(
        _ batch: Range<Int>, _ read: (Range<Int>) throws(TintypeError) -> Void
    ) throws(TintypeError) -> Bool {
        guard !isDamaged else { return false }
        do throws(TintypeError) {
            try read(batch)
            count = batch.upperBound
        } catch {
            guard allowsPartial, error.code == .undecodable else { throw error }
            isDamaged = true
        }
        return !isDamaged
    }
}
