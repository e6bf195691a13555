import CTintypeKernels

/// How one axis of a picture is resampled: what counts of the source, and by how much it is shrunk beforehand.
///
/// Weights have 14 bits. So that those of a very large ratio do not all round to nothing, blocks of whole source pixels
/// are averaged first where one output pixel would be made of more than ``mostTaps``.
struct ResampleAxis: Equatable, Sendable {
    /// The source pixels that count; what the filter wants of others counts as the nearest of these.
    let part: Range<Int>
    /// How many source pixels are averaged to one before the filter.
    let factor: Int
    /// Averaged pixels before and after the part, all of the pixel at its edge: what lies outside counts as that one
    /// alone, not as an average of those next to it.
    let margin: Int
    /// What the whole output shows, in averaged pixels from the first of them, which is of the margin if there is one.
    let shown: Range<Double>
    /// The pixels that the whole output has.
    let output: Int
    /// Those of them that are made.
    let kept: Range<Int>

    /// Rounding them all costs less than one of 255 in the worst case, and half as many still follow the filter.
    static let mostTaps = 768.0

    /// - Parameter shown: the part of the source that the output shows, in source pixels, at least a bit of it inside.
    init(source: Int, shown: Range<Double>, output: Int, kept: Range<Int>, filter: ResampleFilter) {
        let first = min(max(Int(shown.lowerBound.rounded(.down)), 0), source - 1)
        part = first..<max(min(Int(shown.upperBound.rounded(.up)), source), first + 1)
        let most = Self.mostTaps / (2 * filter.support)
        let ratio = (shown.upperBound - shown.lowerBound) / Double(output)
        let factor = ratio > most ? Int(ratio * 2 / most) : 1
        let begin = Double(first)
        let margin = factor > 1 ? 1 : 0
        let lower = (shown.lowerBound - begin) / Double(factor) + Double(margin)
        self.shown = lower..<lower + (shown.upperBound - shown.lowerBound) / Double(factor)
        (self.factor, self.margin, self.output, self.kept) = (factor, margin, output, kept)
    }

    /// Averaged pixels, with margins; the last may be of fewer than the others, and is made of the last pixel for those it lacks.
    var count: Int { (part.count + factor - 1) / factor + 2 * margin }

    func weights(_ filter: ResampleFilter) -> ResampleWeights {
        ResampleWeights(source: count, crop: shown, output: output, kept: kept, filter: filter)
    }
}

/// Averages blocks of whole pixels, as rows arrive: what comes before the filter where the ratio is very large.
struct RowShrinker {
    private let across: ResampleAxis
    private let down: ResampleAxis
    /// Sums of the channels of each block, of the rows that have come.
    private var sums: [UInt64]
    private var rowsTaken = 0

    /// `nil` where there is nothing to average.
    init?(across: ResampleAxis, down: ResampleAxis) {
        guard across.factor > 1 || down.factor > 1 else { return nil }
        (self.across, self.down) = (across, down)
        sums = [UInt64](repeating: 0, count: across.count * PixelBuffer.bytesPerPixel)
    }

    /// Takes the next row, from the first pixel that counts on; returns the rows of averages that it completes.
    mutating func append(_ pixels: UnsafePointer<UInt8>) -> [[UInt8]] {
        rowsTaken += 1
        let isLast = rowsTaken == down.part.count
        var rows: [[UInt8]] = []
        if rowsTaken == 1, down.margin > 0 { rows.append(margin(pixels)) }
        let lacking = isLast ? (down.factor - rowsTaken % down.factor) % down.factor : 0
        add(pixels, times: lacking + 1)
        if isLast || rowsTaken % down.factor == 0 { rows.append(averages(rows: down.factor)) }
        if isLast, down.margin > 0 { rows.append(margin(pixels)) }
        return rows
    }

    /// Only while no block is begun.
    private mutating func margin(_ pixels: UnsafePointer<UInt8>) -> [UInt8] {
        add(pixels, times: 1)
        return averages(rows: 1)
    }

    private mutating func add(_ pixels: UnsafePointer<UInt8>, times: Int) {
        tintype_kernels_current().pointee.add_blocks(
            pixels, across.part.count, across.factor, across.margin, UInt64(times), &sums)
    }

    private mutating func averages(rows: Int) -> [UInt8] {
        var row = [UInt8](repeating: 0, count: sums.count)
        tintype_kernels_current().pointee.average_blocks(&sums, UInt64(across.factor * rows), &row, row.count)
        return row
    }
}
