import CTintypeTIFF
public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes TIFF (TIFF 6.0 and BigTIFF) with libtiff: all its compressions, up to 16 or 32 bits per channel or
/// floating-point numbers, all colour models, strips and tiles. If a file contains several images, it decodes the first.
///
/// A smaller size is resampled while strips are decoded, without holding the full image in memory unless it is one
/// strip. Decoders hold no state; any thread may use one.
public struct TIFFDecoder: PartialImageDecoder {
    /// Creates a TIFF decoder.
    public init() {}

    /// The formats that this decoder reads: TIFF.
    public var formats: Set<ImageFormat> { [.tiff] }

    /// Reads the first directory, which may be anywhere in the file and is usually at its end.
    ///
    /// - Returns: `nil` if `isComplete` is false.
    /// - Throws: ``TintypeError/Code/undecodable`` if the file is damaged.
    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return try bytes.withTypedBytes { raw throws(TintypeError) in try TIFFReader(raw, DecodeLimits()).info }
    }

    /// Decodes the first image, or the part and size that the options ask for.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if the file is damaged or cut short,
    ///   ``TintypeError/Code/limitExceeded`` if the image is too large, before it is allocated,
    ///   ``TintypeError/Code/cancelled``.
    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        // Checked before libtiff copies it.
        let profileBytes = TIFFDirectory.first(of: bytes)?.byteCount(Self.profileTag) ?? 0
        try context.limits.check(profileBytes: profileBytes)
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            try reader.checkMemory(context)
            let target = try DecodeTarget(info, options: context.options)
            let stored = try Self.decodeImage(reader, info.storedSize, target, context)
            let upright = try stored.oriented(info.orientation)
            return Image(
                pixels: upright.pixels, info: info, scale: context.options.scale ?? 1, highRange: upright.highRange,
                exif: context.options.keepsExif ? ExifData(bytes) : nil)
        }
    }

    /// The tag of the ICC profile.
    private static let profileTag = 0x8773

    /// Decodes all pixels: as CMYK if the file has a profile for it or 16 bits, as 16-bit colours if it has them,
    /// otherwise as libtiff's 8-bit RGBA.
    private static func decodeImage(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let colors = try reader.colors(context.limits)
        let cmykConverter = ColorConverter(colors, .cmyk)
        switch reader.startSamples() {
        case .inks where cmykConverter != nil || reader.isWide:
            let image = TIFFCMYKImage(size, target, cmykConverter, context)
            return WideImage(pixels: try image.decode(reader), highRange: nil)
        case .colors where reader.isWide:
            let rows = WideRows(size, target, WideConverter(colors, reader.channels), context)
            return try rows.image(batch: reader.batchHeight) { (first, count, words) throws(TintypeError) in
                try reader.readSamples(first..<first + count, into: words)
            }
        default:
            try reader.start()
            let converter = ColorConverter(colors, reader.channels)
            return WideImage(pixels: try decodePixels(reader, size, target, converter, context), highRange: nil)
        }
    }

    private static func decodePixels(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ target: DecodeTarget, _ converter: ColorConverter?,
        _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        let height = reader.batchHeight
        var scratch = [UInt32](repeating: 0, count: size.width * height)
        if target.isAll(of: size) {
            var writer = try PixelWriter(size: size)
            for first in stride(from: 0, to: size.height, by: height) {
                let rows = first..<min(first + height, size.height)
                try readRows(reader, rows, first, &writer, &scratch, context)
                writer.convertPremultiplied(rows: rows.count, from: first, by: converter)
            }
            return writer.finish()
        }
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: height))
        let rowLength = strip.bytesPerRow
        for first in stride(from: 0, to: size.height, by: height) {
            let rows = first..<min(first + height, size.height)
            try readRows(reader, rows, 0, &strip, &scratch, context)
            strip.convertPremultiplied(rows: rows.count, by: converter)
            try strip.withRows { bytes throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(bytes), count: rows.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    /// Reads `rows` of the image into `target` from row `firstRow` on.
    static func readRows(
        _ reader: borrowing TIFFReader, _ rows: Range<Int>, _ firstRow: Int, _ target: inout PixelWriter,
        _ scratch: inout [UInt32], _ context: DecodeContext
    ) throws(TintypeError) {
        try context.checkCancelled()
        let stride = target.bytesPerRow
        try target.withRows(from: firstRow) { bytes throws(TintypeError) in
            try reader.readRows(rows, into: bytes, stride: stride, scratch: &scratch)
        }
    }
}

extension TIFFDecoder: SalvagingImageDecoder {
    /// Decodes the strips or tiles before the damage.
    ///
    /// A file that is cut short can be salvaged only if its directory is at the beginning.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info)
            try reader.checkMemory(context)
            let target = try DecodeTarget(info, options: context.options)
            try reader.start()
            guard let stored = try Self.decodePresentRows(reader, info.storedSize, context) else { return nil }
            let pixels = try stored.resampled(crop: target.part, to: target.size, filter: .lanczos3)
            return Image(pixels: try pixels.oriented(info.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }

    /// Returns the rows before the damage, or `nil` if there are none.
    private static func decodePresentRows(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        let converter = ColorConverter(try reader.colors(context.limits), reader.channels)
        let height = reader.batchHeight
        var scratch = [UInt32](repeating: 0, count: size.width * height)
        var writer = try PixelWriter(size: size)
        writer.clear()
        var first = 0
        do throws(TintypeError) {
            while first < size.height {
                let rows = first..<min(first + height, size.height)
                try readRows(reader, rows, first, &writer, &scratch, context)
                writer.convertPremultiplied(rows: rows.count, from: first, by: converter)
                first = rows.upperBound
            }
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return first > 0 ? writer.finish() : nil
    }
}
