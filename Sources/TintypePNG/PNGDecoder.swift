import CTintypePNG
public import Foundation
public import TintypeCore

/// Decodes PNG (W3C Portable Network Graphics, third edition) with libpng; of an animation, its default image.
///
/// A smaller size is resampled row by row as the rows are inflated, without the whole picture in memory; only an
/// interlaced picture has to be whole first.
public struct PNGDecoder: ImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.png] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let reader = try PNGReader(DecodeContext())
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            guard let header = try reader.open(bytes, isComplete: isComplete) else { return nil }
            var info = ImageInfo(header)
            guard header.frame_count > 1 else { return info }
            guard let durations = try Self.durations(bytes, header, isComplete: isComplete) else { return nil }
            info.durations = durations
            return info
        }
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let reader = try PNGReader(context)
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            guard let header = try reader.open(bytes, isComplete: true) else { throw TintypeError(.truncated, "") }
            var info = ImageInfo(header)
            try context.limits.check(info)
            info.durations = try Self.durations(bytes, header, isComplete: true) ?? []
            let target = info.orientation.displayed(context.options.size.target(for: info.size))
            try reader.start()
            let stored = try Self.pixels(reader, header, info.storedSize, target)
            try reader.finish()
            try context.checkCancelled()
            return Image(
                pixels: try stored.oriented(info.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }

    private static func pixels(
        _ reader: borrowing PNGReader, _ header: tintype_png_header, _ size: PixelSize, _ target: PixelSize
    ) throws(TintypeError) -> PixelBuffer {
        if header.is_interlaced || size == target {
            return try whole(reader, header, size).resampled(to: target, filter: .lanczos3)
        }
        return try RowResampler.resampled(size, to: target) { (count, strip) throws(TintypeError) in
            let stride = strip.bytesPerRow
            let count = try strip.withRows { rows throws(TintypeError) in
                try reader.readRows(count, into: rows, stride: stride)
            }
            if header.has_alpha { strip.premultiply(rows: count) }
            return count
        }
    }

    private static func whole(
        _ reader: borrowing PNGReader, _ header: tintype_png_header, _ size: PixelSize
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        try writer.withRows { rows throws(TintypeError) in try reader.readImage(into: rows, stride: stride) }
        if header.has_alpha { writer.premultiply(rows: size.height) }
        return writer.finish()
    }

    /// The delay of each frame; `nil` when the bytes are a prefix that ends before the last one's.
    private static func durations(
        _ bytes: UnsafeRawBufferPointer, _ header: tintype_png_header, isComplete: Bool
    ) throws(TintypeError) -> [Double]? {
        guard header.frame_count > 1, let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return [] }
        // Grown to what is there, not to what the header promises.
        var count = 0
        var status = tintype_png_frame_delays(base, bytes.count, isComplete, nil, 0, &count)
        if status == .needsMore && count < Int(header.frame_count) { return nil }
        if status == .corrupt { throw TintypeError(status, "its chunks do not add up") }
        var delays = [tintype_png_delay](repeating: tintype_png_delay(), count: count)
        status = tintype_png_frame_delays(base, bytes.count, isComplete, &delays, count, &count)
        return delays.prefix(Int(header.frame_count)).map { Double($0.numerator) / Double($0.denominator) }
    }
}

extension ImageInfo {
    fileprivate init(_ header: tintype_png_header) {
        let orientation = Orientation(rawValue: Int(header.exif_orientation)) ?? .up
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        self.init(
            format: .png, size: orientation.displayed(stored), orientation: orientation, hasAlpha: header.has_alpha,
            frameCount: max(1, Int(header.frame_count)), loopCount: Int(header.play_count))
    }
}
