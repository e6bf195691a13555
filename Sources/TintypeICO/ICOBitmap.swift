import TintypeBMP
import TintypeCore

/// A bitmap of an icon, whose mask of one bit a pixel says what is not to be seen.
struct ICOBitmap {
    private let header: BMPHeader
    private let bytes: UnsafeRawBufferPointer
    private let context: DecodeContext

    init(_ header: BMPHeader, _ bytes: UnsafeRawBufferPointer, _ context: DecodeContext) {
        self.header = header
        self.bytes = bytes
        self.context = context
    }

    /// Premultiplied. What has alpha needs no mask; but where no pixel has any, old programs did not know of it, and the
    /// mask counts.
    ///
    /// - Parameter keepsPart: whether not all rows have to be there, nor the mask, without which what is there is opaque.
    /// - Returns: `nil` when no row is there.
    func pixels(keepsPart: Bool = false) throws(TintypeError) -> PixelBuffer? {
        let source = try BMPPixels(header, bytes, at: header.pixelPlace, context, keepsPart: keepsPart)
        guard source.hasRows else { return nil }
        let usesAlpha = header.hasAlpha && !isClear(source)
        guard usesAlpha || hasMask || keepsPart else { throw .truncatedICO }
        var writer = try PixelWriter(size: header.size)
        for y in 0..<header.size.height {
            if y % 16 == 0 { try context.checkCancelled() }
            writer.withRows(from: y) { rows in
                let row = UnsafeMutableBufferPointer(rebasing: rows.bindMemory(to: Pixel.self)[..<header.size.width])
                source.read(y, into: row)
                if !usesAlpha && hasMask { mask(row, y) }
            }
        }
        writer.premultiply(rows: header.size.height)
        return writer.finish()
    }

    private func isClear(_ source: BMPPixels) -> Bool {
        withUnsafeTemporaryAllocation(of: Pixel.self, capacity: header.size.width) { row in
            (0..<header.size.height).allSatisfy { y in
                source.read(y, into: row)
                return row.allSatisfy { $0.alpha == 0 }
            }
        }
    }

    private var maskPlace: Int { header.pixelPlace + header.bytesPerRow * header.size.height }
    private var maskRowLength: Int { (header.size.width + 31) / 32 * 4 }
    private var hasMask: Bool { maskPlace + maskRowLength * header.size.height <= bytes.count }

    /// The mask's rows begin with the lowest, as those of the picture do.
    private func mask(_ row: UnsafeMutableBufferPointer<Pixel>, _ y: Int) {
        let start = maskPlace + (header.size.height - 1 - y) * maskRowLength
        for x in row.indices {
            let isHidden = bytes[start + (x >> 3)] >> (7 - (x & 7)) & 1 == 1
            row[x].alpha = isHidden ? 0 : 255
        }
    }
}
