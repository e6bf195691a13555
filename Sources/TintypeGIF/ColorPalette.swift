/// Colours of a GIF: all those that pixels have, or the ones that come nearest.
struct ColorPalette {
    /// Opaque; red is the lowest byte.
    let colors: [UInt32]
    /// Whether every pixel has one of them.
    let isExact: Bool
    /// Whether the place after the last one is for pixels that are not painted.
    let hasUnpainted: Bool

    init(_ count: ColorCount, hasUnpainted: Bool) {
        self.hasUnpainted = hasUnpainted
        isExact = count.exact != nil
        colors = count.exact ?? ColorQuantizer(count.cells).colors(limit: count.limit)
    }

    /// The place of what is not painted; `nil` where everything is.
    var unpainted: UInt8? { hasUnpainted ? UInt8(truncatingIfNeeded: colors.count) : nil }

    /// As a file has them; what is not painted is black.
    var bytes: [UInt8] {
        (colors + (hasUnpainted ? [0] : [])).flatMap { color in
            [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) }
        }
    }
}
