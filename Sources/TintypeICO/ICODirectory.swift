import Foundation
import TintypeBMP
import TintypeCore

/// The pictures that an icon or cursor has, none of them decoded.
struct ICODirectory {
    let entries: [ICOEntry]

    private static let headerLength = 6
    private static let entryLength = 16

    /// - Returns: `nil` when the bytes end within the directory.
    /// - Throws: ``TintypeError/Code/undecodable`` for one without a picture.
    init?(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        guard bytes.count >= Self.headerLength else { return nil }
        let count = bytes.littleEndian16(at: 4)
        guard count > 0 else { throw .damagedICO("it has no picture") }
        guard bytes.count >= Self.headerLength + count * Self.entryLength else { return nil }
        entries = (0..<count).map { ICOEntry(bytes, at: Self.headerLength + $0 * Self.entryLength) }
    }

    /// The one of most pixels, and of most bits a pixel among equals.
    var largest: ICOEntry? { entries.max { ($0.size.area, $0.depth) < ($1.size.area, $1.depth) } }

    /// The smallest that still has as many pixels as are wanted; the largest where none has.
    func best(for wanted: PixelSize) -> ICOEntry? {
        let enough = entries.filter { $0.size.width >= wanted.width && $0.size.height >= wanted.height }
        return enough.min { ($0.size.area, -$0.depth) < ($1.size.area, -$1.depth) } ?? largest
    }

    /// The largest ones: as many as are worth trying, since each may cost a decode.
    var largestFew: [ICOEntry] {
        Array(entries.sorted { ($0.size.area, $0.depth) > ($1.size.area, $1.depth) }.prefix(16))
    }
}

/// One picture of an icon, as its directory describes it.
struct ICOEntry {
    let size: PixelSize
    let depth: Int
    let place: Range<Int>

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        // One byte has no room for 256, which is stored as 0.
        func side(_ stored: UInt8) -> Int { stored == 0 ? 256 : Int(stored) }
        size = PixelSize(width: side(bytes[offset]), height: side(bytes[offset + 1]))
        // A cursor has a place of its tip here.
        depth = bytes[2] == 1 ? bytes.littleEndian16(at: offset + 6) : 0
        let start = Int(bytes.littleEndian32(at: offset + 12))
        place = start..<start + Int(bytes.littleEndian32(at: offset + 8))
    }
}
