import TintypeColor
import TintypeCore

/// The conversion of the colours of an AVIF to sRGB.
enum AVIFColors {
    /// With 8 bits per channel; `nil` if the colours are sRGB already.
    case narrow(ColorConverter?)
    /// With 16 bits per channel, for high-range images.
    case wide(WideConverter)

    /// Chooses the conversion for a file.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` for a profile that is too large.
    init(_ reader: borrowing AVIFReader, _ context: DecodeContext) throws(TintypeError) {
        let colors = try reader.colors(context.limits)
        let keepsRange = reader.isWide && context.options.range == .high
        self =
            colors.isHighRange || keepsRange
            ? .wide(WideConverter(colors, reader.channels)) : .narrow(ColorConverter(colors, reader.channels))
    }
}

extension AVIFReader {
    /// Converts the decoded frame to sRGB, cropped and resampled to a target.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    func convertFrame(
        _ target: DecodeTarget, _ colors: AVIFColors, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        switch colors {
        case .wide(let converter): return try convertWide(WideRows(storedSize, target, converter, context))
        case .narrow(let converter):
            let isAll = target.isAll(of: storedSize)
            let pixels = try isAll ? convertAll(converter) : convertAndResample(target, converter, context)
            return WideImage(pixels: pixels, highRange: nil)
        }
    }

    private func convertAndResample(
        _ target: DecodeTarget, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        // Holds the rows of a strip and the overlap.
        var buffer = try PixelWriter(
            size: PixelSize(width: storedSize.width, height: Self.stripHeight + 2 * Self.overlap + 1))
        var resampler = try RowResampler(from: storedSize, crop: target.part, to: target.size, filter: .lanczos3)
        let rowLength = buffer.bytesPerRow
        for first in stride(from: 0, to: storedSize.height, by: Self.stripHeight) {
            try context.checkCancelled()
            let rows = first..<min(first + Self.stripHeight, storedSize.height)
            let above = try buffer.withRows { bytes throws(TintypeError) in
                try convert(rows, overlap: Self.overlap, into: bytes, stride: rowLength)
            }
            convertToSRGB(&buffer, above + rows.count, converter)
            try buffer.withRows(from: above) { strip throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(strip), count: rows.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    private func convertAll(_ converter: ColorConverter?) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: storedSize)
        let rowLength = writer.bytesPerRow
        _ = try writer.withRows { bytes throws(TintypeError) in
            try convert(0..<storedSize.height, overlap: 0, into: bytes, stride: rowLength)
        }
        convertToSRGB(&writer, storedSize.height, converter)
        return writer.finish()
    }

    /// Converts the first `count` rows to premultiplied sRGB.
    private func convertToSRGB(_ rows: inout PixelWriter, _ count: Int, _ converter: ColorConverter?) {
        guard isStraight || !hasAlpha else { return rows.convertPremultiplied(rows: count, by: converter) }
        rows.convert(rows: count, by: converter)
        if isStraight { rows.premultiply(rows: count) }
    }

    private func convertWide(_ rows: WideRows) throws(TintypeError) -> WideImage {
        let rowLength = storedSize.width * 8
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rowLength * (Self.stripHeight + 2 * Self.overlap + 1), alignment: 16)
        defer { buffer.deallocate() }
        return try rows.image(batch: Self.stripHeight) { (first, count, words) throws(TintypeError) in
            let above = try convert(
                first..<first + count, overlap: Self.overlap, depth: 16, into: buffer, stride: rowLength)
            let strip = buffer[above * rowLength..<(above + count) * rowLength]
            UnsafeMutableRawBufferPointer(words).copyMemory(from: UnsafeRawBufferPointer(rebasing: strip))
            if hasAlpha && !isStraight { WideRows.unpremultiply(words) }
        }
    }

    /// Rows that are converted at once.
    private static var stripHeight: Int { 64 }
    /// Rows above and below a strip that its chroma is interpolated from.
    private static var overlap: Int { 2 }
}
