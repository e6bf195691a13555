import TintypeColor
import TintypeCore

/// How the colours of an AVIF become sRGB.
enum AVIFColors {
    /// By way of 8 bits a channel.
    case narrow(ColorConverter?)
    /// By way of 16, as much as the file has.
    case wide(WideConverter)

    init(_ reader: borrowing AVIFReader, _ context: DecodeContext) throws(TintypeError) {
        let colors = try reader.colors(context.limits)
        let keepsRange = reader.isWide && context.options.range == .high
        self =
            colors.isHighRange || keepsRange
            ? .wide(WideConverter(colors, reader.channels)) : .narrow(ColorConverter(colors, reader.channels))
    }
}

extension AVIFReader {
    /// The part and size that are wanted of the frame that was decoded.
    func picture(
        _ target: DecodeTarget, _ colors: AVIFColors, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        switch colors {
        case .wide(let converter): return try wide(WideRows(storedSize, target, converter, context))
        case .narrow(let converter):
            let isAll = target.isAll(of: storedSize)
            let pixels = try isAll ? whole(converter) : resampled(target, converter, context)
            return WideImage(pixels: pixels, highRange: nil)
        }
    }

    private func resampled(
        _ target: DecodeTarget, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        // Room for the rows of a strip and those around it.
        var room = try PixelWriter(
            size: PixelSize(width: storedSize.width, height: Self.stripHeight + 2 * Self.overlap + 1))
        var resampler = try RowResampler(from: storedSize, crop: target.part, to: target.size, filter: .lanczos3)
        let rowLength = room.bytesPerRow
        for first in stride(from: 0, to: storedSize.height, by: Self.stripHeight) {
            try context.checkCancelled()
            let rows = first..<min(first + Self.stripHeight, storedSize.height)
            let above = try room.withRows { bytes throws(TintypeError) in
                try convert(rows, overlap: Self.overlap, into: bytes, stride: rowLength)
            }
            finish(&room, above + rows.count, converter)
            try room.withRows(from: above) { strip throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(strip), count: rows.count, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    func whole(_ converter: ColorConverter?) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: storedSize)
        let rowLength = writer.bytesPerRow
        _ = try writer.withRows { bytes throws(TintypeError) in
            try convert(0..<storedSize.height, overlap: 0, into: bytes, stride: rowLength)
        }
        finish(&writer, storedSize.height, converter)
        return writer.finish()
    }

    /// Brings the first rows to sRGB, multiplied by alpha.
    private func finish(_ rows: inout PixelWriter, _ count: Int, _ converter: ColorConverter?) {
        guard isStraight || !hasAlpha else { return rows.convertPremultiplied(rows: count, by: converter) }
        rows.convert(rows: count, by: converter)
        if isStraight { rows.premultiply(rows: count) }
    }

    func wide(_ rows: WideRows) throws(TintypeError) -> WideImage {
        let rowLength = storedSize.width * 8
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rowLength * (Self.stripHeight + 2 * Self.overlap + 1), alignment: 16)
        defer { room.deallocate() }
        return try rows.image(batch: Self.stripHeight) { (first, count, words) throws(TintypeError) in
            let above = try convert(
                first..<first + count, overlap: Self.overlap, depth: 16, into: room, stride: rowLength)
            let wanted = room[above * rowLength..<(above + count) * rowLength]
            UnsafeMutableRawBufferPointer(words).copyMemory(from: UnsafeRawBufferPointer(rebasing: wanted))
            if hasAlpha && !isStraight { WideRows.unpremultiply(words) }
        }
    }

    private static var stripHeight: Int { 64 }
    private static var overlap: Int { 2 }
}
