import TintypeColor
import TintypeCore

/// The conversion of the colours of a JPEG XL to sRGB.
enum JXLColors {
    /// With 8 bits per channel; `nil` if the colours are sRGB already.
    case narrow(ColorConverter?)
    /// With 16 bits per channel, for high-range images.
    case wide(WideConverter)

    /// Chooses the conversion, once libjxl has read the colour encoding.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` for a profile that is too large.
    init(
        _ reader: borrowing JXLReader, _ header: JXLHeader, _ context: DecodeContext
    ) throws(TintypeError) {
        let keepsRange = header.depth > 8 && context.options.range == .high
        let colors = try reader.colors(keepsRange: keepsRange, context.limits)
        let channels: SourceChannels = header.isGrey ? .grey : .rgb
        self =
            keepsRange || colors.isHighRange
            ? .wide(WideConverter(colors, channels, peak: header.peak)) : .narrow(ColorConverter(colors, channels))
    }

    var isWide: Bool {
        if case .wide = self { true } else { false }
    }

    /// Creates a buffer for the output of libjxl.
    func makeWriter(_ header: JXLHeader) throws(TintypeError) -> PixelWriter {
        let size = header.info.storedSize
        return try isWide ? HighRangePixels.writer(size) : PixelWriter(size: size)
    }

    /// Converts the output of libjxl to sRGB, cropped and resampled to a target, in its stored orientation.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    func makeImage(
        _ writer: consuming PixelWriter, _ header: JXLHeader, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let unpremultiplies = header.info.hasAlpha && header.isPremultiplied
        switch self {
        case .narrow(let converter):
            Self.convertToSRGB(&writer, header, converter)
            let whole = writer.finish()
            return WideImage(
                pixels: try whole.resampled(crop: target.part, to: target.size, filter: .lanczos3), highRange: nil)
        case .wide(let converter):
            let words = writer.finish()
            return try WideRows(header.info.storedSize, target, converter, context).image {
                (first, count, target) in
                target.copyRows(first..<first + count, of: words)
                if unpremultiplies { WideRows.unpremultiply(target) }
            }
        }
    }

    /// Converts all rows to premultiplied sRGB.
    private static func convertToSRGB(_ rows: inout PixelWriter, _ header: JXLHeader, _ converter: ColorConverter?) {
        let count = rows.size.height
        if header.info.hasAlpha && header.isPremultiplied {
            rows.convertPremultiplied(rows: count, by: converter)
        } else {
            rows.convert(rows: count, by: converter)
            if header.info.hasAlpha { rows.premultiply(rows: count) }
        }
    }
}
