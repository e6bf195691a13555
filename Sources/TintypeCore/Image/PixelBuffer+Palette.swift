extension PixelBuffer {
    /// Returns at most `count` opaque colours that together represent the image, most frequent first. The first is the
    /// dominant colour.
    ///
    /// The result has fewer colours if the image does, and is empty if the image is fully transparent. The colours are
    /// found by median cut and k-means on a copy of at most 128×128 pixels, so the cost is almost constant.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func palette(_ count: Int = 6) throws(TintypeError) -> [PaletteColor] {
        let small = try resampled(to: size.fitted(into: PixelSize(width: 128, height: 128)), filter: .box)
        return ColorClusters(PaletteHistogram(small).entries, count: count).palette
    }
}

/// A colour that represents a group of similar pixels of an image.
public struct PaletteColor: Hashable, Sendable {
    /// The mean colour of the group.
    public var color: Color
    /// The size of the group as a share of all pixels, from 0 to 1. Each pixel is weighted by its alpha.
    public var share: Double

    /// Creates a palette colour with its share of the image, from 0 to 1.
    package init(color: Color, share: Double) {
        self.color = color
        self.share = share
    }
}

/// The frequency of each colour of an image. Colours that differ only in the low three bits of a channel count as one.
struct PaletteHistogram {
    /// The pixels of one colour, or of several.
    struct Entry {
        /// The sums of straight red, green and blue, each pixel weighted by its alpha.
        var sums = SIMD3<Int>()
        /// The sum of alpha.
        var weight = 0

        mutating func add(_ other: Entry) {
            sums &+= other.sums
            weight += other.weight
        }

        /// The mean colour.
        var mean: SIMD3<Int> { (sums &+ SIMD3(repeating: weight / 2)) / SIMD3(repeating: max(weight, 1)) }
    }

    /// The colours that occur, ordered by red, green and blue.
    let entries: [Entry]

    init(_ pixels: PixelBuffer) {
        var table = [Entry](repeating: Entry(), count: 1 << 15)
        for y in 0..<pixels.size.height {
            for x in 0..<pixels.size.width {
                let pixel = pixels[x, y]
                let color = Color(pixel)
                let alpha = Int(pixel.alpha)
                let channels = SIMD3(Int(color.red), Int(color.green), Int(color.blue))
                let index = (channels.x >> 3) << 10 | (channels.y >> 3) << 5 | channels.z >> 3
                table[index].sums &+= channels &* SIMD3(repeating: alpha)
                table[index].weight += alpha
            }
        }
        entries = table.filter { $0.weight > 0 }
    }
}

/// Groups of similar colours: a median cut, refined by a few rounds of Lloyd's algorithm, after which each colour is in
/// the group with the nearest mean.
struct ColorClusters {
    private typealias Entry = PaletteHistogram.Entry

    private let entries: [PaletteHistogram.Entry]
    /// The sum of each group that is not empty.
    private var groups: [PaletteHistogram.Entry]

    /// The number of refinement rounds. More rounds make no visible difference.
    private static let rounds = 8

    init(_ entries: [PaletteHistogram.Entry], count: Int) {
        self.entries = entries
        groups = MedianCut(entries).divided(into: count).map(Self.sum)
        for _ in 0..<Self.rounds { regroup() }
    }

    /// The mean colours of the groups, most frequent first: the dominant
    /// colour.
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
        let difference = first &- second
        return (difference &* difference).wrappedSum()
    }
}

/// Divides colours into groups of similar ones (Heckbert, "Color image quantization for frame buffer display", 1982).
///
/// Each step splits the group with the largest spread, weighted by its pixels, at the median of its pixels.
struct MedianCut {
    private typealias Entry = PaletteHistogram.Entry

    private struct Group {
        let entries: [Entry]
        let weight: Int
        /// The index of the channel with the largest range.
        let axis: Int
        /// The range of that channel times the weight.
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

    init(_ entries: [PaletteHistogram.Entry]) {
        groups = entries.isEmpty ? [] : [Group(entries)]
    }

    /// Returns at most `count` groups.
    consuming func divided(into count: Int) -> [[PaletteHistogram.Entry]] {
        guard count > 0 else { return [] }
        while groups.count < count, splitWidest() {}
        return groups.map(\.entries)
    }

    /// Splits the widest group in two; returns `false` if no group can be split.
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

    /// Returns the index that has half of the weight before it: at least 1 and at most the last index.
    private static func median(_ entries: [Entry], _ weight: Int) -> Int {
        var before = 0
        for (index, entry) in entries.enumerated() {
            before += entry.weight
            if before * 2 >= weight { return min(max(index, 1), entries.count - 1) }
        }
        return entries.count - 1
    }
}
