package import TintypeCore

/// A decoded image of more than 8 bits per channel.
package struct WideImage: Sendable {
    /// The image in 8-bit premultiplied sRGB.
    package let pixels: PixelBuffer
    /// The image in linear light; `nil` unless the request asks for ``DecodeOptions/DynamicRange/high``.
    package let highRange: HighRangePixels?

    package init(pixels: PixelBuffer, highRange: HighRangePixels?) {
        self.pixels = pixels
        self.highRange = highRange
    }

    /// The bytes of memory for each pixel.
    package var bytesPerPixel: Int {
        PixelBuffer.bytesPerPixel + (highRange == nil ? 0 : HighRangePixels.bytesPerPixel)
    }

    /// Returns the image turned upright.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package func oriented(_ orientation: Orientation) throws(TintypeError) -> WideImage {
        WideImage(
            pixels: try pixels.oriented(orientation), highRange: try highRange?.oriented(orientation))
    }
}

/// Makes an image from rows of straight 16-bit RGBA, a few at a time. One thread at a time may use a value.
package struct WideRows {
    private let size: PixelSize
    private let target: DecodeTarget
    private let converter: WideConverter
    private let keepsHighRange: Bool
    private let isCancelled: @Sendable () -> Bool

    /// Creates a maker of images.
    ///
    /// - Parameters:
    ///   - size: The size of the stored image in pixels.
    ///   - target: The part of it, and the size of the result.
    package init(
        _ size: PixelSize, _ target: DecodeTarget, _ converter: WideConverter, _ context: DecodeContext
    ) {
        (self.size, self.target, self.converter) = (size, target, converter)
        keepsHighRange = context.options.range == .high
        isCancelled = context.isCancelled
    }

    /// Fills `words` with `count` rows from `first` on. Calls come in the order of rows.
    package typealias Read = (
        _ first: Int, _ count: Int, _ words: UnsafeMutableBufferPointer<UInt16>
    ) throws(TintypeError) -> Void

    /// Reads all rows, and returns the target's part of the image at the target's size.
    ///
    /// If the request asks for high-range pixels, they are first held in memory at full size. The 8-bit image is not.
    ///
    /// - Parameter batch: The number of rows per call of `read`; the last call may get fewer.
    /// - Throws: The errors of `read`, `TintypeError.Code.cancelled`, and `TintypeError.Code.outOfMemory`.
    package func image(batch: Int = 16, _ read: Read) throws(TintypeError) -> WideImage {
        let batch = min(batch, size.height)
        var words = [UInt16](repeating: 0, count: size.width * 4 * batch)
        var highRange = keepsHighRange ? try HighRangePixels.writer(size) : nil
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: batch))
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        let rowLength = strip.bytesPerRow
        for first in stride(from: 0, to: size.height, by: batch) {
            if isCancelled() { throw .cancelled }
            let count = min(batch, size.height - first)
            try words.withTypedBuffer { words throws(TintypeError) in
                try read(first, count, words)
                writeStandard(UnsafeBufferPointer(words), count, to: &strip)
                writeHighRange(UnsafeBufferPointer(words), count, from: first, to: &highRange)
            }
            try strip.withRows { rows throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(rows), count: count, stride: rowLength)
            }
        }
        let standard = resampler.finish()
        guard let writer = highRange.take() else { return WideImage(pixels: standard, highRange: nil) }
        let fullSize = HighRangePixels(rows: writer.finish())
        return WideImage(pixels: standard, highRange: try fullSize.resampled(crop: target.part, to: target.size))
    }

    /// Divides the colours of 16-bit RGBA by their alpha.
    package static func unpremultiply(_ words: UnsafeMutableBufferPointer<UInt16>) {
        for start in stride(from: 0, to: words.count, by: 4) where words[start + 3] > 0 {
            let alpha = UInt32(words[start + 3])
            for channel in start..<start + 3 {
                words[channel] = UInt16(clamping: (UInt32(words[channel]) * 65535 + alpha / 2) / alpha)
            }
        }
    }

    private func writeStandard(_ words: UnsafeBufferPointer<UInt16>, _ count: Int, to strip: inout PixelWriter) {
        for y in 0..<count {
            strip.withRows(from: y) { converter.writeStandard(row(of: words, y), to: $0, width: size.width) }
        }
        strip.premultiply(rows: count)
    }

    private func writeHighRange(
        _ words: UnsafeBufferPointer<UInt16>, _ count: Int, from first: Int, to highRange: inout PixelWriter?
    ) {
        for y in 0..<count {
            highRange?.withRows(from: first + y) {
                converter.writeHighRange(row(of: words, y), to: $0, width: size.width)
            }
        }
    }

    private func row(of words: UnsafeBufferPointer<UInt16>, _ y: Int) -> UnsafeBufferPointer<UInt16> {
        UnsafeBufferPointer(rebasing: words[y * size.width * 4..<(y + 1) * size.width * 4])
    }
}

extension UnsafeMutableBufferPointer<UInt16> {
    /// Copies rows of 16-bit RGBA from a buffer made by ``TintypeCore/HighRangePixels/writer(_:)``.
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
    /// The equivalent of `withUnsafeMutableBufferPointer` with a typed error.
    fileprivate mutating func withTypedBuffer(
        _ body: (UnsafeMutableBufferPointer<UInt16>) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        try withUnsafeMutableBufferPointer { buffer in
            Result { () throws(TintypeError) in try body(buffer) }
        }.get()
    }
}
