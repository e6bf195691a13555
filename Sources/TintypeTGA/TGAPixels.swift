import Foundation
import TintypeCore

/// The pixels of a TGA in the order of the file, each with its bytes as stored.
struct TGAPixels {
    private let header: TGAHeader
    /// The stored pixels without run lengths. Missing pixels are not there.
    private let stored: UnsafeRawBufferPointer
    /// The number of whole pixels that are there.
    let count: Int

    /// Calls `body` with the pixels of a file.
    ///
    /// - Throws: The errors of `body`.
    static func with<Value>(
        _ header: TGAHeader, _ bytes: UnsafeRawBufferPointer, _ body: (TGAPixels) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        let data = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(header.pixelOffset))
        guard header.hasRunLengths else { return try body(TGAPixels(header, data)) }
        let expanded = expand(header, data)
        return try expanded.withUnsafeBytes { raw in
            Result { () throws(TintypeError) in try body(TGAPixels(header, raw)) }
        }.get()
    }

    private init(_ header: TGAHeader, _ stored: UnsafeRawBufferPointer) {
        (self.header, self.stored) = (header, stored)
        count = min(stored.count / header.bytesPerPixel, header.size.area)
    }

    /// Expands run lengths, up to the last whole pixel. A packet may continue in the next row, as old writers have it.
    private static func expand(_ header: TGAHeader, _ data: UnsafeRawBufferPointer) -> [UInt8] {
        let (pixel, wanted) = (header.bytesPerPixel, header.size.area * header.bytesPerPixel)
        var (expanded, offset) = ([UInt8](), 0)
        // A packet of one pixel and a byte makes at most 128 pixels.
        expanded.reserveCapacity(min(wanted, data.count * 128))
        while expanded.count < wanted, offset < data.count {
            let (isRun, count) = (data[offset] & 0x80 != 0, Int(data[offset] & 0x7F) + 1)
            offset += 1
            let length = isRun ? pixel : min(count, (data.count - offset) / pixel) * pixel
            guard length > 0, data.count - offset >= length else { break }
            let bytes = data[offset..<offset + length]
            for _ in 0..<(isRun ? count : 1) { expanded.append(contentsOf: bytes) }
            offset += length
        }
        return expanded
    }

    /// The number of whole rows that are there.
    var rowCount: Int { count / header.size.width }

    /// Calls `body` with each pixel of a row of the image, which must be there: its column and the offset of its bytes.
    func forEach(inStoredRow row: Int, _ body: (Int, Int) throws(TintypeError) -> Void) throws(TintypeError) {
        let (width, pixel) = (header.size.width, header.bytesPerPixel)
        for index in 0..<width {
            try body(header.isMirrored ? width - 1 - index : index, (row * width + index) * pixel)
        }
    }

    /// The stored value of a pixel or of a palette's entry.
    func value(at offset: Int) -> UInt32 { Self.value(in: stored, at: offset, header.bytesPerPixel) }

    static func value(in bytes: UnsafeRawBufferPointer, at offset: Int, _ length: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<length { value |= UInt32(bytes[offset + index]) << UInt32(8 * index) }
        return value
    }
}

/// Converts stored values to straight or premultiplied 8-bit RGBA.
struct TGAColors {
    private let header: TGAHeader
    /// The colours of the palette.
    private let palette: [SIMD4<UInt8>]

    /// - Throws: `TintypeError.Code.undecodable` if the file ends within the palette.
    init(_ header: TGAHeader, _ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        self.header = header
        guard bytes.count >= header.pixelOffset else {
            throw TintypeError(.undecodable, stage: .decode, "the TGA is truncated")
        }
        guard header.kind == .palette else {
            palette = []
            return
        }
        palette = (0..<header.paletteCount).map { index in
            let offset = header.paletteOffset + index * header.bytesPerEntry
            return Self.color(
                TGAPixels.value(in: bytes, at: offset, header.bytesPerEntry), header.paletteDepth, header.hasAlpha)
        }
    }

    /// Returns the colour of a stored pixel.
    ///
    /// - Throws: `TintypeError.Code.undecodable` for an index outside the palette.
    func color(_ value: UInt32) throws(TintypeError) -> SIMD4<UInt8> {
        switch header.kind {
        case .grey:
            let grey = UInt8(truncatingIfNeeded: value)
            let alpha = header.depth == 16 && header.hasAlpha ? UInt8(truncatingIfNeeded: value >> 8) : 255
            return SIMD4(grey, grey, grey, alpha)
        case .color: return Self.color(value, header.depth, header.hasAlpha)
        case .palette:
            let index = Int(value) - header.paletteStart
            guard palette.indices.contains(index) else {
                throw TintypeError(
                    .undecodable, stage: .decode, "the TGA is damaged: a pixel has a colour outside the palette")
            }
            return palette[index]
        }
    }

    /// Returns the colour of a little-endian value of 15, 16, 24 or 32 bits.
    private static func color(_ value: UInt32, _ depth: Int, _ hasAlpha: Bool) -> SIMD4<UInt8> {
        guard depth > 16 else {
            func channel(_ shift: UInt32) -> UInt8 { UInt8((value >> shift & 0x1F) * 255 / 31) }
            return SIMD4(channel(10), channel(5), channel(0), !hasAlpha || value & 0x8000 != 0 ? 255 : 0)
        }
        return SIMD4(
            UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8),
            UInt8(truncatingIfNeeded: value), hasAlpha ? UInt8(truncatingIfNeeded: value >> 24) : 255)
    }
}
