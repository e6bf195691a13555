import CTintypeKernels

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
