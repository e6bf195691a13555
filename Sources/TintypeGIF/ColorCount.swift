import TintypeCore

/// How often the colours of pictures occur: each of them as long as they are few, and all of them in cells of eight by
/// eight by eight.
struct ColorCount {
    /// The most colours that are wanted.
    let limit: Int
    /// The colours, in the order in which they came; `nil` when there are more than wanted.
    private(set) var exact: [UInt32]? = []
    private var known: Set<UInt32> = []
    private(set) var cells = [ColorMoment](repeating: ColorMoment(), count: 1 << (3 * Self.bits))

    /// Of a channel, that tell which cell a colour is in.
    static let bits = 5

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the opaque pixels of a picture that has no translucent ones.
    mutating func add(_ picture: PixelBuffer) {
        for y in 0..<picture.size.height { picture.withWords(y) { add($0) } }
    }

    private mutating func add(_ row: UnsafeBufferPointer<UInt32>) {
        var last: UInt32 = 0
        for word in row where word != 0 {
            if word != last && exact != nil { note(word) }
            last = word
            cells[Self.cell(of: word)].add(word)
        }
    }

    private mutating func note(_ word: UInt32) {
        guard known.insert(word).inserted else { return }
        if known.count > limit { exact = nil } else { exact?.append(word) }
    }

    /// Red is the highest part of the index.
    static func cell(of word: UInt32) -> Int {
        let drop = 8 - bits
        let (red, green, blue) = (word & 255, word >> 8 & 255, word >> 16 & 255)
        return Int(red >> drop) << (2 * bits) | Int(green >> drop) << bits | Int(blue >> drop)
    }
}

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
