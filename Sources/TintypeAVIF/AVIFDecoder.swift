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

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let (info, exif, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try AVIFReader(raw, context.limits)
            let info = try ImageInfo(reader)
            try context.limits.check(info, byteCount: raw.count)
            guard info.frameCount == 1 || context.options.frames == .first else {
                return (info, reader.exif, WidePicture?.none)
            }
            return (info, reader.exif, try Self.picture(reader, info, context))
        }
        guard let still else { return try animatedImage(bytes, info, context, exif: exif) }
        return Image(
            pixels: still.pixels, info: info, scale: context.options.scale ?? 1, highRange: still.highRange,
            exif: context.options.keepsExif ? exif : nil)
    }

    public func makeFrameDecoder(
        _ bytes: Data, _ context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try AVIFFrameDecoder(bytes, context.limits)
    }

    private static func picture(
        _ reader: borrowing AVIFReader, _ info: ImageInfo, _ context: DecodeContext
    ) throws(TintypeError) -> WidePicture {
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

extension AVIFReader {
    /// The part and size that are wanted of the frame that was decoded.
    func picture(
        _ target: DecodeTarget, _ colors: AVIFColors, _ context: DecodeContext
    ) throws(TintypeError) -> WidePicture {
        switch colors {
        case .wide(let converter): return try wide(WideRows(storedSize, target, converter, context))
        case .narrow(let converter):
            let isAll = target.isAll(of: storedSize)
            let pixels = try isAll ? whole(converter) : resampled(target, converter, context)
            return WidePicture(pixels: pixels, highRange: nil)
        }
    }

    private func resampled(
        _ target: DecodeTarget, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        // Room for the rows of a strip and those around it.
        var room = try PixelWriter(
            size: PixelSize(width: storedSize.width, height: Self.stripHeight + 2 * Self.overlap + 1))
        var resampler = try RowResampler(from: storedSize, crop: target.part, to: target.size, filter: .lanczos3)
        let rowLength = room.bytesPerRow
        for first in stride(from: 0, to: storedSize.height, by: Self.stripHeight) {
            try context.checkCancelled()
            let rows = first..<min(first + Self.stripHeight, storedSize.height)
            let above = try room.withRows { bytes throws(TintypeError) in
                try convert(rows, overlap: Self.overlap, into: bytes, stride: rowLength)
            }
            finish(&room, above + rows.count, converter)
            try room.withRows(from: above) { strip throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(strip), count: rows.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    func whole(_ converter: ColorConverter?) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: storedSize)
        let rowLength = writer.bytesPerRow
        _ = try writer.withRows { bytes throws(TintypeError) in
            try convert(0..<storedSize.height, overlap: 0, into: bytes, stride: rowLength)
        }
        finish(&writer, storedSize.height, converter)
        return writer.finish()
    }

    /// Brings the first rows to sRGB, multiplied by alpha.
    private func finish(_ rows: inout PixelWriter, _ count: Int, _ converter: ColorConverter?) {
        guard isStraight || !hasAlpha else { return rows.convertPremultiplied(rows: count, by: converter) }
        rows.convert(rows: count, by: converter)
        if isStraight { rows.premultiply(rows: count) }
    }

    func wide(_ rows: WideRows) throws(TintypeError) -> WidePicture {
        let rowLength = storedSize.width * 8
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rowLength * (Self.stripHeight + 2 * Self.overlap + 1), alignment: 16)
        defer { room.deallocate() }
        return try rows.picture(batch: Self.stripHeight) { (first, count, words) throws(TintypeError) in
            let above = try convert(
                first..<first + count, overlap: Self.overlap, depth: 16, into: room, stride: rowLength)
            let wanted = room[above * rowLength..<(above + count) * rowLength]
            UnsafeMutableRawBufferPointer(words).copyMemory(from: UnsafeRawBufferPointer(rebasing: wanted))
            if hasAlpha && !isStraight { WideRows.unpremultiply(words) }
        }
    }

    private static var stripHeight: Int { 64 }
    private static var overlap: Int { 2 }
}
