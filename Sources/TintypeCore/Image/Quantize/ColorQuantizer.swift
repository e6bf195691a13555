/// The colours of an image with indexed pixels: all colours of the pixels, or the nearest ones.
package struct ColorPalette: Sendable {
    /// Opaque colours; red is the lowest byte.
    package let colors: [UInt32]
    /// Whether every pixel has one of the colours.
    package let isExact: Bool
    /// The index of transparent pixels, after the last colour; `nil` if no pixel is transparent.
    package let transparentIndex: UInt8?

    /// Chooses the colours, at most as many as the limit of the histogram.
    package init(_ histogram: ColorHistogram, hasTransparency: Bool) {
        isExact = histogram.exactColors != nil
        colors = histogram.exactColors ?? ColorQuantizer(histogram.cells).colors(limit: histogram.limit)
        transparentIndex = hasTransparency ? UInt8(truncatingIfNeeded: colors.count) : nil
    }

    /// The entries of a colour table, three bytes each. The transparent entry is black.
    package var bytes: [UInt8] {
        (colors + (transparentIndex == nil ? [] : [0])).flatMap { color in
            [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) }
        }
    }
}

/// Finds the nearest of a few colours by linear search.
package struct NearestColor: Sendable {
    private let channels: [(red: Int32, green: Int32, blue: Int32)]

    /// Creates a search.
    ///
    /// - Parameter colors: Red is the lowest byte.
    package init(_ colors: [UInt32]) {
        channels = colors.map { (Int32($0 & 255), Int32($0 >> 8 & 255), Int32($0 >> 16 & 255)) }
    }

    /// Returns the index of the colour nearest to a pixel; 0 if there are no colours. O(number of colours).
    package func index(of word: UInt32) -> Int {
        let (red, green, blue) = (Int32(word & 255), Int32(word >> 8 & 255), Int32(word >> 16 & 255))
        var (best, least) = (0, Int32.max)
        for index in channels.indices {
            let color = channels[index]
            let (r, g, b) = (color.red - red, color.green - green, color.blue - blue)
            let distance = r * r + g * g + b * b
            if distance < least { (best, least) = (index, distance) }
        }
        return best
    }
}

/// Chooses a palette for pixels that have too many colours.
///
/// It splits the box of colours with the largest error where that brings the pixels nearest to the means of the two
/// halves, until there are enough boxes: X. Wu, *Efficient statistical computations for optimal color quantization*
/// (Graphics Gems II), the greedy form of his *Color quantization by dynamic programming and principal analysis* (ACM
/// Transactions on Graphics 11, 1992). Two rounds of S. Lloyd's *Least squares quantization in PCM* (1982) then refine
/// the means.
package struct ColorQuantizer {
    /// The moments of all cells between each corner and black (a summed-area table). Each side has one entry more than
    /// there are cells.
    private var sums: [ColorMoments]
    private let cells: [ColorMoments]

    private static let side = 1 << ColorHistogram.bits + 1
    private static let strides = SIMD3(side * side, side, 1)
    private static let rounds = 2

    /// Sums up a histogram.
    ///
    /// - Parameter cells: The cells of a ``ColorHistogram``.
    package init(_ cells: [ColorMoments]) {
        self.cells = cells
        sums = [ColorMoments](repeating: ColorMoments(), count: Self.side * Self.side * Self.side)
        let count = Self.side - 1
        for red in 0..<count {
            for green in 0..<count {
                for blue in 0..<count {
                    sums[Self.index(SIMD3(red + 1, green + 1, blue + 1))] = cells[(red * count + green) * count + blue]
                }
            }
        }
        for axis in 0..<3 { sumUp(along: axis) }
    }

    private mutating func sumUp(along axis: Int) {
        let step = Self.strides[axis]
        // The first entry of each row is empty; the one before it in memory belongs to another row.
        for index in sums.indices where index / step % Self.side > 0 { sums[index] = sums[index] + sums[index - step] }
    }

    private static func index(_ corner: SIMD3<Int>) -> Int {
        corner.x * strides.x + corner.y * strides.y + corner.z
    }

    // MARK: Boxes

    /// The cells above `low` up to and including `high`.
    private struct Box {
        var low = SIMD3(0, 0, 0)
        var high = SIMD3(repeating: side - 1)
        var moments = ColorMoments()
    }

    /// Returns at most `limit` opaque colours; none if there are no pixels.
    ///
    /// - Parameter limit: At least 1.
    package func colors(limit: Int) -> [UInt32] {
        var boxes = [measure(Box())]
        while boxes.count < limit {
            let order = boxes.indices.sorted { boxes[$0].moments.squaredError > boxes[$1].moments.squaredError }
            let halves = order.lazy.prefix { boxes[$0].moments.squaredError > 0 }
                .compactMap { index in split(boxes[index]).map { (index, $0) } }.first
            guard let (index, (first, second)) = halves else { break }
            boxes[index] = first
            boxes.append(second)
        }
        var colors = boxes.filter { $0.moments.count > 0 }.map(\.moments.mean)
        for _ in 0..<Self.rounds where colors.count > 1 { colors = refine(colors) }
        return colors
    }

    /// Returns the box with its moments, from eight corners of the table.
    private func measure(_ box: Box) -> Box {
        var box = box
        func sum(_ x: Int, _ y: Int, _ z: Int) -> ColorMoments { sums[Self.index(SIMD3(x, y, z))] }
        let (l, h) = (box.low, box.high)
        let upper = sum(h.x, h.y, h.z) - sum(h.x, h.y, l.z) - sum(h.x, l.y, h.z) + sum(h.x, l.y, l.z)
        let lower = sum(l.x, h.y, h.z) - sum(l.x, h.y, l.z) - sum(l.x, l.y, h.z) + sum(l.x, l.y, l.z)
        box.moments = upper - lower
        return box
    }

    /// Splits a box into the two parts that lie nearest to their means; `nil` if all pixels are in one cell.
    private func split(_ box: Box) -> (Box, Box)? {
        var best: (Box, Box)?
        var most = 0.0
        for axis in 0..<3 {
            for plane in box.low[axis] + 1..<max(box.high[axis], box.low[axis] + 1) {
                var (first, second) = (box, box)
                first.high[axis] = plane
                second.low[axis] = plane
                first = measure(first)
                second.moments = box.moments - first.moments
                guard first.moments.count > 0, second.moments.count > 0 else { continue }
                let score = first.moments.concentration + second.moments.concentration
                if score > most { (best, most) = ((first, second), score) }
            }
        }
        return best
    }

    // MARK: Refinement

    /// Replaces each colour by the mean of the cells nearest to it (one round of Lloyd's algorithm).
    private func refine(_ colors: [UInt32]) -> [UInt32] {
        let search = NearestColor(colors)
        var moments = [ColorMoments](repeating: ColorMoments(), count: colors.count)
        for cell in cells where cell.count > 0 {
            let nearest = search.index(of: cell.mean)
            moments[nearest] = moments[nearest] + cell
        }
        return zip(colors, moments).map { $1.count > 0 ? $1.mean : $0 }
    }
}
