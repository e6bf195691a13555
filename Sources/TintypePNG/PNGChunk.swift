import CTintypePNG
import Foundation
import TintypeCore

/// A chunk of a PNG, by its position in the file (PNG third edition, 5.3).
struct PNGChunk {
    /// The known kinds of chunks. Raw values are the four letters of their names.
    enum Kind: UInt32 {
        /// IHDR.
        case header = 0x4948_4452
        /// PLTE.
        case palette = 0x504C_5445
        /// tRNS.
        case transparency = 0x7452_4E53
        /// IDAT.
        case imageData = 0x4944_4154
        /// acTL.
        case animationControl = 0x6163_544C
        /// fcTL.
        case frameControl = 0x6663_544C
        /// fdAT.
        case frameData = 0x6664_4154
        /// IEND.
        case end = 0x4945_4E44
        /// iCCP.
        case colorProfile = 0x6943_4350
        /// sRGB.
        case standardColors = 0x7352_4742
        /// gAMA.
        case gamma = 0x6741_4D41
        /// cHRM.
        case chromaticities = 0x6348_524D
        /// cICP.
        case codePoints = 0x6349_4350
        /// cLLI.
        case lightLevel = 0x634C_4C49
        /// pHYs.
        case density = 0x7048_5973
        /// eXIf.
        case exif = 0x6558_4966
        /// iTXt.
        case internationalText = 0x6954_5874
    }

    /// The kind, or `nil` if it is unknown.
    let kind: Kind?
    /// The byte range of the data in the file.
    let data: Range<Int>
    /// The stored CRC-32 of the type and the data.
    let checksum: UInt32

    /// - Throws: `TintypeError.Code.undecodable` if the checksum does not match the type and the data.
    func check(in bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let typed = bytes.bindMemory(to: UInt8.self)
        guard let base = typed.baseAddress,
            tintype_png_checksum(base + data.lowerBound - 4, data.count + 4) == checksum
        else { throw TintypeError(.corrupt, "a checksum is wrong") }
    }
}

/// The chunks of a PNG after its signature.
struct PNGChunks {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 8

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the next chunk; the end chunk comes last.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the bytes end within the chunk.
    mutating func next() throws(TintypeError) -> PNGChunk {
        guard bytes.count - offset >= 12 else { throw TintypeError(.truncated, "") }
        let length = Int(bytes.bigEndian32(at: offset))
        guard length <= bytes.count - offset - 12 else { throw TintypeError(.truncated, "") }
        let data = offset + 8..<offset + 8 + length
        offset = data.upperBound + 4
        return PNGChunk(
            kind: PNGChunk.Kind(rawValue: bytes.bigEndian32(at: data.lowerBound - 4)), data: data,
            checksum: bytes.bigEndian32(at: data.upperBound))
    }
}

extension UnsafeRawBufferPointer {
    /// Reads four bytes as a big-endian number.
    ///
    /// - Precondition: The bytes are in bounds.
    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Reads two bytes as a big-endian number.
    ///
    /// - Precondition: The bytes are in bounds.
    func bigEndian16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
}

/// Writes a PNG chunk by chunk.
struct PNGChunkWriter {
    /// The signature, and the chunks so far.
    private(set) var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    /// Appends a chunk with its length and checksum.
    mutating func append(_ kind: PNGChunk.Kind, _ body: some Collection<UInt8>) {
        append(UInt32(body.count))
        let start = data.count
        append(kind.rawValue)
        data.append(contentsOf: body)
        let checksum = data.withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_png_checksum($0 + start, bytes.count - start)
            }
        }
        append(checksum ?? 0)
    }

    private mutating func append(_ number: UInt32) {
        withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
    }
}
