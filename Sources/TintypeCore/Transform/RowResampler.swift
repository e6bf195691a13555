import CTintypeKernels

/// Resamples a picture whose rows arrive one after another, holding only as many rows as one output row needs.
///
/// Each row is resampled across as it arrives; an output row is made as soon as the last of its rows is there. Pixels
/// are premultiplied 8-bit RGBA, and stay so.
package struct RowResampler: ~Copyable {
    private let horizontal: ResampleWeights
    private let vertical: ResampleWeights
    private let rowBytes: Int
    /// The last `vertical.taps` rows, already resampled across; row `y` stands at `y % taps`.
    private var ring: [UInt8]
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
        rowBytes = size.width * PixelBuffer.bytesPerPixel
        ring = [UInt8](repeating: 0, count: vertical.taps * rowBytes)
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
        let place = nextSource % vertical.taps * rowBytes
        let width = output.size.width
        ring.withUnsafeMutableBytes { ring in
            tintype_resample_across(
                row.baseAddress, ring.baseAddress.map { $0 + place }, width, horizontal.starts, horizontal.weights,
                horizontal.taps)
        }
    }

    private mutating func makeOutputRow() {
        let start = Int(vertical.starts[nextOutput])
        let weights = nextOutput * vertical.taps
        let (taps, rowBytes) = (vertical.taps, rowBytes)
        output.withRows(from: nextOutput) { target in
            ring.withUnsafeBytes { ring in
                vertical.weights.withUnsafeBufferPointer { all in
                    tintype_resample_down(
                        ring.baseAddress, rowBytes, start % taps, taps, all.baseAddress.map { $0 + weights },
                        target.baseAddress, rowBytes / PixelBuffer.bytesPerPixel)
                }
            }
        }
        nextOutput += 1
    }
}
