import TintypeColor
import TintypeCore

/// How the colours of an AVIF become sRGB.
enum AVIFColors {
    /// By way of 8 bits a channel.
    case narrow(ColorConverter?)
    /// By way of 16, as much as the file has.
    case wide(WideConverter)

    init(_ reader: borrowing AVIFReader, _ context: DecodeContext) throws(TintypeError) {
        let colors = try reader.colors(context.limits)
        let keepsRange = reader.isWide && context.options.range == .high
        self =
            colors.isHighRange || keepsRange
            ? .wide(WideConverter(colors, reader.channels)) : .narrow(ColorConverter(colors, reader.channels))
    }
}
