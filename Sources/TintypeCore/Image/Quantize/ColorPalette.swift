/// The colours of an image with indexed pixels: all colours of the pixels, or the nearest ones.
package struct ColorPalette: Sendable {
    /// Opaque colours; red is the lowest byte.
    package let colors: [UInt32]
    /// Whether every pixel has one of the colours.
    package let isExact: Bool
    /// The index of transparent pixels, after the last colour; `nil` if no pixel is transparent.
    package let transparentIndex: UInt8?

    /// Chooses the colours, at most as many as the limit of the histogram.
    package init(_ histogram: ColorHistogram, hasTransparency: Bool) {
        isExact = histogram.exactColors != nil
        colors = histogram.exactColors ?? ColorQuantizer(histogram.cells).colors(limit: histogram.limit)
        transparentIndex = hasTransparency ? UInt8(truncatingIfNeeded: colors.count) : nil
    }

    /// The entries of a colour table, three bytes each. The transparent entry is black.
    package var bytes: [UInt8] {
        (colors + (transparentIndex == nil ? [] : [0])).flatMap { color in
            [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) }
        }
    }
}

/// Finds the nearest of a few colours by linear search.
package struct NearestColor: Sendable {
    private let channels: [(red: Int32, green: Int32, blue: Int32)]

    /// Creates a search.
    ///
    /// - Parameter colors: Red is the lowest byte.
    package init(_ colors: [UInt32]) {
        channels = colors.map { (Int32($0 & 255), Int32($0 >> 8 & 255), Int32($0 >> 16 & 255)) }
    }

    /// Returns the index of the colour nearest to a pixel; 0 if there are no colours. O(number of colours).
    package func index(of word: UInt32) -> Int {
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
