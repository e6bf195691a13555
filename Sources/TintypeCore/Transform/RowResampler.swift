import CTintypeKernels

/// Resamples a picture whose rows arrive one after another, holding only as many rows as one output row needs.
///
/// Each row is resampled across as it arrives; an output row is made as soon as the last of its rows is there. Pixels
/// are premultiplied 8-bit RGBA, and stay so.
package struct RowResampler: ~Copyable {
    private let horizontal: ResampleWeights
    private let vertical: ResampleWeights
    /// Channels of one row.
    private let rowLength: Int
    /// The last `vertical.taps` rows, already resampled across; row `y` stands at `y % taps`.
    private var ring: [Int16]
    private var nextSource = 0
    private var nextOutput = 0
    private var output: PixelWriter

    /// - Parameter crop: the part of the source that the output shows; all of it by default.
    package init(
        from source: PixelSize, crop: PixelRect? = nil, to size: PixelSize, filter: ResampleFilter
    ) throws(TintypeError) {
        let shown = crop ?? PixelRect(x: 0, y: 0, size: source)
        horizontal = ResampleWeights(
            source: source.width, crop: Double(shown.x)..<Double(shown.x + shown.size.width), output: size.width,
            filter: filter)
        vertical = ResampleWeights(
            source: source.height, crop: Double(shown.y)..<Double(shown.y + shown.size.height), output: size.height,
            filter: filter)
        rowLength = size.width * PixelBuffer.bytesPerPixel
        ring = [Int16](repeating: 0, count: vertical.taps * rowLength)
        output = try PixelWriter(size: size)
    }

    /// Takes the next row of the source, from top to bottom.
    package mutating func append(row: UnsafeRawBufferPointer) {
        guard nextOutput < output.size.height else { return }
        if nextSource >= Int(vertical.starts[nextOutput]) { resampleAcross(row) }
        nextSource += 1
        while nextOutput < output.size.height, Int(vertical.starts[nextOutput]) + vertical.taps <= nextSource {
            makeOutputRow()
        }
    }

    /// The picture, once every source row was taken.
    package consuming func finish() -> PixelBuffer {
        output.finish()
    }

    private mutating func resampleAcross(_ row: UnsafeRawBufferPointer) {
        let place = nextSource % vertical.taps * rowLength
        let width = output.size.width
        guard let pixels = row.bindMemory(to: UInt8.self).baseAddress else { return }
        ring.withUnsafeMutableBufferPointer { ring in
            guard let target = ring.baseAddress else { return }
            tintype_resample_across(
                pixels, target + place, width, horizontal.starts, horizontal.weights, horizontal.taps)
        }
    }

    private mutating func makeOutputRow() {
        let first = Int(vertical.starts[nextOutput]) % vertical.taps
        let weights = nextOutput * vertical.taps
        let (taps, rowLength, width) = (vertical.taps, rowLength, output.size.width)
        output.withRows(from: nextOutput) { target in
            vertical.weights.withUnsafeBufferPointer { all in
                guard let pixels = target.bindMemory(to: UInt8.self).baseAddress, let base = all.baseAddress else {
                    return
                }
                tintype_resample_down(ring, rowLength, first, taps, base + weights, pixels, width)
            }
        }
        nextOutput += 1
    }
}
