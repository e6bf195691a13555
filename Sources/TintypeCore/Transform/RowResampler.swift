import CTintypeKernels

/// Resamples a picture whose rows arrive one after another, holding only as many rows as one output row needs.
///
/// Rows are resampled across as they arrive, two at a time where they can be; an output row is made as soon as the last
/// of its rows is there. Pixels are premultiplied 8-bit RGBA, and stay so.
package struct RowResampler: ~Copyable {
    private let horizontal: ResampleWeights
    private let vertical: ResampleWeights
    /// Channels of one row.
    private let rowLength: Int
    /// The last rows, already resampled across; row `y` stands at `y % ringRows`.
    private var ring: [Int16]
    /// One more than an output row needs, so that a pair never overwrites what is still wanted.
    private let ringRows: Int
    private var nextSource = 0
    private var nextOutput = 0
    private var output: PixelWriter

    /// - Parameters:
    ///   - crop: the part of the source that the output shows; all of it by default.
    ///   - full: the size in which `crop` is told, where that is not the source's.
    package init(
        from source: PixelSize, crop: PixelRect? = nil, of full: PixelSize? = nil, to size: PixelSize,
        filter: ResampleFilter
    ) throws(TintypeError) {
        let full = full ?? source
        let shown = crop ?? PixelRect(x: 0, y: 0, size: full)
        horizontal = ResampleWeights(
            source: source.width, crop: Self.range(shown.x, shown.size.width, source.width, full.width),
            output: size.width, filter: filter)
        vertical = ResampleWeights(
            source: source.height, crop: Self.range(shown.y, shown.size.height, source.height, full.height),
            output: size.height, filter: filter)
        rowLength = size.width * PixelBuffer.bytesPerPixel
        ringRows = vertical.taps + 1
        ring = [Int16](repeating: 0, count: ringRows * rowLength)
        output = try PixelWriter(size: size)
    }

    /// A part of a side of `full` pixels, in pixels of one of `source`.
    private static func range(_ start: Int, _ length: Int, _ source: Int, _ full: Int) -> Range<Double> {
        let scale = Double(source) / Double(full)
        return Double(start) * scale..<Double(start + length) * scale
    }

    /// Takes the next rows of the source, from top to bottom, which are `stride` bytes apart.
    package mutating func append(rows: UnsafeRawBufferPointer, count: Int, stride: Int) {
        var taken = 0
        while taken < count, nextOutput < output.size.height {
            let next = UnsafeRawBufferPointer(rebasing: rows[(taken * stride)...])
            taken += append(next, atMost: count - taken, stride: stride)
        }
    }

    /// Takes a row or a pair; returns how many.
    private mutating func append(_ rows: UnsafeRawBufferPointer, atMost limit: Int, stride: Int) -> Int {
        guard nextSource >= Int(vertical.starts[nextOutput]) else {
            nextSource += 1
            return 1
        }
        let place = nextSource % ringRows
        let count = limit > 1 && place + 1 < ringRows ? 2 : 1
        resampleAcross(rows, count, stride, place)
        nextSource += count
        while nextOutput < output.size.height, Int(vertical.starts[nextOutput]) + vertical.taps <= nextSource {
            makeOutputRow()
        }
        return count
    }

    /// The picture, once every source row was taken.
    package consuming func finish() -> PixelBuffer {
        output.finish()
    }

    private mutating func resampleAcross(_ rows: UnsafeRawBufferPointer, _ count: Int, _ stride: Int, _ place: Int) {
        let width = output.size.width
        guard let pixels = rows.bindMemory(to: UInt8.self).baseAddress else { return }
        ring.withUnsafeMutableBufferPointer { ring in
            guard let target = ring.baseAddress else { return }
            tintype_kernels_current().pointee.resample_across(
                pixels, stride, target + place * rowLength, rowLength, count, width, horizontal.starts,
                horizontal.weights, horizontal.taps)
        }
    }

    private mutating func makeOutputRow() {
        let first = Int(vertical.starts[nextOutput]) % ringRows
        let weights = nextOutput * vertical.taps
        let (taps, rowLength, ringRows, width) = (vertical.taps, rowLength, ringRows, output.size.width)
        output.withRows(from: nextOutput) { target in
            vertical.weights.withUnsafeBufferPointer { all in
                guard let pixels = target.bindMemory(to: UInt8.self).baseAddress, let base = all.baseAddress else {
                    return
                }
                tintype_kernels_current().pointee.resample_down(
                    ring, rowLength, ringRows, first, taps, base + weights, pixels, width)
            }
        }
        nextOutput += 1
    }
}
