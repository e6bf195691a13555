import TintypeColor
import TintypeCore

/// Decodes an image of CMYK rows.
struct TIFFCMYKImage {
    private let size: PixelSize
    private let target: DecodeTarget
    private let converter: ColorConverter?
    private let isCancelled: @Sendable () -> Bool

    /// - Parameter converter: Converts CMYK by the file's profile; `nil` if it has none.
    init(_ size: PixelSize, _ target: DecodeTarget, _ converter: ColorConverter?, _ context: DecodeContext) {
        (self.size, self.target, self.converter) = (size, target, converter)
        isCancelled = context.isCancelled
    }

    /// Decodes all rows at the target size. Missing rows are transparent.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.cancelled`, `TintypeError.Code.outOfMemory`.
    func decode(_ reader: borrowing TIFFReader, _ rows: inout TIFFRows) throws(TintypeError) -> PixelBuffer {
        let height = reader.batchHeight
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: height))
        let words = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: size.width * 4 * height)
        defer { words.deallocate() }
        words.initialize(repeating: 0)
        let alpha = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: reader.hasExtraInks ? size.width * height : 0)
        defer { alpha.deallocate() }
        alpha.initialize(repeating: .max)
        let rowLength = strip.bytesPerRow
        for first in stride(from: 0, to: size.height, by: height) {
            guard !isCancelled() else { throw .cancelled }
            let batch = first..<min(first + height, size.height)
            let isPresent = try rows.read(batch) { (batch) throws(TintypeError) in
                try reader.readSamples(batch, into: words, alpha: alpha)
            }
            if isPresent {
                convert(words, batch.count, to: &strip)
                if !alpha.isEmpty { strip.apply(alpha, rows: batch.count) }
            } else {
                strip.clear(rows: batch.count, from: 0)
            }
            try strip.withRows { bytes throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(bytes), count: batch.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    private func convert(_ words: UnsafeMutableBufferPointer<UInt16>, _ rows: Int, to strip: inout PixelWriter) {
        let count = size.width * 4
        for y in 0..<rows { strip.withRows(from: y) { writeRow(words[y * count..<(y + 1) * count], to: $0) } }
        strip.convert(rows: rows, by: converter)
    }

    /// Narrows a row to 8 bits: CMYK for the profile's converter, or opaque RGBA if there is none.
    private func writeRow(
        _ words: Slice<UnsafeMutableBufferPointer<UInt16>>, to row: UnsafeMutableRawBufferPointer
    ) {
        for (index, word) in words.enumerated() {
            row[index] = UInt8(truncatingIfNeeded: (UInt32(word) * 255 + 32895) >> 16)
        }
        guard converter == nil else { return }
        for start in stride(from: 0, to: words.count, by: 4) {
            let paper = 255 - UInt32(row[start + 3])
            for channel in start..<start + 3 {
                row[channel] = UInt8(truncatingIfNeeded: ((255 - UInt32(row[channel])) * paper * 2 + 255) / 510)
            }
            row[start + 3] = 255
        }
    }
}

extension PixelWriter {
    /// Gives opaque rows the alpha of 16-bit samples, and premultiplies them.
    fileprivate mutating func apply(_ alpha: UnsafeMutableBufferPointer<UInt16>, rows: Int) {
        let width = size.width
        for y in 0..<rows {
            withRows(from: y) { row in
                for x in 0..<width {
                    row[4 * x + 3] = UInt8(truncatingIfNeeded: (UInt32(alpha[y * width + x]) * 255 + 32895) >> 16)
                }
            }
        }
        premultiply(rows: rows)
    }
}
