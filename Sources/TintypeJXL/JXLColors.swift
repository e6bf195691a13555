import TintypeColor
import TintypeCore

/// How the colours of a JPEG XL become sRGB.
enum JXLColors {
    /// By way of 8 bits a channel.
    case narrow(ColorConverter?)
    /// By way of 16.
    case wide(WideConverter)

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

    /// Room for what libjxl writes of a picture.
    func room(_ header: JXLHeader) throws(TintypeError) -> PixelWriter {
        let size = header.info.storedSize
        return try isWide ? HighRangePixels.writer(size) : PixelWriter(size: size)
    }

    /// The part and size that are wanted of what libjxl has written, before it is turned upright.
    func picture(
        _ room: consuming PixelWriter, _ header: JXLHeader, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let divides = header.info.hasAlpha && header.isPremultiplied
        switch self {
        case .narrow(let converter):
            Self.finish(&room, header, converter)
            let whole = room.finish()
            return WideImage(
                pixels: try whole.resampled(crop: target.part, to: target.size, filter: .lanczos3), highRange: nil)
        case .wide(let converter):
            let words = room.finish()
            return try WideRows(header.info.storedSize, target, converter, context).image {
                (first, count, target) in
                target.copyRows(first..<first + count, of: words)
                if divides { WideRows.unpremultiply(target) }
            }
        }
    }

    private static func finish(_ rows: inout PixelWriter, _ header: JXLHeader, _ converter: ColorConverter?) {
        let count = rows.size.height
        if header.info.hasAlpha && header.isPremultiplied {
            rows.convertPremultiplied(rows: count, by: converter)
        } else {
            rows.convert(rows: count, by: converter)
            if header.info.hasAlpha { rows.premultiply(rows: count) }
        }
    }
}
