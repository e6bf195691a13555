package import TintypeCore

/// The header of a device-independent bitmap in a BMP or ICO file: the Windows BITMAPINFOHEADER and its successors, or
/// the OS/2 BITMAPCOREHEADER.
package struct BMPHeader {
    /// How the pixels are compressed.
    enum Compression {
        /// Rows of fixed length, without compression.
        case none
        /// Run lengths of palette indices (RLE4 or RLE8).
        case runLengths
    }

    /// The size of the image in pixels.
    package let size: PixelSize
    /// Whether the first stored row is the top row.
    let isTopDown: Bool
    /// The number of bits per pixel: 1, 2, 4 or 8 for palette indices, 16, 24 or 32 for colours.
    package let depth: Int
    let compression: Compression
    /// The pixel density that the file states, or `nil`.
    package let density: PixelDensity?
    /// The channel masks of 16-bit and 32-bit pixels, otherwise `nil`.
    let masks: BMPMasks?
    /// The byte offset of the palette, its number of colours, and the bytes per colour.
    let palette: (offset: Int, count: Int, entryLength: Int)
    /// The byte offset of the pixels where no file header states another one.
    package let pixelOffset: Int

    /// The known header lengths in bytes; each identifies a kind of header.
    private static let lengths: Set<Int> = [12, 16, 40, 52, 56, 64, 108, 124]

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - bytes: The file, or its first bytes.
    ///   - offset: The byte offset of the header in `bytes`.
    ///   - isIcon: Whether the bitmap belongs to an icon, where the height includes the mask and 32-bit pixels have
    ///     alpha.
    /// - Returns: `nil` if `bytes` ends within the header.
    /// - Throws: `TintypeError.Code.undecodable` if the header is damaged or uses an unsupported feature.
    package init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, isIcon: Bool = false) throws(TintypeError) {
        guard offset <= bytes.count - 4 else { return nil }
        let length = Int(bytes.littleEndian32(at: offset))
        guard Self.lengths.contains(length) else { throw .damagedBMP("its header has \(length) bytes") }
        guard bytes.count >= offset + length else { return nil }
        let fields = BMPFields(bytes, offset, length)
        // The short header has no room for masks, so they follow it.
        guard bytes.count >= offset + length + fields.maskByteCount else { return nil }
        isTopDown = fields.height < 0
        size = PixelSize(width: fields.width, height: abs(fields.height) / (isIcon ? 2 : 1))
        guard size.isPositive else { throw .damagedBMP("its size is \(fields.width)×\(fields.height)") }
        (depth, density) = (fields.depth, fields.density)
        compression = try fields.checkedCompression()
        masks = try fields.masks(isIcon: isIcon)
        palette = (offset + length + fields.maskByteCount, fields.paletteCount, length == 12 ? 3 : 4)
        pixelOffset = palette.offset + palette.count * palette.entryLength
    }

    /// Whether pixels have an alpha channel.
    package var hasAlpha: Bool { masks?.hasAlpha ?? false }

    /// The memory that decoding takes for each pixel, with the result at full size. Run lengths are unpacked to one
    /// byte.
    package var decodedBytesPerPixel: Int { PixelBuffer.bytesPerPixel + (compression == .runLengths ? 1 : 0) }

    /// The number of bytes of an uncompressed row, which is padded to a multiple of four.
    package var bytesPerRow: Int { (size.width * depth + 31) / 32 * 4 }
}

/// The fields of a bitmap header as stored.
struct BMPFields {
    let width: Int
    let height: Int
    let depth: Int
    /// The stated pixel density, or `nil`.
    let density: PixelDensity?
    private let compression: UInt32
    private let usedColors: UInt32
    private let length: Int
    /// The masks of red, green, blue and alpha; empty for an OS/2 header.
    private let storedMasks: [UInt32]

    private static let bitFields: UInt32 = 3
    private static let alphaBitFields: UInt32 = 6

    /// - Precondition: `bytes` holds at least `offset + length` bytes.
    init(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ length: Int) {
        self.length = length
        if length == 12 {
            width = bytes.littleEndian16(at: offset + 4)
            height = bytes.littleEndian16(at: offset + 6)
            depth = bytes.littleEndian16(at: offset + 10)
            (compression, usedColors, storedMasks, density) = (0, 0, [], nil)
        } else {
            width = Int(Int32(bitPattern: bytes.littleEndian32(at: offset + 4)))
            height = Int(Int32(bitPattern: bytes.littleEndian32(at: offset + 8)))
            depth = bytes.littleEndian16(at: offset + 14)
            compression = length >= 40 ? bytes.littleEndian32(at: offset + 16) : 0
            density = length >= 40 ? Self.density(bytes, at: offset + 24) : nil
            usedColors = length >= 40 ? bytes.littleEndian32(at: offset + 32) : 0
            storedMasks = stride(from: offset + 40, to: offset + 56, by: 4).map {
                $0 + 4 <= bytes.count ? bytes.littleEndian32(at: $0) : 0
            }
        }
    }

    /// Reads the pixels per metre in each direction.
    private static func density(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> PixelDensity? {
        let across = Int32(bitPattern: bytes.littleEndian32(at: offset))
        let down = Int32(bitPattern: bytes.littleEndian32(at: offset + 4))
        guard across > 0, down > 0 else { return nil }
        return PixelDensity(
            across: Double(across) * PixelDensity.metresAnInch, down: Double(down) * PixelDensity.metresAnInch)
    }

    /// Returns the compression.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the combination with the depth is unsupported.
    func checkedCompression() throws(TintypeError) -> BMPHeader.Compression {
        switch (compression, depth) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): return .none
        case (1, 8), (2, 4): return .runLengths
        case (Self.bitFields, 16), (Self.bitFields, 32), (Self.alphaBitFields, 16), (Self.alphaBitFields, 32):
            // In an OS/2 header the same number means facsimile compression.
            guard length != 64 else { throw .unsupportedBMP("OS/2 facsimile compression") }
            return .none
        default: throw .unsupportedBMP("\(depth) bits per pixel with compression \(compression)")
        }
    }

    /// The number of bytes of masks between the header and the palette.
    var maskByteCount: Int {
        guard length == 40 else { return 0 }
        return compression == Self.bitFields ? 12 : compression == Self.alphaBitFields ? 16 : 0
    }

    /// Returns the channel masks, or `nil` for depths without masks.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the bits of a mask are not contiguous.
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
        guard let masks else { throw .damagedBMP("its channel masks are not contiguous") }
        return masks
    }

    /// The number of palette colours that can be used. Those above 256 have no index.
    var paletteCount: Int {
        guard depth <= 8 else { return 0 }
        return usedColors == 0 || usedColors > 256 ? 1 << depth : Int(usedColors)
    }
}

extension UnsafeRawBufferPointer {
    /// Reads two bytes as a little-endian number.
    ///
    /// - Precondition: The bytes are in bounds.
    package func littleEndian16(at offset: Int) -> Int {
        Int(UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// Reads four bytes as a little-endian number.
    ///
    /// - Precondition: The bytes are in bounds.
    package func littleEndian32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
