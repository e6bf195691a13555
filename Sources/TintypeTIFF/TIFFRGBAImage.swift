import TintypeColor
import TintypeCore

/// Decodes an image that libtiff converts to rows of 8-bit premultiplied RGBA.
struct TIFFRGBAImage {
    private let size: PixelSize
    private let target: DecodeTarget
    private let converter: ColorConverter?
    private let context: DecodeContext

    /// - Parameter converter: Converts the colours to sRGB; `nil` if they are sRGB already.
    init(_ size: PixelSize, _ target: DecodeTarget, _ converter: ColorConverter?, _ context: DecodeContext) {
        (self.size, self.target, self.converter, self.context) = (size, target, converter, context)
    }

    /// Decodes all rows at the target size. Missing rows are transparent.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.cancelled`, `TintypeError.Code.outOfMemory`.
    func decode(_ reader: borrowing TIFFReader, _ rows: inout TIFFRows) throws(TintypeError) -> PixelBuffer {
        let height = reader.batchHeight
        var scratch = [UInt32](repeating: 0, count: size.width * height)
        if target.isAll(of: size) {
            var writer = try PixelWriter(size: size)
            for first in stride(from: 0, to: size.height, by: height) {
                try read(first..<min(first + height, size.height), reader, &rows, at: first, of: &writer, &scratch)
            }
            return writer.finish()
        }
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: height))
        let rowLength = strip.bytesPerRow
        for first in stride(from: 0, to: size.height, by: height) {
            let batch = first..<min(first + height, size.height)
            try read(batch, reader, &rows, at: 0, of: &strip, &scratch)
            try strip.withRows { bytes throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(bytes), count: batch.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    /// Reads a batch of rows into `target` from row `start` on, and converts them to sRGB.
    private func read(
        _ batch: Range<Int>, _ reader: borrowing TIFFReader, _ rows: inout TIFFRows, at start: Int,
        of target: inout PixelWriter, _ scratch: inout [UInt32]
    ) throws(TintypeError) {
        try context.checkCancelled()
        let rowLength = target.bytesPerRow
        let isPresent = try rows.read(batch) { (batch) throws(TintypeError) in
            try target.withRows(from: start) { bytes throws(TintypeError) in
                try reader.readRows(batch, into: bytes, stride: rowLength, scratch: &scratch)
            }
        }
        if isPresent {
            target.convertPremultiplied(rows: batch.count, from: start, by: converter)
        } else {
            target.clear(rows: batch.count, from: start)
        }
    }
}

extension PixelWriter {
    /// Makes rows transparent.
    mutating func clear(rows count: Int, from start: Int) {
        let length = count * bytesPerRow
        withRows(from: start) { bytes in
            _ = UnsafeMutableRawBufferPointer(rebasing: bytes[..<min(length, bytes.count)])
                .initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}
