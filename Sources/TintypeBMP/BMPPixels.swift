package import TintypeCore

/// The pixels of a bitmap, as rows of straight colours.
package struct BMPPixels {
    private let header: BMPHeader
    private let bytes: UnsafeRawBufferPointer
    /// A colour for every index that a pixel can have: black for those that the palette lacks.
    private let palette: [Pixel]
    private let place: Int
    /// What run lengths came to, an index a byte, in the order of storing.
    private let unpacked: [UInt8]?
    /// How many rows are there, in the order of storing. The others are transparent.
    private let storedRows: Int

    /// - Parameters:
    ///   - bytes: of the whole file; must outlive this.
    ///   - place: where the pixels begin in them.
    ///   - keepsPart: whether not all of them have to be there.
    /// - Throws: ``TintypeError/Code/undecodable`` when they are not all there.
    package init(
        _ header: BMPHeader, _ bytes: UnsafeRawBufferPointer, at place: Int, _ context: DecodeContext,
        keepsPart: Bool = false
    ) throws(TintypeError) {
        self.header = header
        self.bytes = bytes
        self.place = place
        palette = try Self.palette(header, bytes)
        guard place <= bytes.count else { throw .truncatedBMP }
        switch header.compression {
        case .none:
            // The padding of the last row is no pixel's.
            let missing = header.bytesPerRow - (header.size.width * header.depth + 7) / 8
            storedRows = min((bytes.count - place + missing) / header.bytesPerRow, header.size.height)
            unpacked = nil
        case .runLengths:
            let packed = UnsafeRawBufferPointer(rebasing: bytes[place...])
            var runs = BMPRunLengths(packed, header.size, isNibbles: header.depth == 4)
            (unpacked, storedRows) = try runs.indices(context)
        }
        guard keepsPart || storedRows == header.size.height else { throw .truncatedBMP }
    }

    private static func palette(_ header: BMPHeader, _ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> [Pixel] {
        guard header.depth <= 8 else { return [] }
        let (place, count, length) = header.palette
        guard place + count * length <= bytes.count else { throw .truncatedBMP }
        var palette = [Pixel](repeating: Pixel(red: 0, green: 0, blue: 0), count: 256)
        for index in 0..<count {
            let entry = place + index * length
            palette[index] = Pixel(red: bytes[entry + 2], green: bytes[entry + 1], blue: bytes[entry])
        }
        return palette
    }

    package var size: PixelSize { header.size }
    package var hasRows: Bool { storedRows > 0 }
    package var hasAlpha: Bool { header.hasAlpha }

    // MARK: Rows

    /// Fills a row of pixels, from the top.
    package func read(_ y: Int, into row: UnsafeMutableBufferPointer<Pixel>) {
        let stored = header.isTopDown ? y : header.size.height - 1 - y
        guard stored < storedRows else {
            return row.update(repeating: Pixel(red: 0, green: 0, blue: 0, alpha: 0))
        }
        if let unpacked {
            let start = stored * header.size.width
            for x in 0..<header.size.width { row[x] = palette[Int(unpacked[start + x])] }
        } else {
            let start = place + stored * header.bytesPerRow
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
        case 16: mask(width, row) { UInt32(stored.littleEndian16(at: 2 * $0)) }
        case 32: mask(width, row) { stored.littleEndian32(at: 4 * $0) }
        default:
            for x in 0..<width { row[x] = palette[index(x, stored)] }
        }
    }

    private func mask(_ width: Int, _ row: UnsafeMutableBufferPointer<Pixel>, _ pixel: (Int) -> UInt32) {
        guard let masks = header.masks else { return }
        for x in 0..<width { row[x] = masks.color(of: pixel(x)) }
    }

    /// Indices of fewer than eight bits begin at the highest of a byte.
    private func index(_ x: Int, _ stored: UnsafeRawBufferPointer) -> Int {
        let bit = x * header.depth
        return Int(stored[bit >> 3]) >> (8 - header.depth - (bit & 7)) & ((1 << header.depth) - 1)
    }
}

/// Which bits of a pixel of 16 or 32 are which channel.
struct BMPMasks {
    /// One channel: its lowest bit, and its greatest value.
    struct Channel {
        let shift: UInt32
        let maximum: UInt32

        /// - Returns: `nil` for bits that are not next to each other.
        init?(_ mask: UInt32) {
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            maximum = mask >> shift
            guard maximum & (maximum &+ 1) == 0 else { return nil }
        }

        /// The channel of a pixel, of 8 bits; 0 of a channel without bits.
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

    /// - Returns: `nil` for masks that make no sense.
    init?(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) {
        guard let red = Channel(red), let green = Channel(green), let blue = Channel(blue), let alpha = Channel(alpha)
        else { return nil }
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    var hasAlpha: Bool { alpha.maximum > 0 }

    /// Straight.
    func color(of pixel: UInt32) -> Pixel {
        Pixel(
            red: red.value(of: pixel), green: green.value(of: pixel), blue: blue.value(of: pixel),
            alpha: hasAlpha ? alpha.value(of: pixel) : 255)
    }
}
