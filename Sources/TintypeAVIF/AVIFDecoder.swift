public import Foundation
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
        let (info, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try AVIFReader(raw, context.limits)
            let info = try ImageInfo(reader)
            try context.limits.check(info, byteCount: raw.count)
            guard info.frameCount == 1 || context.options.frames == .first else { return (info, PixelBuffer?.none) }
            return (info, try Self.pixels(reader, info, context))
        }
        guard let still else { return try animatedImage(bytes, info, context) }
        return Image(pixels: still, info: info, scale: context.options.scale ?? 1)
    }

    public func makeFrameDecoder(
        _ bytes: Data, _ context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try AVIFFrameDecoder(bytes, context.limits)
    }

    private static func pixels(
        _ reader: borrowing AVIFReader, _ info: ImageInfo, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        let target = try DecodeTarget(info, context.options)
        try context.checkCancelled()
        try reader.decode(frame: 0)
        try context.checkCancelled()
        let stored = try reader.pixels(target, context)
        return try stored.oriented(info.orientation)
    }

    /// Where no limits are given, libavif's own.
    private static let anyLimits = DecodeLimits(pixels: 16384 * 16384, side: 32_768, frames: 100_000)
}

extension AVIFReader {
    /// The part and size that are wanted of the frame that was decoded.
    func pixels(_ target: DecodeTarget, _ context: DecodeContext) throws(TintypeError) -> PixelBuffer {
        guard !target.isAll(of: storedSize) else { return try whole() }
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
            if isStraight { room.premultiply(rows: above + rows.count) }
            try room.withRows(from: above) { strip throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(strip), count: rows.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    func whole() throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: storedSize)
        let rowLength = writer.bytesPerRow
        _ = try writer.withRows { bytes throws(TintypeError) in
            try convert(0..<storedSize.height, overlap: 0, into: bytes, stride: rowLength)
        }
        if isStraight { writer.premultiply(rows: storedSize.height) }
        return writer.finish()
    }

    private static var stripHeight: Int { 64 }
    private static var overlap: Int { 2 }
}
