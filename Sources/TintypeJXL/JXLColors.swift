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
}
