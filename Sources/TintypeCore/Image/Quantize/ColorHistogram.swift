/// Counts the colours of images: each colour while there are few, and all of them in cells of 8 × 8 × 8.
package struct ColorHistogram {
    /// The number of colours up to which each one is recorded.
    package let limit: Int
    /// The distinct colours in the order in which they came; `nil` if there are more than ``limit``.
    package private(set) var exactColors: [UInt32]? = []
    private var seenColors: Set<UInt32> = []
    /// The pixels of each cell; see ``cell(of:)``.
    package private(set) var cells = [ColorMoments](repeating: ColorMoments(), count: 1 << (3 * Self.bits))

    /// The bits of each channel that select the cell of a colour.
    static let bits = 5

    /// Creates an empty histogram.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Adds the opaque pixels of an image that has no translucent ones.
    package mutating func add(_ image: PixelBuffer) {
        for y in 0..<image.size.height { image.withWords(y) { add($0) } }
    }

    private mutating func add(_ row: UnsafeBufferPointer<UInt32>) {
        var last: UInt32 = 0
        for word in row where word != 0 {
            if word != last && exactColors != nil { record(word) }
            last = word
            cells[Self.cell(of: word)].add(word)
        }
    }

    private mutating func record(_ word: UInt32) {
        guard seenColors.insert(word).inserted else { return }
        if seenColors.count > limit { exactColors = nil } else { exactColors?.append(word) }
    }

    /// Returns the index of the cell of a colour. Red is the highest part of the index.
    static func cell(of word: UInt32) -> Int {
        let drop = 8 - bits
        let (red, green, blue) = (word & 255, word >> 8 & 255, word >> 16 & 255)
        return Int(red >> drop) << (2 * bits) | Int(green >> drop) << bits | Int(blue >> drop)
    }
}

/// The moments of a set of pixels: their number, the sums of their channels and the sum of squares.
package struct ColorMoments: Sendable {
    var count = 0.0
    var red = 0.0
    var green = 0.0
    var blue = 0.0
    var squares = 0.0

    /// Adds a pixel; red is the lowest byte.
    mutating func add(_ word: UInt32) {
        let (r, g, b) = (Double(word & 255), Double(word >> 8 & 255), Double(word >> 16 & 255))
        count += 1
        red += r
        green += g
        blue += b
        squares += r * r + g * g + b * b
    }

    static func + (a: ColorMoments, b: ColorMoments) -> ColorMoments {
        ColorMoments(
            count: a.count + b.count, red: a.red + b.red, green: a.green + b.green, blue: a.blue + b.blue,
            squares: a.squares + b.squares)
    }

    static func - (a: ColorMoments, b: ColorMoments) -> ColorMoments {
        ColorMoments(
            count: a.count - b.count, red: a.red - b.red, green: a.green - b.green, blue: a.blue - b.blue,
            squares: a.squares - b.squares)
    }

    /// The squared sum of the pixels divided by their number. If the same pixels are divided into sets in two ways, the
    /// sets with the larger total concentration have pixels closer to their means.
    var concentration: Double {
        count > 0 ? (red * red + green * green + blue * blue) / count : 0
    }

    /// The sum of the squared distances from the mean.
    var squaredError: Double { squares - concentration }

    /// The mean as an opaque pixel.
    var mean: UInt32 {
        func channel(_ sum: Double) -> UInt32 { UInt32(min(max((sum / max(count, 1)).rounded(), 0), 255)) }
        return channel(red) | channel(green) << 8 | channel(blue) << 16 | 0xFF00_0000
    }
}
