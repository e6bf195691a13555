import TintypeCore

/// Chooses a palette for an image with too many colours, and maps its pixels to it.
///
/// Alpha is rounded to a few levels, with a pattern that hides the steps between them. The pixels of each level get a
/// part of the palette, in which ``ColorQuantizer`` chooses their colours, and their errors are diffused among them.
struct PNGQuantizer {
    /// The colours of all levels.
    private(set) var palette = PNGPalette(ordered: [])
    /// The index of each pixel in the palette, row by row.
    private(set) var indices: [UInt8] = []
    private let straight: PixelBuffer
    /// The alpha of each level that has pixels, in increasing order, and how many there are.
    private let levels: [(alpha: UInt8, count: Int)]
    /// The level of each pixel, row by row.
    private let levelOfPixel: [UInt8]

    /// The largest number of levels between transparent and opaque.
    private static let mostLevels = 7

    /// Chooses the colours.
    ///
    /// - Parameters:
    ///   - straight: Straight pixels.
    ///   - limit: The largest number of colours, from 2 to 256.
    /// - Throws: `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    init(_ straight: PixelBuffer, limit: Int) throws(TintypeError) {
        self.straight = straight
        // Each level takes colours from the others.
        let alphas = Self.roundedAlphas(of: straight, between: min(Self.mostLevels, (limit - 2) / 4))
        var counts = [Int](repeating: 0, count: 256)
        for alpha in alphas { counts[Int(alpha)] += 1 }
        levels = counts.indices.compactMap { counts[$0] > 0 ? (UInt8($0), counts[$0]) : nil }
        var levelOfAlpha = [UInt8](repeating: 0, count: 256)
        for (index, level) in levels.enumerated() { levelOfAlpha[Int(level.alpha)] = UInt8(index) }
        levelOfPixel = alphas.map { levelOfAlpha[Int($0)] }
        try map(limit: limit)
    }

    /// Returns a level for the alpha of each pixel: 0, 255, or one of `count` between them.
    private static func roundedAlphas(of straight: PixelBuffer, between count: Int) -> [UInt8] {
        let steps = count + 1
        // Without levels between, a pattern would tear edges apart.
        let pattern = DitherPattern(amplitude: count > 0 ? Int32(255 / steps) : 0)
        var alphas: [UInt8] = []
        alphas.reserveCapacity(straight.size.area)
        for y in 0..<straight.size.height {
            straight.withWords(y) { row in
                for x in row.indices {
                    let alpha = Int(row[x] >> 24)
                    let isExact = alpha == 0 || alpha == 255
                    let shown = isExact ? alpha : min(max(alpha + Int(pattern.offset(x: x, y: y)), 0), 255)
                    alphas.append(UInt8((shown * steps + 127) / 255 * 255 / steps))
                }
            }
        }
        return alphas
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
        let width = straight.size.width
        for y in 0..<straight.size.height {
            writer.withRows(from: y) { target in
                straight.withWords(y) { row in
                    for x in row.indices {
                        let isPart = levelOfPixel[y * width + x] == level
                        target.storeBytes(
                            of: isPart ? row[x] | 0xFF00_0000 : 0, toByteOffset: 4 * x, as: UInt32.self)
                    }
                }
            }
        }
        return writer.finish()
    }

    private func merge(_ part: [UInt8], ofLevel level: Int, from first: UInt8, into indices: inout [UInt8]) {
        for pixel in indices.indices where levelOfPixel[pixel] == level { indices[pixel] = first &+ part[pixel] }
    }
}
