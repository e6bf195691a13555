/// The first bytes of a ``ThumbHash``.
struct ThumbHashHeader {
    private let first: Int
    private let second: Int
    private let alpha: Int

    /// - Parameter bytes: at least five.
    init(_ bytes: [UInt8]) {
        first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        second = Int(bytes[3]) | Int(bytes[4]) << 8
        alpha = bytes.count > 5 ? Int(bytes[5]) : 0
    }

    var hasAlpha: Bool { first >> 23 != 0 }
    private var isLandscape: Bool { second >> 15 != 0 }

    /// Waves of brightness as the hash tells them; at least one each, whatever it says.
    var storedWaves: PixelSize {
        let (long, short) = (hasAlpha ? 5 : 7, max(1, second & 7))
        return isLandscape ? PixelSize(width: long, height: short) : PixelSize(width: short, height: long)
    }

    /// Waves of brightness that there are.
    var waves: PixelSize {
        PixelSize(width: max(3, storedWaves.width), height: max(3, storedWaves.height))
    }

    /// The means of brightness, of yellow against blue, of red against green, and of alpha.
    var means: SIMD4<Double> {
        SIMD4(
            Double(first & 63) / 63, Double(first >> 6 & 63) / 31.5 - 1, Double(first >> 12 & 63) / 31.5 - 1,
            hasAlpha ? Double(alpha & 15) / 15 : 1)
    }

    /// How far each goes beyond its mean. Colours are stored a little weaker than they were.
    var scales: SIMD4<Double> {
        SIMD4(
            Double(first >> 18 & 31) / 31, Double(second >> 3 & 63) / 63 * 1.25, Double(second >> 9 & 63) / 63 * 1.25,
            Double(alpha >> 4) / 15)
    }

    /// Where the waves begin; four bits each.
    var waveOffset: Int { hasAlpha ? 6 : 5 }

    var byteCount: Int {
        let count =
            ThumbHashWaves.count(waves) + 2 * ThumbHashWaves.count(ThumbHashWaves.color)
            + (hasAlpha ? ThumbHashWaves.count(ThumbHashWaves.alpha) : 0)
        return waveOffset + (count + 1) / 2
    }
}
