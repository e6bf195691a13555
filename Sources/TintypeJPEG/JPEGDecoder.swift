import CTintypeJPEG
package import Foundation
import TintypeColor
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of JPEG.
    public static let jpeg = ImageCoderRegistry(decoders: [JPEGDecoder()], encoders: [JPEGEncoder()])
}

/// Decodes JPEG (ITU-T T.81) with libjpeg-turbo.
///
/// For a smaller size, libjpeg scales the image in the frequency domain to the smallest n/8 of its stored size that is
/// not below the requested size. The result is then resampled. Decoders hold no state; any thread may use one.
package struct JPEGDecoder: PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a JPEG decoder.
    package init() {}

    /// The formats that this decoder reads: JPEG.
    package var formats: Set<ImageFormat> { [.jpeg] }

    /// Reads the segments before the first scan, and finds the gain map if `bytes` reaches so far.
    ///
    /// - Returns: `nil` if `bytes` is a prefix that ends too early.
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged, `TintypeError.Code.limitExceeded` for too
    ///   much metadata.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let reader = try JPEGReader(DecodeContext())
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            try reader.open(bytes, isComplete: isComplete).map { header in
                let segments = JPEGSegments(bytes)
                var info = ImageInfo(header, segments)
                info.isHighRange = JPEGGainMap(bytes, segments, DecodeContext()) != nil
                return info
            }
        }
    }

    /// Decodes the whole image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded` if the image is too large, before it is allocated,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let reader = try JPEGReader(context, tolerating: context.options.damageTolerance.ofJPEG)
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            guard let file = try reader.openWithinLimits(bytes) else { throw TintypeError(.truncated, "") }
            let plan = try JPEGPlan(file.info, context.options)
            let thumbnail =
                context.options.embeddedThumbnail == .whereLargeEnough
                ? try Self.decodeEmbeddedThumbnail(file.segments, plan, file.colors, context) : nil
            let (pixels, isDamaged) =
                if let thumbnail {
                    (thumbnail, false)
                } else if let pixels = try JPEGStrips.decode(bytes, file, plan, context) { (pixels, false) } else {
                    try Self.decodePixels(reader, file.converter, plan, context)
                }
            var info = file.info
            if isDamaged { info.warnings = [.damagedPixels] }
            let map = JPEGGainMap(bytes, file.segments, context)
            info.isHighRange = map != nil
            return Image(
                pixels: pixels, info: info, scale: context.options.scale ?? 1,
                highRange: context.options.range == .high ? try map?.applied(to: pixels, plan) : nil,
                exif: context.options.keepsExif ? file.segments.exif : nil)
        }
    }

    /// Decodes the thumbnail in the Exif data, if it is large enough for the target.
    ///
    /// A damaged thumbnail is ignored, because the full image is available.
    ///
    /// - Returns: `nil` if the thumbnail cannot stand for the image.
    private static func decodeEmbeddedThumbnail(
        _ segments: JPEGSegments, _ plan: JPEGPlan, _ colors: SourceColors, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        guard plan.target.part.size == plan.stored,
            let thumbnail = segments.exif?.thumbnail, let reader = try? JPEGReader(context)
        else { return nil }
        let pixels = try? thumbnail.withTypedBytes { bytes throws(TintypeError) -> PixelBuffer? in
            guard let header = try reader.open(bytes, isComplete: true),
                let thumbnailPlan = JPEGPlan(
                    plan, thumbnail: PixelSize(width: Int(header.width), height: Int(header.height)))
            else { return nil }
            let (pixels, isDamaged) = try Self.decodePixels(
                reader, header.converter(of: colors), thumbnailPlan, context)
            return isDamaged ? nil : pixels
        }
        try context.checkCancelled()
        return pixels ?? nil
    }

    /// Creates a decoder that shows previews while bytes arrive, or returns `nil` if there is not enough memory.
    package func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        JPEGPreviewReader(context).map { reader in IncrementalImage { _ in .still(reader) } }
    }

    /// Decodes the pixels of an opened file, resampled to the plan's target and turned upright.
    ///
    /// - Returns: The pixels, and whether some of them are damaged.
    static func decodePixels(
        _ reader: borrowing JPEGReader, _ converter: ColorConverter?, _ plan: JPEGPlan, _ context: DecodeContext
    ) throws(TintypeError) -> (PixelBuffer, isDamaged: Bool) {
        if converter?.isCMYK == true { reader.outputCMYK() }
        let size = try reader.start(eighths: plan.eighths)
        let stored =
            plan.matchesTarget(outputSize: size)
            ? try decodeFullSize(reader, size, converter)
            : try RowResampler.resampled(size, crop: plan.target.part, scale: plan.scale, to: plan.target.size) {
                (count, strip) throws(TintypeError) in
                let stride = strip.bytesPerRow
                let count = try strip.withRows { rows throws(TintypeError) in
                    try reader.readRows(count, into: rows, stride: stride)
                }
                strip.convert(rows: count, by: converter)
                return count
            }
        let isDamaged = try reader.finish()
        try context.checkCancelled()
        return (try stored.oriented(plan.orientation), isDamaged)
    }

    /// Decodes all rows at the size that libjpeg outputs.
    private static func decodeFullSize(
        _ reader: borrowing JPEGReader, _ size: PixelSize, _ converter: ColorConverter?
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        // Small batches, so that rows are converted while they are in the CPU cache.
        let rowsPerRead = 16
        var row = 0
        while row < size.height {
            let count = try writer.withRows(from: row) { rows throws(TintypeError) in
                try reader.readRows(
                    converter == nil ? size.height - row : min(rowsPerRead, size.height - row), into: rows,
                    stride: stride)
            }
            guard count > 0 else { throw TintypeError(.truncated, "") }
            writer.convert(rows: count, from: row, by: converter)
            row += count
        }
        return writer.finish()
    }
}

