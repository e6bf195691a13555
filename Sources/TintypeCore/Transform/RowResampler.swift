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
    private var rowsReceived = 0
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
        from source: PixelSize, crop: PixelRect? = nil, relativeTo full: PixelSize? = nil, to size: PixelSize,
        outputRect: PixelRect? = nil, filter: ResampleFilter
    ) throws(TintypeError) {
        let full = full ?? source
        let crop = crop ?? PixelRect(x: 0, y: 0, size: full)
        let outputRect = outputRect ?? PixelRect(x: 0, y: 0, size: size)
        let across = ResampleAxis(
            source: source.width, crop: Self.scaledRange(crop.x, crop.size.width, from: full.width, to: source.width),
            output: size.width, outputRange: outputRect.x..<outputRect.x + outputRect.size.width, filter: filter)
        let down = ResampleAxis(
            source: source.height,
            crop: Self.scaledRange(crop.y, crop.size.height, from: full.height, to: source.height),
            output: size.height, outputRange: outputRect.y..<outputRect.y + outputRect.size.height, filter: filter)
        let (vertical, rowLength) = (down.weights(filter), outputRect.size.width * PixelBuffer.bytesPerPixel)
        let ringRows = vertical.taps + 1
        // Before the tables, since it is what is refused when the size cannot be.
        let ring = try ResampleRing(rows: ringRows, rowLength: rowLength)
        output = try PixelWriter(size: outputRect.size)
        (self.across, self.down) = (across, down)
        (horizontal, self.vertical) = (across.weights(filter), vertical)
        (self.ring, self.ringRows, self.rowLength) = (ring, ringRows, rowLength)
        shrinker = RowShrinker(across: across, down: down)
    }

    /// A part of a side of `full` pixels, in pixels of one of `source`.
    private static func scaledRange(_ start: Int, _ length: Int, from full: Int, to source: Int) -> Range<Double> {
        let scale = Double(source) / Double(full)
        return Double(start) * scale..<Double(start + length) * scale
    }

    /// Takes the next rows of the source, from top to bottom, which are `stride` bytes apart.
    ///
    /// - Throws: ``TintypeError/Code/cancelled``, as the ``TransformContext`` in which this was made says.
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

    /// Takes a row or a pair, from the first pixel that counts on; returns how many.
    private mutating func consume(
        _ pixels: UnsafePointer<UInt8>, atMost limit: Int, stride: Int
    ) throws(TintypeError) -> Int {
        guard let rows = shrinker?.append(pixels) else { return try resample(pixels, atMost: limit, stride: stride) }
        for row in rows where nextOutput < output.size.height { _ = try resample(row, atMost: 1, stride: row.count) }
        return 1
    }

    /// The same for rows that need not be shrunk before, or were.
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

    /// The picture, once every source row was taken.
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
    /// Resamples a picture that a decoder gives a few rows at a time, so that it is never whole in memory at its size.
    ///
    /// - Parameter read: fills the first rows of a strip, at most as many as it is told, premultiplied; returns how
    ///   many, and 0 only when there are no more.
    /// - Throws: ``TintypeError/Code/undecodable`` when the rows end early, what `read` throws, and as
    ///   ``append(rows:count:stride:)``.
    package static func resampled(
        _ size: PixelSize, crop: PixelRect? = nil, relativeTo full: PixelSize? = nil, to target: PixelSize,
        filter: ResampleFilter = .lanczos3,
        read: (_ count: Int, _ strip: inout PixelWriter) throws(TintypeError) -> Int
    ) throws(TintypeError) -> PixelBuffer {
        var resampler = try RowResampler(from: size, crop: crop, relativeTo: full, to: target, filter: filter)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: min(stripHeight, size.height)))
        let stride = strip.bytesPerRow
        var row = 0
        while row < size.height {
            let count = try read(min(strip.size.height, size.height - row), &strip)
            guard count > 0 else { throw TintypeError(.undecodable, stage: .decode, "the picture is cut short") }
            try strip.withRows { rows throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(rows), count: count, stride: stride)
            }
            row += count
        }
        return resampler.finish()
    }

    /// Rows that are read at once: enough for a decoder's own batches, few enough for the cache.
    private static var stripHeight: Int { 16 }
}

extension PixelBuffer {
    /// This picture, or a part of it, with other channelCount of pixels.
    ///
    /// - Parameter kept: the part of the result that is made; all of it by default.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/cancelled``.
    package func resampled(
        crop: PixelRect? = nil, relativeTo full: PixelSize? = nil, to target: PixelSize, outputRect: PixelRect? = nil,
        filter: ResampleFilter
    ) throws(TintypeError) -> PixelBuffer {
        if target == size, crop == nil || crop?.size == full ?? size {
            guard let outputRect else { return self }
            return try cropped(to: outputRect)
        }
        var resampler = try RowResampler(
            from: size, crop: crop, relativeTo: full, to: target, outputRect: outputRect, filter: filter)
        try withUnsafeBytes { rows throws(TintypeError) in
            try resampler.append(rows: rows, count: size.height, stride: bytesPerRow)
        }
        return resampler.finish()
    }
}

/// Room for rows that are resampled across and wait to be resampled down.
///
/// Only the `RowResampler` that made it has it, which one thread uses at a time.
final class ResampleRing {
    let channels: UnsafeMutablePointer<Int16>
    private let storage: PixelStorage

    /// - Throws: ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/outOfMemory``.
    init(rows: Int, rowLength: Int) throws(TintypeError) {
        let (channelCount, overflow) = rows.multipliedReportingOverflow(by: rowLength)
        guard !overflow, channelCount <= PixelSize.maxTransformedByteCount / MemoryLayout<Int16>.stride else {
            throw TintypeError(.limitExceeded, stage: .transform, "resampling needs too much memory at once")
        }
        storage = try PixelStorage(byteCount: channelCount * MemoryLayout<Int16>.stride)
        guard let start = storage.bytes.bindMemory(to: Int16.self).baseAddress else {
            throw TintypeError(.outOfMemory, stage: .transform, "no memory to resample in")
        }
        channels = start
    }
}
