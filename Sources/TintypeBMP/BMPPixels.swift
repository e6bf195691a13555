package import TintypeCore

/// The pixels of a bitmap, read as rows of straight (not premultiplied) colours.
package struct BMPPixels {
    private let header: BMPHeader
    private let bytes: UnsafeRawBufferPointer
    /// A colour for each of 256 indices; those that the file's palette lacks are black.
    private let palette: [Pixel]
    /// The byte offset of the first stored row.
    private let offset: Int
    /// The unpacked run lengths, one index per byte, in storage order; `nil` if the pixels are not compressed.
    private let unpacked: [UInt8]?
    /// The number of rows present, counted in storage order. Missing rows are transparent.
    private let storedRows: Int

    /// Locates the rows, and unpacks run lengths.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; must outlive this value.
    ///   - offset: The byte offset of the pixels in `bytes`.
    ///   - allowsPartial: Whether missing rows are accepted.
    /// - Throws: `TintypeError.Code.undecodable` if rows are missing and `allowsPartial` is false, or if the palette
    ///   is truncated.
    package init(
        _ header: BMPHeader, _ bytes: UnsafeRawBufferPointer, at offset: Int, _ context: DecodeContext,
        allowsPartial: Bool = false
    ) throws(TintypeError) {
        self.header = header
        self.bytes = bytes
        self.offset = offset
        palette = try Self.palette(header, bytes)
        guard offset <= bytes.count else { throw .truncatedBMP }
        switch header.compression {
        case .none:
            // The padding of the last row may be missing.
            let padding = header.bytesPerRow - (header.size.width * header.depth + 7) / 8
            storedRows = min((bytes.count - offset + padding) / header.bytesPerRow, header.size.height)
            unpacked = nil
        case .runLengths:
            let packed = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            var runs = BMPRunLengths(packed, header.size, isNibbles: header.depth == 4)
            (unpacked, storedRows) = try runs.indices(context)
        }
        guard allowsPartial || storedRows == header.size.height else { throw .truncatedBMP }
    }

    private static func palette(_ header: BMPHeader, _ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> [Pixel] {
        guard header.depth <= 8 else { return [] }
        let (offset, count, length) = header.palette
        guard offset + count * length <= bytes.count else { throw .truncatedBMP }
        var palette = [Pixel](repeating: Pixel(red: 0, green: 0, blue: 0), count: 256)
        for index in 0..<count {
            let entry = offset + index * length
            palette[index] = Pixel(red: bytes[entry + 2], green: bytes[entry + 1], blue: bytes[entry])
        }
        return palette
    }

    /// The size of the image in pixels.
    package var size: PixelSize { header.size }
    /// Whether at least one row is present.
    package var hasRows: Bool { storedRows > 0 }
    /// Whether pixels have an alpha channel.
    package var hasAlpha: Bool { header.hasAlpha }

    // MARK: Rows

    /// Reads row `y`, counted from the top, into `row`, which must hold `size.width` pixels.
    package func read(_ y: Int, into row: UnsafeMutableBufferPointer<Pixel>) {
        let stored = header.isTopDown ? y : header.size.height - 1 - y
        guard stored < storedRows else {
            return row.update(repeating: Pixel(red: 0, green: 0, blue: 0, alpha: 0))
        }
        if let unpacked {
            let start = stored * header.size.width
            for x in 0..<header.size.width { row[x] = palette[Int(unpacked[start + x])] }
        } else {
            let start = offset + stored * header.bytesPerRow
            fill(row, UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }

    private func fill(_ row: UnsafeMutableBufferPointer<Pixel>, _ stored: UnsafeRawBufferPointer) {
        let width = header.size.width
        switch header.depth {
        case 24:
            for x in 0..<width {
                row[x] = Pixel(red: stored[3 * x + 2], green: stored[3 * x + 1], blue: stored[3 * x])
            }
        case 16: applyMasks(width, row) { UInt32(stored.littleEndian16(at: 2 * $0)) }
        case 32: applyMasks(width, row) { stored.littleEndian32(at: 4 * $0) }
        default:
            for x in 0..<width { row[x] = palette[index(x, stored)] }
        }
    }

    private func applyMasks(_ width: Int, _ row: UnsafeMutableBufferPointer<Pixel>, _ pixel: (Int) -> UInt32) {
        guard let masks = header.masks else { return }
        for x in 0..<width { row[x] = masks.color(of: pixel(x)) }
    }

    /// Returns the palette index of a pixel. Indices below eight bits are packed from the most significant bit on.
    private func index(_ x: Int, _ stored: UnsafeRawBufferPointer) -> Int {
        let bit = x * header.depth
        return Int(stored[bit >> 3]) >> (8 - header.depth - (bit & 7)) & ((1 << header.depth) - 1)
    }
}

/// The bits of a 16-bit or 32-bit pixel that form each channel.
struct BMPMasks {
    /// One channel: its lowest bit and its largest stored value.
    struct Channel {
        let shift: UInt32
        let maximum: UInt32

        /// - Returns: `nil` if the bits of `mask` are not contiguous.
        init?(_ mask: UInt32) {
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            maximum = mask >> shift
            guard maximum & (maximum &+ 1) == 0 else { return nil }
        }

        /// Returns the channel of `pixel` scaled to 8 bits, or 0 if the channel has no bits.
        func value(of pixel: UInt32) -> UInt8 {
            guard maximum > 0 else { return 0 }
            let stored = UInt64(pixel >> shift & maximum)
            return UInt8((stored * 255 + UInt64(maximum) / 2) / UInt64(maximum))
        }
    }

    let red: Channel
    let green: Channel
    let blue: Channel
    let alpha: Channel

    /// - Returns: `nil` if the bits of any mask are not contiguous.
    init?(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) {
        guard let red = Channel(red), let green = Channel(green), let blue = Channel(blue), let alpha = Channel(alpha)
        else { return nil }
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    var hasAlpha: Bool { alpha.maximum > 0 }

    /// Returns the straight colour of `pixel`.
    func color(of pixel: UInt32) -> Pixel {
        Pixel(
            red: red.value(of: pixel), green: green.value(of: pixel), blue: blue.value(of: pixel),
            alpha: hasAlpha ? alpha.value(of: pixel) : 255)
    }
}
