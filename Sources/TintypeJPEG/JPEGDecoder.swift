import CTintypeJPEG
public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes JPEG (ITU-T T.81) with libjpeg-turbo.
///
/// A smaller size is decoded by scaling in the frequency domain to the next eighth above it, then resampled.
public struct JPEGDecoder: PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.jpeg] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let reader = try JPEGReader(DecodeContext())
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            try reader.open(bytes, isComplete: isComplete).map { ImageInfo($0, JPEGSegments(bytes)) }
        }
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let reader = try JPEGReader(context)
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            guard let header = try reader.open(bytes, isComplete: true) else {
                throw TintypeError(.truncated, "")
            }
            let segments = JPEGSegments(bytes)
            let info = ImageInfo(header, segments)
            try context.limits.check(info, byteCount: bytes.count)
            let colors = try segments.colors(context.limits)
            let plan = try JPEGPlan(info, context.options)
            let small = try Self.embedded(segments, plan, colors, context)
            let pixels =
                if let small { small } else {
                    try Self.pixels(reader, header.converter(of: colors), plan, context)
                }
            return Image(
                pixels: pixels, info: info, scale: context.options.scale ?? 1,
                exif: context.options.keepsExif ? segments.exif : nil)
        }
    }

    /// The picture made of the thumbnail in the Exif data, where that may be and is good enough. What cannot be decoded
    /// is no reason to fail: the whole is there.
    private static func embedded(
        _ segments: JPEGSegments, _ plan: JPEGPlan, _ colors: SourceColors, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        guard context.options.embeddedThumbnail == .whereLargeEnough, plan.target.part.size == plan.stored,
            let thumbnail = segments.exif?.thumbnail, let reader = try? JPEGReader(context)
        else { return nil }
        let pixels = try? thumbnail.withTypedBytes { bytes throws(TintypeError) -> PixelBuffer? in
            guard let header = try reader.open(bytes, isComplete: true),
                let small = JPEGPlan(plan, thumbnail: PixelSize(width: Int(header.width), height: Int(header.height)))
            else { return nil }
            return try Self.pixels(reader, header.converter(of: colors), small, context)
        }
        try context.checkCancelled()
        return pixels ?? nil
    }

    public func makeIncrementalDecoder(_ context: DecodeContext) -> (any IncrementalImageDecoder)? {
        JPEGPreviewReader(context).map { reader in IncrementalPicture { _ in .still(reader) } }
    }

    private static func pixels(
        _ reader: borrowing JPEGReader, _ converter: ColorConverter?, _ plan: JPEGPlan, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        if converter?.isOfInks == true { reader.keepInks() }
        let size = try reader.start(eighths: plan.eighths)
        let stored =
            plan.isDone(at: size)
            ? try whole(reader, size, converter)
            : try RowResampler.resampled(size, crop: plan.target.part, of: plan.stored, to: plan.target.size) {
                (count, strip) throws(TintypeError) in
                let stride = strip.bytesPerRow
                let count = try strip.withRows { rows throws(TintypeError) in
                    try reader.readRows(count, into: rows, stride: stride)
                }
                strip.convert(rows: count, by: converter)
                return count
            }
        try reader.finish()
        try context.checkCancelled()
        return try stored.oriented(plan.orientation)
    }

    private static func whole(
        _ reader: borrowing JPEGReader, _ size: PixelSize, _ converter: ColorConverter?
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        // Converted while they are in the cache.
        let rowsAtOnce = 16
        var row = 0
        while row < size.height {
            let count = try writer.withRows(from: row) { rows throws(TintypeError) in
                try reader.readRows(
                    converter == nil ? size.height - row : min(rowsAtOnce, size.height - row), into: rows,
                    stride: stride)
            }
            guard count > 0 else { throw TintypeError(.truncated, "") }
            writer.convert(rows: count, from: row, by: converter)
            row += count
        }
        return writer.finish()
    }
}

extension tintype_jpeg_header {
    var isOfInks: Bool { color == .cmyk || color == .ycck }

    /// What brings the rows of such a picture to sRGB; `nil` where nothing has to.
    func converter(of colors: SourceColors) -> ColorConverter? {
        switch color {
        case .cmyk, .ycck: ColorConverter(colors, .inks)
        case .grey: ColorConverter(colors, .grey)
        case .rgb, .yCbCr: ColorConverter(colors, .rgb)
        }
    }
}

extension ImageInfo {
    init(_ header: tintype_jpeg_header, _ segments: JPEGSegments) {
        self.init(header)
        density = segments.density
    }

    init(_ header: tintype_jpeg_header) {
        let orientation = Orientation(rawValue: Int(header.exif_orientation)) ?? .up
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        self.init(format: .jpeg, size: orientation.displayed(stored), orientation: orientation)
    }
}
