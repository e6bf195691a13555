/// Tells pictures apart by their pixels: 128 bits, not made to resist who wants two to be alike.
struct PixelDigest: Hashable, CustomStringConvertible {
    private var first: UInt64 = 0xCBF2_9CE4_8422_2325
    private var second: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(_ pixels: PixelBuffer) {
        for y in 0..<pixels.size.height {
            pixels.withUnsafeRow(y) { row in
                for offset in stride(from: 0, to: row.count, by: 4) {
                    add(UInt64(row.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian))
                }
            }
        }
        add(UInt64(pixels.size.width))
    }

    /// Two multiplications with different odd numbers, each folded so that high bits reach the low ones.
    private mutating func add(_ word: UInt64) {
        first = (first ^ word) &* 0x0000_0100_0000_01B3
        first ^= first >> 29
        second = (second &+ word) &* 0xD6E8_FEB8_6659_FD93
        second ^= second >> 32
    }

    var description: String { String(first, radix: 36) + "-" + String(second, radix: 36) }
}
