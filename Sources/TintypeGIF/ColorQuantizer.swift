/// Chooses colours for pixels that have too many: boxes of colour are cut in two where that brings pixels nearest to the
/// mean of their box, the one with the largest error first; then means and pixels are fitted to each other.
///
/// X. Wu, *Color quantization by dynamic programming and principal analysis*, ACM Transactions on Graphics 11 (1992), in the
/// greedy form of his *Efficient statistical computations for optimal color quantization* (Graphics Gems II); then two
/// rounds of S. Lloyd's *Least squares quantization in PCM* (1982).
struct ColorQuantizer {
    /// For each corner, the pixels of all cells between it and black. One more a side than there are cells.
    private var sums: [ColorMoment]
    private let cells: [ColorMoment]

    private static let side = 1 << ColorCount.bits + 1
    private static let strides = SIMD3(side * side, side, 1)
    private static let rounds = 2

    init(_ cells: [ColorMoment]) {
        self.cells = cells
        sums = [ColorMoment](repeating: ColorMoment(), count: Self.side * Self.side * Self.side)
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
        // The first of each row is empty, and what stands a row before in memory is not of it.
        for index in sums.indices where index / step % Self.side > 0 { sums[index] = sums[index] + sums[index - step] }
    }

    private static func index(_ corner: SIMD3<Int>) -> Int {
        corner.x * strides.x + corner.y * strides.y + corner.z
    }

    // MARK: Boxes

    /// Cells from above `low` up to `high`.
    private struct Box {
        var low = SIMD3(0, 0, 0)
        var high = SIMD3(repeating: side - 1)
        var moment = ColorMoment()
    }

    /// - Parameter limit: at least 1.
    /// - Returns: opaque colours, no more than `limit`; none where there is no pixel.
    func colors(limit: Int) -> [UInt32] {
        var boxes = [measured(Box())]
        while boxes.count < limit {
            let order = boxes.indices.sorted { boxes[$0].moment.spread > boxes[$1].moment.spread }
            let halves = order.lazy.prefix { boxes[$0].moment.spread > 0 }
                .compactMap { place in cut(boxes[place]).map { (place, $0) } }.first
            guard let (place, (first, second)) = halves else { break }
            boxes[place] = first
            boxes.append(second)
        }
        var colors = boxes.filter { $0.moment.count > 0 }.map(\.moment.mean)
        for _ in 0..<Self.rounds where colors.count > 1 { colors = fitted(colors) }
        return colors
    }

    private func measured(_ box: Box) -> Box {
        var box = box
        func sum(_ x: Int, _ y: Int, _ z: Int) -> ColorMoment { sums[Self.index(SIMD3(x, y, z))] }
        let (l, h) = (box.low, box.high)
        let upper = sum(h.x, h.y, h.z) - sum(h.x, h.y, l.z) - sum(h.x, l.y, h.z) + sum(h.x, l.y, l.z)
        let lower = sum(l.x, h.y, h.z) - sum(l.x, h.y, l.z) - sum(l.x, l.y, h.z) + sum(l.x, l.y, l.z)
        box.moment = upper - lower
        return box
    }

    /// The two parts of a box that are nearest to their means; `nil` when all pixels are in one cell.
    private func cut(_ box: Box) -> (Box, Box)? {
        var best: (Box, Box)?
        var most = 0.0
        for axis in 0..<3 {
            for place in box.low[axis] + 1..<max(box.high[axis], box.low[axis] + 1) {
                var (first, second) = (box, box)
                first.high[axis] = place
                second.low[axis] = place
                first = measured(first)
                second.moment = box.moment - first.moment
                guard first.moment.count > 0, second.moment.count > 0 else { continue }
                let score = first.moment.concentration + second.moment.concentration
                if score > most { (best, most) = ((first, second), score) }
            }
        }
        return best
    }

    // MARK: Fitting

    /// The means of the pixels that are nearest to each colour; cells stay whole.
    private func fitted(_ colors: [UInt32]) -> [UInt32] {
        let search = NearestColor(colors)
        var moments = [ColorMoment](repeating: ColorMoment(), count: colors.count)
        for cell in cells where cell.count > 0 {
            let nearest = search.index(of: cell.mean)
            moments[nearest] = moments[nearest] + cell
        }
        return zip(colors, moments).map { $1.count > 0 ? $1.mean : $0 }
    }
}
