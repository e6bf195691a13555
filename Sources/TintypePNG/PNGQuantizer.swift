import TintypeCore

/// Chooses a palette for an image with too many colours, and maps its pixels to it.
///
/// Alpha is rounded to a few levels. The pixels of each level get a part of the palette, in which ``ColorQuantizer`` chooses
/// their colours, and their errors are diffused among them.
struct PNGQuantizer {
    /// The colours of all levels.
    private(set) var palette = PNGPalette(ordered: [])
    private let straight: PixelBuffer
    /// The alpha of each level that has pixels, in increasing order, and how many there are.
    private let levels: [(alpha: UInt8, count: Int)]
    /// The level of each alpha.
    private let levelOfAlpha: [UInt8]
    /// The index of each pixel in the palette, row by row.
    private(set) var indices: [UInt8] = []

    /// The largest number of levels between transparent and opaque.
    private static let mostLevels = 7

    /// Chooses the colours.
    ///
    /// - Parameters:
    ///   - straight: Straight pixels.
    ///   - limit: The largest number of colours, from 2 to 256.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    init(_ straight: PixelBuffer, limit: Int) throws(TintypeError) {
        self.straight = straight
        // Each level takes colours from the others.
        let between = min(Self.mostLevels, (limit - 2) / 4)
        let rounded = (0...255).map { alpha in Self.rounded(UInt8(alpha), between: between) }
        var counts = [Int](repeating: 0, count: 256)
        for y in 0..<straight.size.height {
            straight.withWords(y) { row in for word in row { counts[Int(rounded[Int(word >> 24)])] += 1 } }
        }
        levels = counts.indices.compactMap { counts[$0] > 0 ? (UInt8($0), counts[$0]) : nil }
        let alphas = levels.map(\.alpha)
        levelOfAlpha = rounded.map { alpha in UInt8(alphas.firstIndex(of: alpha) ?? 0) }
        try map(limit: limit)
    }

    /// Returns the level nearest to an alpha: 0, 255, or one of those between.
    private static func rounded(_ alpha: UInt8, between count: Int) -> UInt8 {
        let steps = count + 1
        return UInt8((Int(alpha) * steps + 127) / 255 * 255 / steps)
    }

    private mutating func map(limit: Int) throws(TintypeError) {
        var (mapped, colors) = ([UInt8](repeating: 0, count: straight.size.area), [UInt32]())
        let shares = Self.shares(of: levels.map { $0.alpha == 0 ? 0 : $0.count }, limit: limit)
        for (level, share) in zip(levels.indices, shares) {
            try TransformContext.current.checkCancelled()
            let alpha = UInt32(levels[level].alpha) << 24
            let first = UInt8(truncatingIfNeeded: colors.count)
            guard alpha > 0 else {
                colors.append(0)
                continue
            }
            let part = try pixels(ofLevel: level)
            var histogram = ColorHistogram(limit: share)
            histogram.add(part)
            let palette = ColorPalette(histogram, hasTransparency: false)
            colors += palette.colors.map { $0 & 0xFF_FFFF | alpha }
            var mapper = ColorMapper(palette)
            merge(mapper.indices(of: part, dithering: .diffused), ofLevel: level, from: first, into: &mapped)
        }
        indices = mapped
        palette = PNGPalette(ordered: colors)
    }

    /// Divides the entries of a palette among levels: one for each, and the others by their numbers of pixels.
    ///
    /// - Parameter counts: 0 for a level of one colour.
    static func shares(of counts: [Int], limit: Int) -> [Int] {
        let total = max(counts.reduce(0, +), 1)
        let free = max(limit - counts.count, 0)
        var shares = counts.map { 1 + free * $0 / total }
        let rest = limit - shares.reduce(0, +)
        if rest > 0, let largest = counts.indices.max(by: { counts[$0] < counts[$1] }) { shares[largest] += rest }
        return shares
    }

    /// Returns the pixels of a level as opaque ones; the others are transparent.
    private func pixels(ofLevel level: Int) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: straight.size)
        for y in 0..<straight.size.height {
            writer.withRows(from: y) { target in
                straight.withWords(y) { row in
                    for x in row.indices {
                        let isPart = levelOfAlpha[Int(row[x] >> 24)] == level
                        target.storeBytes(
                            of: isPart ? row[x] | 0xFF00_0000 : 0, toByteOffset: 4 * x, as: UInt32.self)
                    }
                }
            }
        }
        return writer.finish()
    }

    private func merge(_ part: [UInt8], ofLevel level: Int, from first: UInt8, into indices: inout [UInt8]) {
        let width = straight.size.width
        for y in 0..<straight.size.height {
            straight.withWords(y) { row in
                for x in row.indices where levelOfAlpha[Int(row[x] >> 24)] == level {
                    indices[y * width + x] = first &+ part[y * width + x]
                }
            }
        }
    }
}
