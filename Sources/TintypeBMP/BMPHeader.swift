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

/// The fields of a bitmap's header as they are stored.
struct BMPFields {
    let width: Int
    let height: Int
    let depth: Int
    /// How closely the pixels lie; `nil` where nothing is said.
    let density: PixelDensity?
    private let compression: UInt32
    private let usedColors: UInt32
    private let length: Int
    /// Red, green, blue and alpha, wherever they are stored.
    private let storedMasks: [UInt32]

    private static let bitFields: UInt32 = 3
    private static let alphaBitFields: UInt32 = 6

    /// - Precondition: `length` bytes are there.
    init(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ length: Int) {
        self.length = length
        if length == 12 {
            width = bytes.littleEndian16(at: place + 4)
            height = bytes.littleEndian16(at: place + 6)
            depth = bytes.littleEndian16(at: place + 10)
            (compression, usedColors, storedMasks, density) = (0, 0, [], nil)
        } else {
            width = Int(Int32(bitPattern: bytes.littleEndian32(at: place + 4)))
            height = Int(Int32(bitPattern: bytes.littleEndian32(at: place + 8)))
            depth = bytes.littleEndian16(at: place + 14)
            compression = length >= 40 ? bytes.littleEndian32(at: place + 16) : 0
            density = length >= 40 ? Self.density(bytes, at: place + 24) : nil
            usedColors = length >= 40 ? bytes.littleEndian32(at: place + 32) : 0
            storedMasks = stride(from: place + 40, to: place + 56, by: 4).map {
                $0 + 4 <= bytes.count ? bytes.littleEndian32(at: $0) : 0
            }
        }
    }

    /// Pixels a metre, across and down.
    private static func density(_ bytes: UnsafeRawBufferPointer, at place: Int) -> PixelDensity? {
        let across = Int32(bitPattern: bytes.littleEndian32(at: place))
        let down = Int32(bitPattern: bytes.littleEndian32(at: place + 4))
        guard across > 0, down > 0 else { return nil }
        return PixelDensity(
            across: Double(across) * PixelDensity.metresAnInch, down: Double(down) * PixelDensity.metresAnInch)
    }

    func checkedCompression() throws(TintypeError) -> BMPHeader.Compression {
        switch (compression, depth) {
        case (0, 1), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): return .none
        case (1, 8), (2, 4): return .runLengths
        case (Self.bitFields, 16), (Self.bitFields, 32), (Self.alphaBitFields, 16), (Self.alphaBitFields, 32):
            // In a header of OS/2 the same number is a code for facsimiles.
            guard length != 64 else { throw .unsupportedBMP("compressed as a facsimile") }
            return .none
        default: throw .unsupportedBMP("\(depth) bits a pixel, compression \(compression)")
        }
    }

    /// Bytes of masks between the header and the palette.
    var masksLength: Int {
        guard length == 40 else { return 0 }
        return compression == Self.bitFields ? 12 : compression == Self.alphaBitFields ? 16 : 0
    }

    func masks(isIcon: Bool) throws(TintypeError) -> BMPMasks? {
        guard depth == 16 || depth == 32 else { return nil }
        guard compression != 0 else {
            return depth == 16
                ? BMPMasks(red: 0x7C00, green: 0x3E0, blue: 0x1F, alpha: 0)
                : BMPMasks(red: 0xFF0000, green: 0xFF00, blue: 0xFF, alpha: isIcon ? 0xFF00_0000 : 0)
        }
        let hasAlpha = length >= 56 || compression == Self.alphaBitFields
        let masks = BMPMasks(
            red: storedMasks[0], green: storedMasks[1], blue: storedMasks[2], alpha: hasAlpha ? storedMasks[3] : 0)
        guard let masks else { throw .damagedBMP("its masks have holes") }
        return masks
    }

    func paletteCount() throws(TintypeError) -> Int {
        guard depth <= 8 else { return 0 }
        guard usedColors <= 256 else { throw .damagedBMP("a palette of \(usedColors) colours") }
        return usedColors == 0 ? 1 << depth : Int(usedColors)
    }
}

extension UnsafeRawBufferPointer {
    /// Two bytes at a place that is known to be there.
    package func littleEndian16(at place: Int) -> Int {
        Int(UInt16(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt16.self)))
    }

    /// Four bytes at a place that is known to be there.
    package func littleEndian32(at place: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
}