extension DecodeOptions.DamageTolerance {
    /// The damage past which libjpeg continues.
    fileprivate var ofJPEG: tintype_jpeg_tolerance { self == .none ? .nothing : .minorDamage }
}

extension tintype_jpeg_header {
    /// Whether the components are cyan, magenta, yellow and black, directly or as YCCK.
    var isCMYK: Bool { color == .cmyk || color == .ycck }

    /// The bytes of memory per pixel that libjpeg and the result take: for an image with several scans, including the
    /// coefficients of all components, as if none were subsampled.
    var bytesPerPixel: Int { PixelBuffer.bytesPerPixel + coefficientBytesPerPixel }

    /// The memory that the coefficients of the whole image take.
    var coefficientBytes: Double { Double(width) * Double(height) * Double(coefficientBytesPerPixel) }

    private var coefficientBytesPerPixel: Int { needs_coefficients ? 2 * Int(components) : 0 }

    /// Returns the converter of such an image's rows to sRGB, or `nil` if none is needed.
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
        // Exif takes precedence (Metadata Working Group, guidelines 2.0, 5.4).
        guard header.exif_orientation == 0, let upright = segments.xmp?.orientation else { return }
        (size, orientation) = (upright.displayed(size), upright)
    }

    init(_ header: tintype_jpeg_header) {
        let orientation = Orientation(rawValue: Int(header.exif_orientation)) ?? .up
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        self.init(format: .jpeg, size: orientation.displayed(stored), orientation: orientation)
    }
}

extension JPEGDecoder: VerifyingImageDecoder {
    /// Reads the codes of all scans: for progressive files, two to three times as fast as decoding an eighth of the
    /// size.
    ///
    /// - Returns: `nil` if only decoding can tell whether the image is whole.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func verifiedInfo(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo? {
        let reader = try JPEGReader(context)
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            guard let file = try reader.openWithinLimits(bytes), reader.isSurelyWhole(bytes) else { return nil }
            return file.info
        }
    }
}

