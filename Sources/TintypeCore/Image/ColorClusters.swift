/// Groups of like colours, each colour in the group whose mean is nearest: where a median cut begins, a few rounds of
/// Lloyd's algorithm end.
struct ColorClusters {
    private typealias Entry = ColorHistogram.Entry

    private let entries: [ColorHistogram.Entry]
    /// The sum of each group that is not empty.
    private var groups: [ColorHistogram.Entry]

    /// More change nothing that can be seen.
    private static let rounds = 8

    init(_ entries: [ColorHistogram.Entry], count: Int) {
        self.entries = entries
        groups = MedianCut(entries).divided(into: count).map(Self.sum)
        for _ in 0..<Self.rounds { regroup() }
    }

    /// The most frequent first.
    var palette: [PaletteColor] {
        let total = groups.reduce(0) { $0 + $1.weight }
        return groups.sorted { $0.weight > $1.weight }.map { group in
            let mean = group.mean
            let color = Color(
                red: UInt8(clamping: mean.x), green: UInt8(clamping: mean.y), blue: UInt8(clamping: mean.z))
            return PaletteColor(color: color, share: Double(group.weight) / Double(total))
        }
    }

    private mutating func regroup() {
        let means = groups.map(\.mean)
        var next = [Entry](repeating: Entry(), count: groups.count)
        for entry in entries {
            let color = entry.mean
            let distances = means.map { Self.distance($0, color) }
            if let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }) { next[nearest].add(entry) }
        }
        groups = next.filter { $0.weight > 0 }
    }

    private static func sum(_ entries: [Entry]) -> Entry {
        entries.reduce(into: Entry()) { $0.add($1) }
    }

    private static func distance(_ first: SIMD3<Int>, _ second: SIMD3<Int>) -> Int {
        let apart = first &- second
        return (apart &* apart).wrappedSum()
    }
}
