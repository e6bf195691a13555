public import Foundation
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

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            let target = try DecodeTarget(info, context.options)
            try reader.start()
            let stored = try Self.pixels(reader, info.storedSize, target, context)
            return Image(
                pixels: try stored.oriented(info.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }

    private static func pixels(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        let height = reader.batchHeight
        var scratch = [UInt32](repeating: 0, count: size.width * height)
        if target.isAll(of: size) {
            var writer = try PixelWriter(size: size)
            for first in stride(from: 0, to: size.height, by: height) {
                try read(reader, first..<min(first + height, size.height), first, &writer, &scratch, context)
            }
            return writer.finish()
        }
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: height))
        let rowLength = strip.bytesPerRow
        for first in stride(from: 0, to: size.height, by: height) {
            let rows = first..<min(first + height, size.height)
            try read(reader, rows, 0, &strip, &scratch, context)
            try strip.withRows { bytes throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(bytes), count: rows.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    /// Decodes rows of the picture to those of a bitmap from `place` on.
    private static func read(
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
