import Foundation

/// What an input leaves to chance, made of the input itself, so that it fails again as it failed: the part, the size, where
/// it is cut.
struct FuzzChoice {
    private let seed: UInt64
    private let count: Int

    init(_ bytes: Data) {
        // FNV-1a
        seed = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        count = bytes.count
    }

    /// Another one for every limit.
    func number(below limit: Int) -> Int { Int((seed >> 8) % UInt64(limit)) }

    func isHeads(_ coin: Int) -> Bool { seed >> UInt64(40 + coin) & 1 == 1 }

    /// Some lengths of what has arrived.
    var prefixes: [Int] { [min(count, 16), number(below: count + 1), max(count - 1, 0)] }

    /// All bytes in order: a few pieces of one length, or such as a network makes, a first byte alone and then more and
    /// less.
    var pieces: [Range<Int>] {
        let even = max(1, count / (1 + number(below: 7)))
        var random = seed
        var (pieces, start): ([Range<Int>], Int) = ([], 0)
        while start < count {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let uneven = pieces.isEmpty ? 1 : 1 + Int(random >> 33) % max(1, count / 4)
            let end = min(count, start + (isHeads(3) ? even : uneven))
            pieces.append(start..<end)
            start = end
        }
        return pieces
    }
}
