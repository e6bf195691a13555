import TintypeCore

/// A set of up to 256 colours in the order of their insertion, in an open-addressed hash table.
struct PNGColorTable {
    /// Straight pixels; red is the lowest byte.
    private(set) var colors: [UInt32] = []
    /// The index of a colour plus 1, or 0 for an empty slot.
    private var slots = [UInt16](repeating: 0, count: 1 << Self.bits)

    /// Four slots for each colour, so that searches are short.
    private static let bits: UInt32 = 10

    /// Adds a colour if it is not present.
    ///
    /// - Parameter limit: At most 256.
    /// - Returns: `false` if there is no room for it.
    mutating func insert(_ word: UInt32, limit: Int) -> Bool {
        let slot = slot(of: word)
        guard slots[slot] == 0 else { return true }
        guard colors.count < limit else { return false }
        colors.append(word)
        slots[slot] = UInt16(colors.count)
        return true
    }

    /// Returns the index of a colour; 0 if it is not present.
    func index(of word: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(Int(slots[slot(of: word)]) - 1, 0))
    }

    /// Returns the slot of a colour, or the empty one in which it belongs. There always is one.
    private func slot(of word: UInt32) -> Int {
        var slot = Int((word &* 0x9E37_79B1) >> (32 - Self.bits))
        while slots[slot] != 0, colors[Int(slots[slot]) - 1] != word { slot = (slot + 1) % slots.count }
        return slot
    }
}

/// The palette of a PNG, with an alpha for each colour.
struct PNGPalette {
    /// Straight pixels; red is the lowest byte. At most 256.
    let colors: [UInt32]

    /// Creates a palette in which the colours that are not opaque come first, because a file stores alpha only up to
    /// the last of them.
    init(_ table: PNGColorTable) {
        let isOpaque = { (word: UInt32) in word >> 24 == 255 }
        colors = table.colors.filter { !isOpaque($0) } + table.colors.filter(isOpaque)
    }

    /// Creates a palette of colours in this order, in which colours may repeat.
    init(ordered colors: [UInt32]) {
        self.colors = colors
    }

    /// Straight RGBA, four bytes each.
    var bytes: [UInt8] {
        colors.flatMap { color in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: color >> $0) } }
    }

    /// The bits of an index that suffice.
    var bits: Int {
        switch colors.count {
        case ...2: 1
        case ...4: 2
        case ...16: 4
        default: 8
        }
    }

    var isOpaque: Bool { colors.allSatisfy { $0 >> 24 == 255 } }

    /// Returns an index for each pixel, row by row. Every pixel has a colour of the palette.
    func indices(of straight: PixelBuffer) -> [UInt8] {
        var table = PNGColorTable()
        for color in colors { _ = table.insert(color, limit: colors.count) }
        var indices: [UInt8] = []
        indices.reserveCapacity(straight.size.area)
        var last: (word: UInt32, index: UInt8)?
        for y in 0..<straight.size.height {
            straight.withWords(y) { row in
                for word in row {
                    if word != last?.word { last = (word, table.index(of: word)) }
                    indices.append(last?.index ?? 0)
                }
            }
        }
        return indices
    }
}
