/// How many pixels there are, and the sums and squares of their channels: their mean and how far they are from it.
struct ColorMoment {
    var count = 0.0
    var red = 0.0
    var green = 0.0
    var blue = 0.0
    var squares = 0.0

    /// Takes a pixel; red is the lowest byte.
    mutating func add(_ word: UInt32) {
        let (r, g, b) = (Double(word & 255), Double(word >> 8 & 255), Double(word >> 16 & 255))
        count += 1
        red += r
        green += g
        blue += b
        squares += r * r + g * g + b * b
    }

    static func + (a: ColorMoment, b: ColorMoment) -> ColorMoment {
        ColorMoment(
            count: a.count + b.count, red: a.red + b.red, green: a.green + b.green, blue: a.blue + b.blue,
            squares: a.squares + b.squares)
    }

    static func - (a: ColorMoment, b: ColorMoment) -> ColorMoment {
        ColorMoment(
            count: a.count - b.count, red: a.red - b.red, green: a.green - b.green, blue: a.blue - b.blue,
            squares: a.squares - b.squares)
    }

    /// The square of the sum of the pixels by their number: what is larger is nearer to its mean.
    var concentration: Double {
        count > 0 ? (red * red + green * green + blue * blue) / count : 0
    }

    /// The squared distances from the mean, added up.
    var spread: Double { squares - concentration }

    /// The mean as an opaque pixel.
    var mean: UInt32 {
        func channel(_ sum: Double) -> UInt32 { UInt32(min(max((sum / max(count, 1)).rounded(), 0), 255)) }
        return channel(red) | channel(green) << 8 | channel(blue) << 16 | 0xFF00_0000
    }
}
