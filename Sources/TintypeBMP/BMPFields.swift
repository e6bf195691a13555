import TintypeCore

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
