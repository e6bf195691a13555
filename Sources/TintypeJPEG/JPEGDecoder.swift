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

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
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

    public func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        JPEGPreviewReader(context).map { reader in IncrementalImage { _ in .still(reader) } }
    }

    private static func pixels(
        _ reader: borrowing JPEGReader, _ converter: ColorConverter?, _ plan: JPEGPlan, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        if converter?.isCMYK == true { reader.keepInks() }
        let size = try reader.start(eighths: plan.eighths)
        let stored =
            plan.isDone(at: size)
            ? try whole(reader, size, converter)
            : try RowResampler.resampled(size, crop: plan.target.part, relativeTo: plan.stored, to: plan.target.size) {
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
    var isCMYK: Bool { color == .cmyk || color == .ycck }

    /// What brings the rows of such a picture to sRGB; `nil` where nothing has to.
    func converter(of colors: SourceColors) -> ColorConverter? {
        switch color {
        case .cmyk, .ycck: ColorConverter(colors, .cmyk)
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

extension JPEGDecoder: SalvagingImageDecoder {
    /// What libjpeg makes of it: of one that is cut short, the rows or scans before that; past damage it goes on at the next
    /// restart marker, or with what it takes for pixels.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        let reader = try JPEGReader(context)
        reader.tolerateDamage()
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try reader.open(raw, isComplete: true) else { return nil }
            let segments = JPEGSegments(raw)
            let info = ImageInfo(header, segments)
            try context.limits.check(info)
            let converter = header.converter(of: try segments.colors(context.limits))
            if converter?.isCMYK == true { reader.keepInks() }
            let plan = try JPEGPlan(info, context.options)
            var writer = try PixelWriter(size: try reader.start(eighths: plan.eighths))
            writer.clear()
            guard try Self.readRows(reader, into: &writer, converter) > 0 else { return nil }
            let pixels = try writer.finish().resampled(
                crop: plan.target.part, relativeTo: plan.stored, to: plan.target.size, filter: .lanczos3)
            return Image(pixels: try pixels.oriented(plan.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }

    /// Few, since none of those that are read together is counted where damage is met.
    private static let rowsAtOnce = 8

    /// Fills the rows that there are; returns how many.
    private static func readRows(
        _ reader: borrowing JPEGReader, into writer: inout PixelWriter, _ converter: ColorConverter?
    ) throws(TintypeError) -> Int {
        let (height, stride) = (writer.size.height, writer.bytesPerRow)
        var row = 0
        do throws(TintypeError) {
            while row < height {
                let count = try writer.withRows(from: row) { rows throws(TintypeError) in
                    try reader.readRows(min(Self.rowsAtOnce, height - row), into: rows, stride: stride)
                }
                guard count > 0 else { break }
                writer.convert(rows: count, from: row, by: converter)
                row += count
            }
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return row
    }
}

/// How a JPEG is brought to the asked size.
struct JPEGPlan: Equatable {
    /// The size of the whole picture, and the part and size of the result, before it is turned upright.
    let stored: PixelSize
    let target: DecodeTarget
    /// How much of the stored size libjpeg itself gives, in eighths.
    let eighths: Int
    let orientation: Orientation

    init(_ info: ImageInfo, _ options: DecodeOptions) throws(TintypeError) {
        orientation = info.orientation
        stored = info.storedSize
        target = try DecodeTarget(info, options)
        eighths = Self.eighths(target.part.size, target.size)
    }

    /// The same result made of a thumbnail that the file carries; `nil` when that does not stand for it.
    init?(_ plan: JPEGPlan, thumbnail: PixelSize) {
        guard thumbnail.isThumbnail(of: plan.stored, atLeast: plan.target.size) else { return nil }
        orientation = plan.orientation
        stored = thumbnail
        target = DecodeTarget(whole: thumbnail, size: plan.target.size)
        eighths = Self.eighths(thumbnail, target.size)
    }

    /// Whether what libjpeg gives is the result.
    func isDone(at drawn: PixelSize) -> Bool { target.part.size == stored && target.size == drawn }

    /// The fewest eighths that are still not smaller than the target on either side: scaling in the frequency domain
    /// is nearly free, but what it takes away nothing brings back.
    private static func eighths(_ stored: PixelSize, _ target: PixelSize) -> Int {
        (1...8).first { eighths in
            // As libjpeg rounds: up.
            (stored.width * eighths + 7) / 8 >= target.width && (stored.height * eighths + 7) / 8 >= target.height
        } ?? 8
    }
}
