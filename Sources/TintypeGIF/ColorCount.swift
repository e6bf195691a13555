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