extension JPEGDecoder: SalvagingImageDecoder {
    /// Decodes what libjpeg can recover.
    ///
    /// The result of a truncated file has the rows or scans that it contains. After damage, libjpeg continues at the
    /// next restart marker, or with the bytes that it takes for pixels.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        let reader = try JPEGReader(context, tolerating: .all)
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let file = try reader.openWithinLimits(raw) else { return nil }
            let converter = file.converter
            if converter?.isCMYK == true { reader.outputCMYK() }
            let plan = try JPEGPlan(file.info, context.options)
            // As much as for a preview: libjpeg's output, and a resampled and a turned copy.
            try context.limits.checkMemory(
                bytesPerPixel: JPEGPreviewReader.bytesPerPixel, of: plan.outputSize, other: file.header.coefficientBytes
            )
            var writer = try PixelWriter(size: try reader.start(eighths: plan.eighths))
            writer.clear()
            guard try Self.readRows(reader, into: &writer, converter) > 0 else { return nil }
            let pixels = try plan.upright(writer.finish(), filter: .lanczos3)
            return Image(pixels: pixels, info: file.info, scale: context.options.scale ?? 1)
        }
    }

    /// A small number, because the rows of a read that meets damage do not count.
    private static let rowsPerRead = 8

    /// Reads the rows that are present, and returns their number.
    private static func readRows(
        _ reader: borrowing JPEGReader, into writer: inout PixelWriter, _ converter: ColorConverter?
    ) throws(TintypeError) -> Int {
        let (height, stride) = (writer.size.height, writer.bytesPerRow)
        var row = 0
        do throws(TintypeError) {
            while row < height {
                let count = try writer.withRows(from: row) { rows throws(TintypeError) in
                    try reader.readRows(min(Self.rowsPerRead, height - row), into: rows, stride: stride)
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

/// The scaling that brings a JPEG to the requested size.
struct JPEGPlan: Equatable {
    /// The size of the stored image in pixels, before it is turned upright.
    let stored: PixelSize
    /// The part of the stored image and the size of the result, before it is turned upright.
    let target: DecodeTarget
    /// The scale that libjpeg applies, in eighths of the stored size (1–8).
    let eighths: Int
    /// The orientation that the Exif data state.
    let orientation: Orientation

    /// - Throws: `TintypeError.Code.transformFailed` if the crop lies outside the image.
    init(_ info: ImageInfo, _ options: DecodeOptions) throws(TintypeError) {
        orientation = info.orientation
        stored = info.storedSize
        target = try DecodeTarget(info, options: options)
        eighths = Self.eighths(target.part.size, target.size)
    }

    /// A plan with the same result as `plan`, made from an embedded thumbnail.
    ///
    /// - Returns: `nil` if the thumbnail's shape differs from the image's, or it is smaller than the target.
    init?(_ plan: JPEGPlan, thumbnail: PixelSize) {
        guard thumbnail.isThumbnail(of: plan.stored, atLeast: plan.target.size) else { return nil }
        orientation = plan.orientation
        stored = thumbnail
        target = DecodeTarget(whole: thumbnail, size: plan.target.size)
        eighths = Self.eighths(thumbnail, target.size)
    }

    /// The number of pixels that libjpeg puts out for each stored pixel.
    ///
    /// The output has whole pixels: its last row and column may reach beyond the image.
    var scale: Double { Double(eighths) / 8 }

    /// The size of libjpeg's output in pixels.
    var outputSize: PixelSize {
        PixelSize(width: (stored.width * eighths + 7) / 8, height: (stored.height * eighths + 7) / 8)
    }

    /// Returns whether libjpeg's output of this size is already the result.
    func matchesTarget(outputSize: PixelSize) -> Bool {
        target.part.size == stored && target.size == outputSize
            && Self.fits(stored.width, eighths, outputSize.width)
            && Self.fits(stored.height, eighths, outputSize.height)
    }

    /// Returns the result of libjpeg's output, turned upright.
    func upright(_ output: PixelBuffer, filter: ResampleFilter) throws(TintypeError) -> PixelBuffer {
        let shown =
            matchesTarget(outputSize: output.size)
            ? output : try output.resampled(crop: target.part, scale: scale, to: target.size, filter: filter)
        return try shown.oriented(orientation)
    }

    /// Returns the fewest eighths at which neither side is smaller than the target.
    ///
    /// Scaling in the frequency domain is nearly free, but its loss of detail is final.
    private static func eighths(_ stored: PixelSize, _ target: PixelSize) -> Int {
        (1...7).first { eighths in
            stored.width * eighths + slack(target.width) >= target.width * 8
                && stored.height * eighths + slack(target.height) >= target.height * 8
        } ?? 8
    }

    /// Returns whether `output` pixels show a stored side at a scale closely enough.
    private static func fits(_ stored: Int, _ eighths: Int, _ output: Int) -> Bool {
        let excess = output * 8 - stored * eighths
        return excess == 0 || (output >= largeSide && excess < 8)
    }

    /// The side in pixels from which a part of a pixel more or less cannot be seen.
    private static let largeSide = 64

    /// Returns the eighths of a pixel that the scaled image may lack. Fitting rounds a side by half a pixel.
    private static func slack(_ target: Int) -> Int { target >= largeSide ? 4 : 0 }
}
