package import TintypeCore

/// What the header of a device-independent bitmap says, as BMP and ICO files have it: Windows' BITMAPINFOHEADER and its
/// successors, and the BITMAPCOREHEADER of OS/2.
package struct BMPHeader {
    enum Compression {
        case none
        case runLengths
    }

    package let size: PixelSize
    /// Whether the first row that is stored is the upmost.
    let isTopDown: Bool
    /// Bits of a pixel as stored: 1, 4 or 8 for an index, 16, 24 or 32 for a colour.
    package let depth: Int
    let compression: Compression
    /// As the file says it; `nil` where it does not.
    package let density: PixelDensity?
    /// Of pixels of 16 and 32 bits.
    let masks: BMPMasks?
    /// Where the colours of indices begin, how many there are, and the bytes of each.
    let palette: (place: Int, count: Int, entryLength: Int)
    /// Where pixels begin that no file header says to be elsewhere.
    package let pixelPlace: Int

    /// The kinds of header that there are, by their length in bytes.
    private static let lengths: Set<Int> = [12, 16, 40, 52, 56, 64, 108, 124]

    /// - Parameters:
    ///   - bytes: of a file, or of its beginning.
    ///   - place: where the header begins in them.
    ///   - isIcon: as icons are: the mask below the picture counts in the height, and 32 bits are with alpha.
    /// - Returns: `nil` when the bytes end within the header.
    package init?(_ bytes: UnsafeRawBufferPointer, at place: Int, isIcon: Bool = false) throws(TintypeError) {
        guard place <= bytes.count - 4 else { return nil }
        let length = Int(bytes.littleEndian32(at: place))
        guard Self.lengths.contains(length) else { throw .damagedBMP("its header has \(length) bytes") }
        guard bytes.count >= place + length else { return nil }
        let fields = BMPFields(bytes, place, length)
        // Masks that a short header has no room for come after it.
        guard bytes.count >= place + length + fields.masksLength else { return nil }
        isTopDown = fields.height < 0
        size = PixelSize(width: fields.width, height: abs(fields.height) / (isIcon ? 2 : 1))
        guard size.isPositive else { throw .damagedBMP("its size is \(fields.width)×\(fields.height)") }
        (depth, density) = (fields.depth, fields.density)
        compression = try fields.checkedCompression()
        masks = try fields.masks(isIcon: isIcon)
        let paletteCount = try fields.paletteCount()
        palette = (place + length + fields.masksLength, paletteCount, length == 12 ? 3 : 4)
        pixelPlace = palette.place + palette.count * palette.entryLength
    }

    package var hasAlpha: Bool { masks?.hasAlpha ?? false }

    /// Bytes of a row that is not compressed: rows begin at multiples of four.
    package var bytesPerRow: Int { (size.width * depth + 31) / 32 * 4 }
}
