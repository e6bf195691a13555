import CTintypeTIFF
public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes TIFF (TIFF 6.0, and BigTIFF) with libtiff: every compression that it has, up to 16 bits a channel, all kinds of
/// colours, strips and tiles. Of several pictures it shows the first.
///
/// A smaller size is resampled as strips are decoded, without the whole picture in memory unless it is one strip.
public struct TIFFDecoder: PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.tiff] }

    /// A directory may be anywhere, and mostly is at the end.
    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return try bytes.withTypedBytes { raw throws(TintypeError) in try TIFFReader(raw, DecodeLimits()).info }
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        // Before libtiff copies it.
        let profileBytes = TIFFDirectory.first(of: bytes)?.byteCount(Self.profileTag) ?? 0
        try context.limits.check(profileBytes: profileBytes)
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            let target = try DecodeTarget(info, context.options)
            let stored = try Self.picture(reader, info.storedSize, target, context)
            let picture = try stored.oriented(info.orientation)
            return Image(
                pixels: picture.pixels, info: info, scale: context.options.scale ?? 1, highRange: picture.highRange,
                exif: context.options.keepsExif ? ExifData(bytes) : nil)
        }
    }

    private static let profileTag = 0x8773

    private static func picture(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let colors = try reader.colors(context.limits)
        let ofInks = ColorConverter(colors, .cmyk)
        switch reader.startSamples() {
        case .inks where ofInks != nil || reader.isWide:
            let inks = TIFFInks(size, target, ofInks, context)
            return WideImage(pixels: try inks.pixels(reader), highRange: nil)
        case .colors where reader.isWide:
            let rows = WideRows(size, target, WideConverter(colors, reader.channels), context)
            return try rows.image(batch: reader.batchHeight) { (first, count, words) throws(TintypeError) in
                try reader.readSamples(first..<first + count, into: words)
            }
        default:
            try reader.start()
            let converter = ColorConverter(colors, reader.channels)
            return WideImage(pixels: try pixels(reader, size, target, converter, context), highRange: nil)
        }
    }

    private static func pixels(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ target: DecodeTarget, _ converter: ColorConverter?,
        _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        let height = reader.batchHeight
        var scratch = [UInt32](repeating: 0, count: size.width * height)
        if target.isAll(of: size) {
            var writer = try PixelWriter(size: size)
            for first in stride(from: 0, to: size.height, by: height) {
                let rows = first..<min(first + height, size.height)
                try read(reader, rows, first, &writer, &scratch, context)
                writer.convertPremultiplied(rows: rows.count, from: first, by: converter)
            }
            return writer.finish()
        }
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: height))
        let rowLength = strip.bytesPerRow
        for first in stride(from: 0, to: size.height, by: height) {
            let rows = first..<min(first + height, size.height)
            try read(reader, rows, 0, &strip, &scratch, context)
            strip.convertPremultiplied(rows: rows.count, by: converter)
            try strip.withRows { bytes throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(bytes), count: rows.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    /// Decodes rows of the picture to those of a bitmap from `place` on.
    static func read(
        _ reader: borrowing TIFFReader, _ rows: Range<Int>, _ place: Int, _ target: inout PixelWriter,
        _ scratch: inout [UInt32], _ context: DecodeContext
    ) throws(TintypeError) {
        try context.checkCancelled()
        let stride = target.bytesPerRow
        try target.withRows(from: place) { bytes throws(TintypeError) in
            try reader.readRows(rows, into: bytes, stride: stride, scratch: &scratch)
        }
    }
}

extension TIFFDecoder: SalvagingImageDecoder {
    /// The strips or tiles before the damage. Of a file that is cut short there is nothing, unless its directory stands at the
    /// beginning.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info)
            let target = try DecodeTarget(info, context.options)
            try reader.start()
            guard let stored = try Self.rows(reader, info.storedSize, context) else { return nil }
            let pixels = try stored.resampled(crop: target.part, to: target.size, filter: .lanczos3)
            return Image(pixels: try pixels.oriented(info.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }

    /// The rows that there are; `nil` when there is none.
    private static func rows(
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
                try read(reader, rows, first, &writer, &scratch, context)
                writer.convertPremultiplied(rows: rows.count, from: first, by: converter)
                first = rows.upperBound
            }
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return first > 0 ? writer.finish() : nil
    }
}
