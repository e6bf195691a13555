/// Divides colours into groups of like ones: the group whose colours are farthest apart, weighted by how many pixels
/// have them, is cut in two where half of its pixels lie on either side. (Heckbert, "Color image quantization for frame
/// buffer display", 1982.)
struct MedianCut {
    private typealias Entry = ColorHistogram.Entry

    private struct Group {
        let entries: [Entry]
        let weight: Int
        /// The channel in which the colours differ most.
        let axis: Int
        /// By how much, times the weight.
        let spread: Int

        init(_ entries: [Entry]) {
            self.entries = entries
            let means = entries.map(\.mean)
            let ranges = (0..<3).map { axis in
                (means.map { $0[axis] }.max() ?? 0) - (means.map { $0[axis] }.min() ?? 0)
            }
            weight = entries.reduce(0) { $0 + $1.weight }
            axis = ranges.indices.max { ranges[$0] < ranges[$1] } ?? 0
            spread = ranges[axis] * weight
        }
    }

    private var groups: [Group]

    init(_ entries: [ColorHistogram.Entry]) {
        groups = entries.isEmpty ? [] : [Group(entries)]
    }

    /// At most `count` groups.
    consuming func divided(into count: Int) -> [[ColorHistogram.Entry]] {
        guard count > 0 else { return [] }
        while groups.count < count, splitWidest() {}
        return groups.map(\.entries)
    }

    /// Cuts a group in two; returns whether there was one to cut.
    private mutating func splitWidest() -> Bool {
        let widest = groups.indices.max { groups[$0].spread < groups[$1].spread }
        guard let widest, groups[widest].entries.count > 1, groups[widest].spread > 0 else { return false }
        let group = groups.remove(at: widest)
        let sorted = group.entries.sorted { $0.mean[group.axis] < $1.mean[group.axis] }
        let middle = Self.median(sorted, group.weight)
        groups.append(Group(Array(sorted[..<middle])))
        groups.append(Group(Array(sorted[middle...])))
        return true
    }

    /// The place that has half of the weight before it; neither the first nor beyond the last.
    private static func median(_ entries: [Entry], _ weight: Int) -> Int {
        var before = 0
        for (index, entry) in entries.enumerated() {
            before += entry.weight
            if before * 2 >= weight { return min(max(index, 1), entries.count - 1) }
        }
        return entries.count - 1
    }
}
