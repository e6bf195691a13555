import Foundation
import TintypeCore

/// The header of a TGA (Truevision TGA File Format Specification 2.0), its footer and the kind of its alpha.
struct TGAHeader: Equatable {
    /// What an image is made of; a raw value is its type in the file, without the bit for run lengths.
    enum Kind: UInt8 {
        case palette = 1
        case color = 2
        case grey = 3
    }

    /// The use of the bits that are no colour: the attributes type of the extension area.
    enum Alpha {
        case none
        case straight
        case premultiplied
    }

    let kind: Kind
    let hasRunLengths: Bool
    let size: PixelSize
    /// The number of bits of a pixel: 8, 15, 16, 24 or 32.
    let depth: Int
    /// The number of attribute bits of a pixel, as the header states it.
    let attributeBits: Int
    /// Whether the first row is the top row, otherwise the bottom row.
    let isTopDown: Bool
    /// Whether the first pixel of a row is on its right.
    let isMirrored: Bool
    /// The index of the first entry of the palette.
    let paletteStart: Int
    /// The number of entries of the palette that the file has.
    let paletteCount: Int
    /// The number of bits of an entry; 0 without a palette.
    let paletteDepth: Int
    /// The offset of the palette.
    let paletteOffset: Int
    var alpha = Alpha.straight

    /// The number of bytes of the header.
    static let length = 18

    /// Reads the header, unless a field has a value that no TGA has.
    ///
    /// - Parameter bytes: The first bytes of the file, from index 0.
    init?(_ bytes: some RandomAccessCollection<UInt8>) {
        let head = Array(bytes.prefix(Self.length))
        guard head.count == Self.length, head[1] <= 1, let kind = Kind(rawValue: head[2] & ~8) else {
            return nil
        }
        func word(_ offset: Int) -> Int { Int(head[offset]) | Int(head[offset + 1]) << 8 }
        self.kind = kind
        hasRunLengths = head[2] & 8 != 0
        size = PixelSize(width: word(12), height: word(14))
        depth = Int(head[16])
        attributeBits = Int(head[17] & 0x0F)
        isMirrored = head[17] & 0x10 != 0
        isTopDown = head[17] & 0x20 != 0
        let hasPalette = head[1] == 1
        // Without a palette, its fields are ignored.
        (paletteStart, paletteCount) = hasPalette ? (word(3), word(5)) : (0, 0)
        paletteDepth = hasPalette ? Int(head[7]) : 0
        paletteOffset = Self.length + Int(head[0])
        guard size.isPositive, head[17] & 0xC0 == 0, Self.depths(of: kind).contains(depth), attributeBits <= 8,
            kind != .palette || hasPalette && paletteCount > 0,
            !hasPalette || Self.depths(of: .color).contains(paletteDepth)
        else { return nil }
    }

    private static func depths(of kind: Kind) -> Set<Int> {
        switch kind {
        case .palette, .grey: [8, 16]
        case .color: [15, 16, 24, 32]
        }
    }

    /// The number of bytes of a pixel.
    var bytesPerPixel: Int { (depth + 7) / 8 }
    /// The number of bytes of an entry of the palette.
    var bytesPerEntry: Int { (paletteDepth + 7) / 8 }
    /// The offset of the first pixel.
    var pixelOffset: Int { paletteOffset + paletteCount * bytesPerEntry }

    /// The depth of what has colours: the pixels, or the entries of the palette.
    var colorDepth: Int { kind == .palette ? paletteDepth : depth }

    /// Whether pixels have alpha. 32 bits have 8 for it whatever the header states, as in ImageMagick, FFmpeg and
    /// Pillow. Of 16 bits, one is alpha if the header states it.
    var hasAlpha: Bool {
        guard alpha != .none else { return false }
        return switch (kind, colorDepth) {
        case (_, 32): true
        case (.grey, 16): true
        case (_, 16): attributeBits > 0
        default: false
        }
    }

    var info: ImageInfo { ImageInfo(format: .tga, size: size, hasAlpha: hasAlpha) }
}

// MARK: - Footer

extension TGAHeader {
    /// The number of bytes of the footer: two offsets and the signature.
    static let footerLength = 26
    private static let signature = Array("TRUEVISION-XFILE.\0".utf8)

    /// Whether the last bytes of a file are the footer of version 2.
    static func isFooter(_ end: some RandomAccessCollection<UInt8>) -> Bool {
        end.count >= footerLength && end.suffix(signature.count).elementsEqual(signature)
    }

    /// Returns the header of a whole file, with the kind of alpha that its extension area states.
    ///
    /// - Returns: `nil` for a file that is no TGA.
    static func read(_ bytes: UnsafeRawBufferPointer) -> TGAHeader? {
        guard var header = TGAHeader(bytes), isFooter(bytes.suffix(footerLength)) else { return TGAHeader(bytes) }
        let footer = bytes.count - footerLength
        let area = (0..<4).reduce(0) { $0 | Int(bytes[footer + $1]) << (8 * $1) }
        // The attributes type is the last byte of the area, whose size is its first field.
        guard area >= length, area + extensionLength <= footer,
            Int(bytes[area]) | Int(bytes[area + 1]) << 8 >= extensionLength
        else { return header }
        switch bytes[area + extensionLength - 1] {
        case 3: header.alpha = .straight
        case 4: header.alpha = .premultiplied
        // Undefined bits, which may be ignored or not. Writers that fill in nothing but the size have 0 here.
        case 1, 2: header.alpha = .none
        default: break
        }
        return header
    }

    private static let extensionLength = 495
}
