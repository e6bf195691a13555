import CTintypeKernels

/// The resampling of one axis: which source pixels are used, and by how much they are shrunk beforehand.
///
/// Weights have 14 bits. Where one output pixel would depend on more than ``maxTaps`` source pixels, most weights would
/// round to zero; blocks of whole source pixels are therefore averaged first.
struct ResampleAxis: Equatable, Sendable {
    /// The source pixels that are used. Pixels outside are replaced by the nearest one inside.
    let sourceRange: Range<Int>
    /// The number of source pixels that are averaged to one before the filter; 1 if none are.
    let shrinkFactor: Int
    /// The number of averaged pixels added before and after the range, made of the edge pixel alone.
    ///
    /// Without them a filter that reaches outside would see the average of the edge block instead of the edge pixel.
    let margin: Int
    /// The range that the whole output shows, in averaged pixels, margin included.
    let crop: Range<Double>
    /// The number of pixels of the whole output.
    let output: Int
    /// The output pixels that are produced.
    let outputRange: Range<Int>

    /// The maximum number of source pixels for one output pixel.
    ///
    /// With 768, rounding the weights costs less than one of 255 steps in the worst case, and half as many still follow
    /// the filter's shape.
    static let maxTaps = 768.0

    /// Creates the axis.
    ///
    /// - Parameters:
    ///   - source: The number of source pixels.
    ///   - crop: The range of the source that the output shows, in source pixels. It overlaps the source.
    ///   - output: The number of pixels of the whole output.
    ///   - outputRange: The output pixels that are produced.
    ///   - filter: The resampling filter.
    init(source: Int, crop: Range<Double>, output: Int, outputRange: Range<Int>, filter: ResampleFilter) {
        let first = min(max(Int(crop.lowerBound.rounded(.down)), 0), source - 1)
        sourceRange = first..<max(min(Int(crop.upperBound.rounded(.up)), source), first + 1)
        let ratio = (crop.upperBound - crop.lowerBound) / Double(output)
        let shrinkFactor = Self.shrinks(ratio, filter) ? Int(ratio * 2 / Self.maxRatio(filter)) : 1
        let origin = Double(first)
        let margin = shrinkFactor > 1 ? 1 : 0
        let lower = (crop.lowerBound - origin) / Double(shrinkFactor) + Double(margin)
        self.crop = lower..<lower + (crop.upperBound - crop.lowerBound) / Double(shrinkFactor)
        (self.shrinkFactor, self.margin, self.output, self.outputRange) = (shrinkFactor, margin, output, outputRange)
    }

    /// Returns whether blocks of pixels are averaged first, at a number of source pixels for each output pixel.
    static func shrinks(_ ratio: Double, _ filter: ResampleFilter) -> Bool { ratio > maxRatio(filter) }

    private static func maxRatio(_ filter: ResampleFilter) -> Double { maxTaps / (2 * filter.support) }

    /// The number of averaged pixels, margins included. A last block that is incomplete is filled with the last pixel.
    var count: Int { (sourceRange.count + shrinkFactor - 1) / shrinkFactor + 2 * margin }

    /// Returns the filter weights for this axis.
    func weights(_ filter: ResampleFilter) -> ResampleWeights {
        ResampleWeights(source: count, crop: crop, output: output, outputRange: outputRange, filter: filter)
    }
}

/// Averages blocks of whole pixels as rows arrive, before filtering, if the scale ratio is very large.
struct RowShrinker {
    private let across: ResampleAxis
    private let down: ResampleAxis
    /// The channel sums of each block, over the rows received so far.
    private var sums: [UInt64]
    private var rowsTaken = 0

    /// Creates a shrinker, or returns `nil` if neither axis needs averaging.
    init?(across: ResampleAxis, down: ResampleAxis) {
        guard across.shrinkFactor > 1 || down.shrinkFactor > 1 else { return nil }
        (self.across, self.down) = (across, down)
        sums = [UInt64](repeating: 0, count: across.count * PixelBuffer.bytesPerPixel)
    }

    /// Consumes the next row, starting at the first pixel of the source range, and returns the averaged rows that it
    /// completes.
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

    /// Returns a margin row made of `pixels` alone. Callable only between blocks.
    private mutating func takeMarginRow(_ pixels: UnsafePointer<UInt8>) -> [UInt8] {
        add(pixels, times: 1)
        return takeAverages(rows: 1)
    }

    /// Adds a row to the block sums `times` times.
    private mutating func add(_ pixels: UnsafePointer<UInt8>, times: Int) {
        tintype_kernels_current().pointee.add_blocks(
            pixels, across.sourceRange.count, across.shrinkFactor, across.margin, UInt64(times), &sums)
    }

    /// Returns the averages of the blocks, made of `rows` rows, and resets the sums.
    private mutating func takeAverages(rows: Int) -> [UInt8] {
        var row = [UInt8](repeating: 0, count: sums.count)
        tintype_kernels_current().pointee.average_blocks(&sums, UInt64(across.shrinkFactor * rows), &row, row.count)
        return row
    }
}
