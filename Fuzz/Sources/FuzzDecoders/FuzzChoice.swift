import Foundation

/// Pseudorandom choices derived from the input itself, so that a failure repeats: the part, the size, where the input
/// is cut.
struct FuzzChoice {
    private let seed: UInt64
    private let count: Int

    init(_ bytes: Data) {
        // FNV-1a.
        seed = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        count = bytes.count
    }

    /// Returns a number below `limit`. Different limits give different numbers.
    func number(below limit: Int) -> Int { Int((seed >> 8) % UInt64(limit)) }

    /// Returns the result of one of several independent coin flips.
    func isHeads(_ coin: Int) -> Bool { seed >> UInt64(40 + coin) & 1 == 1 }

    /// Some lengths of a prefix.
    var prefixes: [Int] { [min(count, 16), number(below: count + 1), max(count - 1, 0)] }

    /// All bytes in order: pieces of one length, or pieces like a network's, a single byte first and then more and
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
