import CTintypeKernels

/// Resamples a picture whose rows arrive one after another, holding only as many rows as one output row needs.
///
/// Rows are resampled across as they arrive, two at a time where they can be; an output row is made as soon as the last
/// of its rows is there. Pixels are premultiplied 8-bit RGBA, and stay so.
package struct RowResampler: ~Copyable {
    private let across: ResampleAxis
    private let down: ResampleAxis
    private let horizontal: ResampleWeights
    private let vertical: ResampleWeights
    /// Channels of one row.
    private let rowLength: Int
    /// The last rows, already resampled across; row `y` stands at `y % ringRows`.
    private let ring: ResampleRing
    /// One more than an output row needs, so that a pair never overwrites what is still wanted.
    private let ringRows: Int
    /// What comes before the filter where the ratio is very large.
    private var shrinker: RowShrinker?
    /// Rows of the source that were taken.
    private var rowsSeen = 0
    /// The next row that is resampled across, from the first that counts on.
    private var nextSource = 0
    private var nextOutput = 0
    private var output: PixelWriter
    /// Asked for every row that is taken or made.
    private let context = TransformContext.current

    /// - Parameters:
    ///   - crop: the part of the source that the output shows; all of it by default. What lies
    ///     around it has no influence on it.
    ///   - full: the size in which `crop` is told, where that is not the source's.
    ///   - size: the whole output's.
    ///   - kept: the part of the output that is made; all of it by default.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/limitExceeded``.
    package init(
        from source: PixelSize, crop: PixelRect? = nil, of full: PixelSize? = nil, to size: PixelSize,
        keeping kept: PixelRect? = nil, filter: ResampleFilter
    ) throws(TintypeError) {
        let full = full ?? source
        let shown = crop ?? PixelRect(x: 0, y: 0, size: full)
        let kept = kept ?? PixelRect(x: 0, y: 0, size: size)
        let across = ResampleAxis(
            source: source.width, shown: Self.range(shown.x, shown.size.width, source.width, full.width),
            output: size.width, kept: kept.x..<kept.x + kept.size.width, filter: filter)
        let down = ResampleAxis(
            source: source.height, shown: Self.range(shown.y, shown.size.height, source.height, full.height),
            output: size.height, kept: kept.y..<kept.y + kept.size.height, filter: filter)
        let (vertical, rowLength) = (down.weights(filter), kept.size.width * PixelBuffer.bytesPerPixel)
        let rows = vertical.taps + 1
        // Before the tables, since it is what is refused when the size cannot be.
        let ring = try ResampleRing(rows: rows, rowLength: rowLength)
        output = try PixelWriter(size: kept.size)
        (self.across, self.down) = (across, down)
        (horizontal, self.vertical) = (across.weights(filter), vertical)
        (self.ring, ringRows, self.rowLength) = (ring, rows, rowLength)
        shrinker = RowShrinker(across: across, down: down)
    }

    /// A part of a side of `full` pixels, in pixels of one of `source`.
    private static func range(_ start: Int, _ length: Int, _ source: Int, _ full: Int) -> Range<Double> {
        let scale = Double(source) / Double(full)
        return Double(start) * scale..<Double(start + length) * scale
    }

    /// Takes the next rows of the source, from top to bottom, which are `stride` bytes apart.
    ///
    /// - Throws: ``TintypeError/Code/cancelled``, as the ``TransformContext`` in which this was made says.
    package mutating func append(
        rows: UnsafeRawBufferPointer, count: Int, stride: Int
    ) throws(TintypeError) {
        var row = max(down.part.lowerBound - rowsSeen, 0)
        let end = min(down.part.upperBound - rowsSeen, count)
        rowsSeen += count
        guard let first = rows.bindMemory(to: UInt8.self).baseAddress else { return }
        while row < end, nextOutput < output.size.height {
            let pixels = first + row * stride + across.part.lowerBound * PixelBuffer.bytesPerPixel
            try context.checkCancelled()
            row += try take(pixels, atMost: end - row, stride: stride)
        }
    }

    /// Takes a row or a pair, from the first pixel that counts on; returns how many.
    private mutating func take(
        _ pixels: UnsafePointer<UInt8>, atMost limit: Int, stride: Int
    ) throws(TintypeError) -> Int {
        guard let rows = shrinker?.append(pixels) else { return try append(pixels, atMost: limit, stride: stride) }
        for row in rows where nextOutput < output.size.height { _ = try append(row, atMost: 1, stride: row.count) }
        return 1
    }

    /// The same for rows that need not be shrunk before, or were.
    private mutating func append(
        _ rows: UnsafePointer<UInt8>, atMost limit: Int, stride: Int
    ) throws(TintypeError) -> Int {
        guard nextSource >= Int(vertical.starts[nextOutput]) else {
            nextSource += 1
            return 1
        }
        let place = nextSource % ringRows
        let count = limit > 1 && place + 1 < ringRows ? 2 : 1
        resampleAcross(rows, count, stride, place)
        nextSource += count
        while nextOutput < output.size.height, Int(vertical.starts[nextOutput]) + vertical.taps <= nextSource {
            try context.checkCancelled()
            makeOutputRow()
        }
        return count
    }

    /// The picture, once every source row was taken.
    package consuming func finish() -> PixelBuffer {
        output.finish()
    }

    private func resampleAcross(_ pixels: UnsafePointer<UInt8>, _ count: Int, _ stride: Int, _ place: Int) {
        tintype_kernels_current().pointee.resample_across(
            pixels, stride, ring.channels + place * rowLength, rowLength, count, output.size.width, horizontal.starts,
            horizontal.weights, horizontal.taps)
    }

    private mutating func makeOutputRow() {
        let first = Int(vertical.starts[nextOutput]) % ringRows
        let weights = nextOutput * vertical.taps
        let (taps, rowLength, ringRows, width, ring) = (vertical.taps, rowLength, ringRows, output.size.width, ring)
        output.withRows(from: nextOutput) { target in
            vertical.weights.withUnsafeBufferPointer { all in
                guard let pixels = target.bindMemory(to: UInt8.self).baseAddress, let base = all.baseAddress else {
                    return
                }
                tintype_kernels_current().pointee.resample_down(
                    ring.channels, rowLength, ringRows, first, taps, base + weights, pixels, width)
            }
        }
        nextOutput += 1
    }
}
