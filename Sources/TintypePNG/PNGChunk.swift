import CTintypePNG
import Foundation
import TintypeCore

/// One chunk of a PNG, by its places in the file (PNG third edition, 5.3).
struct PNGChunk {
    /// The kinds that are looked at here; the values are the four letters.
    enum Kind: UInt32 {
        case header = 0x4948_4452
        case palette = 0x504C_5445
        case transparency = 0x7452_4E53
        case imageData = 0x4944_4154
        case animationControl = 0x6163_544C
        case frameControl = 0x6663_544C
        case frameData = 0x6664_4154
        case end = 0x4945_4E44
        case colorProfile = 0x6943_4350
        case standardColors = 0x7352_4742
        case gamma = 0x6741_4D41
        case chromaticities = 0x6348_524D
        case codePoints = 0x6349_4350
        case lightLevel = 0x634C_4C49
        case density = 0x7048_5973
        case exif = 0x6558_4966
    }

    /// `nil` for any other.
    let kind: Kind?
    let data: Range<Int>
    let checksum: UInt32

    /// - Throws: ``TintypeError/Code/undecodable`` when the checksum is not that of type and data.
    func check(in bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let typed = bytes.bindMemory(to: UInt8.self)
        guard let base = typed.baseAddress,
            tintype_png_checksum(base + data.lowerBound - 4, data.count + 4) == checksum
        else { throw TintypeError(.corrupt, "a checksum is wrong") }
    }
}

/// The chunks of a whole PNG after its signature, to the end chunk.
struct PNGChunks {
    private let bytes: UnsafeRawBufferPointer
    private var place = 8

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next chunk, the end chunk last.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` when the bytes end before it does.
    mutating func next() throws(TintypeError) -> PNGChunk {
        guard bytes.count - place >= 12 else { throw TintypeError(.truncated, "") }
        let length = Int(bytes.bigEndian32(at: place))
        guard length <= bytes.count - place - 12 else { throw TintypeError(.truncated, "") }
        let data = place + 8..<place + 8 + length
        place = data.upperBound + 4
        return PNGChunk(
            kind: PNGChunk.Kind(rawValue: bytes.bigEndian32(at: data.lowerBound - 4)), data: data,
            checksum: bytes.bigEndian32(at: data.upperBound))
    }
}

extension UnsafeRawBufferPointer {
    /// - Precondition: the bytes are there.
    func bigEndian32(at place: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    /// - Precondition: the bytes are there.
    func bigEndian16(at place: Int) -> UInt16 {
        UInt16(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt16.self))
    }
}

/// A PNG in the making, chunk after chunk.
struct PNGAssembly {
    private(set) var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    mutating func add(_ kind: PNGChunk.Kind, _ body: some Collection<UInt8>) {
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
