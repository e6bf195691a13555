/// A pattern of 8 × 8 offsets for ordered dithering: B. E. Bayer, *An optimum method for two-level rendition of
/// continuous-tone pictures* (1973).
package struct DitherPattern: Sendable {
    /// The offsets of a channel, row by row, from about minus half the amplitude to half of it.
    private let offsets: [Int32]

    private static let side = 8

    /// Creates a pattern.
    ///
    /// - Parameter amplitude: The difference between the largest and the smallest offset, at most 255.
    package init(amplitude: Int32) {
        let cells = Int32(Self.side * Self.side)
        offsets = (0..<Int(cells)).map { index in
            let rank = Self.rank(x: index % Self.side, y: index / Self.side)
            return ((2 * rank + 1 - cells) * amplitude) / (2 * cells)
        }
    }

    /// Returns the position of a cell in the order in which cells of the pattern are filled, from 0 to 63: the bits of
    /// `x ^ y` and `y`, interleaved in reverse order.
    static func rank(x: Int, y: Int) -> Int32 {
        var rank: Int32 = 0
        for bit in 0..<3 {
            rank = rank << 2 | Int32((x ^ y) >> bit & 1) << 1 | Int32(y >> bit & 1)
        }
        return rank
    }

    /// Returns the offset at a position of the image.
    package func offset(x: Int, y: Int) -> Int32 {
        offsets[(y & (Self.side - 1)) * Self.side + (x & (Self.side - 1))]
    }

    /// Returns an opaque pixel with the offset of its position added to each channel; red is the lowest byte.
    package func adjusted(_ word: UInt32, x: Int, y: Int) -> UInt32 {
        let offset = offset(x: x, y: y)
        func channel(_ shift: UInt32) -> UInt32 {
            UInt32(min(max(Int32(word >> shift & 255) + offset, 0), 255)) << shift
        }
        return channel(0) | channel(8) | channel(16) | 0xFF00_0000
    }
}
