import CTintypeKernels

/// How one axis of a picture is resampled: what counts of the source, and by how much it is shrunk beforehand.
///
/// Weights have 14 bits. So that those of a very large ratio do not all round to nothing, blocks of whole source pixels
/// are averaged first where one output pixel would be made of more than ``maxTaps``.
struct ResampleAxis: Equatable, Sendable {
    /// The source pixels that count; what the filter wants of others counts as the nearest of these.
    let sourceRange: Range<Int>
    /// How many source pixels are averaged to one before the filter.
    let shrinkFactor: Int
    /// Averaged pixels before and after the part, all of the pixel at its edge: what lies outside counts as that one
    /// alone, not as an average of those next to it.
    let margin: Int
    /// What the whole output shows, in averaged pixels from the first of them, which is of the margin if there is one.
    let crop: Range<Double>
    /// The pixels that the whole output has.
    let output: Int
    /// Those of them that are made.
    let outputRange: Range<Int>

    /// Rounding them all costs less than one of 255 in the worst case, and half as many still follow the filter.
    static let maxTaps = 768.0

    /// - Parameter shown: the part of the source that the output shows, in source pixels, at least a bit of it inside.
    init(source: Int, crop: Range<Double>, output: Int, outputRange: Range<Int>, filter: ResampleFilter) {
        let first = min(max(Int(crop.lowerBound.rounded(.down)), 0), source - 1)
        sourceRange = first..<max(min(Int(crop.upperBound.rounded(.up)), source), first + 1)
        let maxRatio = Self.maxTaps / (2 * filter.support)
        let ratio = (crop.upperBound - crop.lowerBound) / Double(output)
        let shrinkFactor = ratio > maxRatio ? Int(ratio * 2 / maxRatio) : 1
        let origin = Double(first)
        let margin = shrinkFactor > 1 ? 1 : 0
        let lower = (crop.lowerBound - origin) / Double(shrinkFactor) + Double(margin)
        self.crop = lower..<lower + (crop.upperBound - crop.lowerBound) / Double(shrinkFactor)
        (self.shrinkFactor, self.margin, self.output, self.outputRange) = (shrinkFactor, margin, output, outputRange)
    }

    /// Averaged pixels, with margins; the last may be of fewer than the others, and is made of the last pixel for those it lacks.
    var count: Int { (sourceRange.count + shrinkFactor - 1) / shrinkFactor + 2 * margin }

    func weights(_ filter: ResampleFilter) -> ResampleWeights {
        ResampleWeights(source: count, crop: crop, output: output, outputRange: outputRange, filter: filter)
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
        guard across.shrinkFactor > 1 || down.shrinkFactor > 1 else { return nil }
        (self.across, self.down) = (across, down)
        sums = [UInt64](repeating: 0, count: across.count * PixelBuffer.bytesPerPixel)
    }

    /// Takes the next row, from the first pixel that counts on; returns the rows of averages that it completes.
    mutating func append(_ pixels: UnsafePointer<UInt8>) -> [[UInt8]] {
        rowsTaken += 1
        let isLast = rowsTaken == down.sourceRange.count
        var rows: [[UInt8]] = []
        if rowsTaken == 1, down.margin > 0 { rows.append(takeMarginRow(pixels)) }
        let missingRows = isLast ? (down.shrinkFactor - rowsTaken % down.shrinkFactor) % down.shrinkFactor : 0
        add(pixels, times: missingRows + 1)
        if isLast || rowsTaken % down.shrinkFactor == 0 { rows.append(takeAverages(rows: down.shrinkFactor)) }
        if isLast, down.margin > 0 { rows.append(takeMarginRow(pixels)) }
        return rows
    }

    /// Only while no block is begun.
    private mutating func takeMarginRow(_ pixels: UnsafePointer<UInt8>) -> [UInt8] {
        add(pixels, times: 1)
        return takeAverages(rows: 1)
    }

    private mutating func add(_ pixels: UnsafePointer<UInt8>, times: Int) {
        tintype_kernels_current().pointee.add_blocks(
            pixels, across.sourceRange.count, across.shrinkFactor, across.margin, UInt64(times), &sums)
    }

    private mutating func takeAverages(rows: Int) -> [UInt8] {
        var row = [UInt8](repeating: 0, count: sums.count)
        tintype_kernels_current().pointee.average_blocks(&sums, UInt64(across.shrinkFactor * rows), &row, row.count)
        return row
    }
}
