import CTintypeKernels

/// Resamples an image whose rows arrive one after another, holding only as many rows as one output row needs.
///
/// Rows are resampled horizontally as they arrive, two at a time where possible. An output row is produced as soon as
/// the last source row that it needs has arrived. Pixels are premultiplied 8-bit RGBA.
package struct RowResampler: ~Copyable {
    private let across: ResampleAxis
    private let down: ResampleAxis
    private let horizontal: ResampleWeights
    private let vertical: ResampleWeights
    /// The number of channel values in one output row.
    private let rowLength: Int
    /// The latest rows, already resampled horizontally. Row `y` is at index `y % ringRows`.
    private let ring: ResampleRing
    /// One more than an output row needs, so that a pair of rows never overwrites a row that is still needed.
    private let ringRows: Int
    /// Averages blocks of pixels before filtering if the scale ratio is very large.
    private var shrinker: RowShrinker?
    /// The number of source rows received.
    private var rowsReceived = 0
    /// The next row to resample horizontally, counted from the first row of the source range.
    private var nextSource = 0
    /// The next output row.
    private var nextOutput = 0
    private var output: PixelWriter
    /// Checked for cancellation for every row received or produced.
    private let context = TransformContext.current

    /// Creates a resampler.
    ///
    /// - Parameters:
    ///   - source: The size of the source in pixels.
    ///   - crop: The part of the source that the output shows; all of it by default. Pixels around it have no
    ///     influence.
    ///   - scale: The number of source pixels per unit of `crop`: less than 1 if a decoder has scaled the source down.
    ///   - verticalScale: The same from top to bottom, if that differs.
    ///   - size: The size of the whole output in pixels.
    ///   - outputRect: The part of the output that is produced; all of it by default.
    ///   - filter: The resampling filter.
    ///   - writer: Receives the part that is produced; a new bitmap by default.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/limitExceeded``.
    package init(
        from source: PixelSize, crop: PixelRect? = nil, scale: Double = 1, verticalScale: Double? = nil,
        to size: PixelSize, outputRect: PixelRect? = nil, filter: ResampleFilter, writer: consuming PixelWriter? = nil
    ) throws(TintypeError) {
        let crop = crop ?? PixelRect(x: 0, y: 0, size: source)
        let outputRect = outputRect ?? PixelRect(x: 0, y: 0, size: size)
        let across = ResampleAxis(
            source: source.width, crop: Self.scaledRange(crop.x, crop.size.width, by: scale),
            output: size.width, outputRange: outputRect.x..<outputRect.x + outputRect.size.width, filter: filter)
        let down = ResampleAxis(
            source: source.height, crop: Self.scaledRange(crop.y, crop.size.height, by: verticalScale ?? scale),
            output: size.height, outputRange: outputRect.y..<outputRect.y + outputRect.size.height, filter: filter)
        let (vertical, rowLength) = (down.weights(filter), outputRect.size.width * PixelBuffer.bytesPerPixel)
        let ringRows = vertical.taps + 1
        // Allocated first: for an excessive size, this allocation fails before the weight tables are computed.
        let ring = try ResampleRing(rows: ringRows, rowLength: rowLength)
        output = if let writer { writer } else { try PixelWriter(size: outputRect.size) }
        (self.across, self.down) = (across, down)
        (horizontal, self.vertical) = (across.weights(filter), vertical)
        (self.ring, self.ringRows, self.rowLength) = (ring, ringRows, rowLength)
        shrinker = RowShrinker(across: across, down: down)
    }

    /// Converts a range of unscaled pixels to a range of source pixels.
    private static func scaledRange(_ start: Int, _ length: Int, by scale: Double) -> Range<Double> {
        Double(start) * scale..<Double(start + length) * scale
    }

    /// Consumes the next source rows, from top to bottom.
    ///
    /// - Parameters:
    ///   - rows: The first byte of the first row, and at least `count` rows.
    ///   - count: The number of rows.
    ///   - stride: The distance between rows in bytes.
    /// - Throws: ``TintypeError/Code/cancelled`` if the ``TransformContext`` in which this resampler was created is
    ///   cancelled.
    package mutating func append(
        rows: UnsafeRawBufferPointer, count: Int, stride: Int
    ) throws(TintypeError) {
        var row = max(down.sourceRange.lowerBound - rowsReceived, 0)
        let end = min(down.sourceRange.upperBound - rowsReceived, count)
        rowsReceived += count
        guard let first = rows.bindMemory(to: UInt8.self).baseAddress else { return }
        while row < end, nextOutput < output.size.height {
            let pixels = first + row * stride + across.sourceRange.lowerBound * PixelBuffer.bytesPerPixel
            try context.checkCancelled()
            row += try consume(pixels, atMost: end - row, stride: stride)
        }
    }

    /// Consumes one or two rows, starting at the first pixel of the source range, and returns how many.
    private mutating func consume(
        _ pixels: UnsafePointer<UInt8>, atMost limit: Int, stride: Int
    ) throws(TintypeError) -> Int {
        guard let rows = shrinker?.append(pixels) else { return try resample(pixels, atMost: limit, stride: stride) }
        for row in rows where nextOutput < output.size.height { _ = try resample(row, atMost: 1, stride: row.count) }
        return 1
    }

    /// Resamples one or two rows that need no shrinking or were shrunk, and returns how many were consumed.
    private mutating func resample(
        _ rows: UnsafePointer<UInt8>, atMost limit: Int, stride: Int
    ) throws(TintypeError) -> Int {
        guard nextSource >= Int(vertical.starts[nextOutput]) else {
            nextSource += 1
            return 1
        }
        let ringRow = nextSource % ringRows
        let count = limit > 1 && ringRow + 1 < ringRows ? 2 : 1
        resampleAcross(rows, count: count, stride: stride, ringRow: ringRow)
        nextSource += count
        while nextOutput < output.size.height, Int(vertical.starts[nextOutput]) + vertical.taps <= nextSource {
            try context.checkCancelled()
            makeOutputRow()
        }
        return count
    }

    /// Returns the output. Call it after every source row has been consumed.
    package consuming func finish() -> PixelBuffer {
        output.finish()
    }

    private func resampleAcross(_ pixels: UnsafePointer<UInt8>, count: Int, stride: Int, ringRow: Int) {
        tintype_kernels_current().pointee.resample_across(
            pixels, stride, ring.channels + ringRow * rowLength, rowLength, count, output.size.width, horizontal.starts,
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

extension RowResampler {
    /// Resamples an image that a decoder yields a few rows at a time, so the full-size image is never in memory.
    ///
    /// - Parameters:
    ///   - size: The size of the source in pixels.
    ///   - crop: The part of the source that the output shows; all of it by default.
    ///   - scale: The number of source pixels per unit of `crop`: less than 1 if a decoder has scaled the source down.
    ///   - target: The size of the output in pixels.
    ///   - filter: The resampling filter.
    ///   - read: Fills the first rows of a strip, premultiplied, at most as many as requested. Returns their number,
    ///     and 0 only at the end of the image.
    /// - Throws: ``TintypeError/Code/undecodable`` if the rows end early, the errors of `read`, and those of
    ///   ``append(rows:count:stride:)``.
    package static func resampled(
        _ size: PixelSize, crop: PixelRect? = nil, scale: Double = 1, to target: PixelSize,
        filter: ResampleFilter = .lanczos3,
        read: (_ count: Int, _ strip: inout PixelWriter) throws(TintypeError) -> Int
    ) throws(TintypeError) -> PixelBuffer {
        var resampler = try RowResampler(from: size, crop: crop, scale: scale, to: target, filter: filter)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: min(stripHeight, size.height)))
        let stride = strip.bytesPerRow
        var row = 0
        while row < size.height {
            let count = try read(min(strip.size.height, size.height - row), &strip)
            guard count > 0 else { throw TintypeError(.undecodable, stage: .decode, "the image data ends early") }
            try strip.withRows { rows throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(rows), count: count, stride: stride)
            }
            row += count
        }
        return resampler.finish()
    }

    /// The number of rows that are read at once: enough for a decoder's own batches, few enough for the CPU cache.
    private static var stripHeight: Int { 16 }
}

/// The ring buffer of rows that are resampled horizontally and wait for vertical resampling.
///
/// Owned by one `RowResampler`, which one thread uses at a time.
final class ResampleRing {
    let channels: UnsafeMutablePointer<Int16>
    private let storage: PixelStorage

    /// Allocates a ring of `rows` rows with `rowLength` channel values each.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/outOfMemory``.
    init(rows: Int, rowLength: Int) throws(TintypeError) {
        let (channelCount, overflow) = rows.multipliedReportingOverflow(by: rowLength)
        guard !overflow, channelCount <= PixelSize.maxTransformedByteCount / MemoryLayout<Int16>.stride else {
            throw TintypeError(.limitExceeded, stage: .transform, "resampling would need more memory than the limit")
        }
        storage = try PixelStorage(byteCount: channelCount * MemoryLayout<Int16>.stride)
        guard let start = storage.bytes.bindMemory(to: Int16.self).baseAddress else {
            throw TintypeError(.outOfMemory, stage: .transform, "not enough memory for resampling")
        }
        channels = start
    }
}
