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

/// Finds the nearest of a few colours.
struct NearestColor {
    private let channels: [(red: Int32, green: Int32, blue: Int32)]

    /// - Parameter colors: red is the lowest byte.
    init(_ colors: [UInt32]) {
        channels = colors.map { (Int32($0 & 255), Int32($0 >> 8 & 255), Int32($0 >> 16 & 255)) }
    }

    /// O(number of colours); 0 where there is none.
    func index(of word: UInt32) -> Int {
        let (red, green, blue) = (Int32(word & 255), Int32(word >> 8 & 255), Int32(word >> 16 & 255))
        var (best, least) = (0, Int32.max)
        for index in channels.indices {
            let color = channels[index]
            let (r, g, b) = (color.red - red, color.green - green, color.blue - blue)
            let distance = r * r + g * g + b * b
            if distance < least { (best, least) = (index, distance) }
        }
        return best
    }
}
