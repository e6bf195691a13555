package import TintypeCore

/// What is made of a picture of more than 8 bits.
package struct WideImage: Sendable {
    package let pixels: PixelBuffer
    /// Where it was asked for.
    package let highRange: HighRangePixels?

    package init(pixels: PixelBuffer, highRange: HighRangePixels?) {
        self.pixels = pixels
        self.highRange = highRange
    }

    package func oriented(_ orientation: Orientation) throws(TintypeError) -> WideImage {
        WideImage(
            pixels: try pixels.oriented(orientation), highRange: try highRange?.oriented(orientation))
    }
}

/// Makes a picture of rows of 16-bit straight RGBA, a few at a time.
package struct WideRows {
    private let size: PixelSize
    private let target: DecodeTarget
    private let converter: WideConverter
    private let keepsRange: Bool
    private let isCancelled: @Sendable () -> Bool

    /// - Parameter size: that of the stored picture.
    package init(
        _ size: PixelSize, _ target: DecodeTarget, _ converter: WideConverter, _ context: DecodeContext
    ) {
        (self.size, self.target, self.converter) = (size, target, converter)
        keepsRange = context.options.range == .high
        isCancelled = context.isCancelled
    }

    /// Fills rows from one on with words, as many as it is told, in order.
    package typealias Read = (
        _ first: Int, _ count: Int, _ words: UnsafeMutableBufferPointer<UInt16>
    ) throws(TintypeError) -> Void

    /// The part and size that are wanted. What is kept of the range needs the whole picture in memory; what is shown does
    /// not.
    ///
    /// - Parameter batch: rows that are read at once, but for the last ones.
    package func image(batch: Int = 16, _ read: Read) throws(TintypeError) -> WideImage {
        let batch = min(batch, size.height)
        var words = [UInt16](repeating: 0, count: size.width * 4 * batch)
        var kept = keepsRange ? try HighRangePixels.writer(size) : nil
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: batch))
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        let rowLength = strip.bytesPerRow
        for first in stride(from: 0, to: size.height, by: batch) {
            if isCancelled() { throw .cancelled }
            let count = min(batch, size.height - first)
            try words.withTypedBuffer { words throws(TintypeError) in
                try read(first, count, words)
                convert(UnsafeBufferPointer(words), count, to: &strip)
                keep(UnsafeBufferPointer(words), count, from: first, in: &kept)
            }
            try strip.withRows { rows throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(rows), count: count, stride: rowLength)
            }
        }
        let shown = resampler.finish()
        guard let filled = kept.take() else { return WideImage(pixels: shown, highRange: nil) }
        let whole = HighRangePixels(rows: filled.finish())
        return WideImage(pixels: shown, highRange: try whole.resampled(crop: target.part, to: target.size))
    }

    /// Divides the colour of 16-bit pixels by their alpha.
    package static func unpremultiply(_ words: UnsafeMutableBufferPointer<UInt16>) {
        for start in stride(from: 0, to: words.count, by: 4) where words[start + 3] > 0 {
            let alpha = UInt32(words[start + 3])
            for channel in start..<start + 3 {
                words[channel] = UInt16(clamping: (UInt32(words[channel]) * 65535 + alpha / 2) / alpha)
            }
        }
    }

    private func convert(_ words: UnsafeBufferPointer<UInt16>, _ count: Int, to strip: inout PixelWriter) {
        for y in 0..<count {
            strip.withRows(from: y) { converter.show(rowOf(words, y), in: $0, width: size.width) }
        }
        strip.premultiply(rows: count)
    }

    private func keep(
        _ words: UnsafeBufferPointer<UInt16>, _ count: Int, from first: Int, in kept: inout PixelWriter?
    ) {
        for y in 0..<count {
            kept?.withRows(from: first + y) { converter.keep(rowOf(words, y), in: $0, width: size.width) }
        }
    }

    private func rowOf(_ words: UnsafeBufferPointer<UInt16>, _ y: Int) -> UnsafeBufferPointer<UInt16> {
        UnsafeBufferPointer(rebasing: words[y * size.width * 4..<(y + 1) * size.width * 4])
    }
}

extension UnsafeMutableBufferPointer<UInt16> {
    /// Takes rows of words from where a library left them: see ``TintypeCore/HighRangePixels/writer(_:)``.
    package func copyRows(_ rows: Range<Int>, of pixels: PixelBuffer) {
        let target = UnsafeMutableRawBufferPointer(self)
        let length = pixels.size.width * PixelBuffer.bytesPerPixel
        for (index, y) in rows.enumerated() {
            pixels.withUnsafeRow(y) { row in
                UnsafeMutableRawBufferPointer(rebasing: target[index * length..<(index + 1) * length])
                    .copyMemory(from: row)
            }
        }
    }
}

extension [UInt16] {
    /// As `withUnsafeMutableBufferPointer`, with the type of what it throws.
    fileprivate mutating func withTypedBuffer(
        _ body: (UnsafeMutableBufferPointer<UInt16>) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        try withUnsafeMutableBufferPointer { buffer in
            Result { () throws(TintypeError) in try body(buffer) }
        }.get()
    }
}
