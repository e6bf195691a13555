import Foundation
import TintypeBMP
import TintypeCore

/// The directory of an icon or cursor file.
struct ICODirectory {
    /// The images of the file, in file order.
    let entries: [ICOEntry]

    private static let headerLength = 6
    private static let entryLength = 16

    /// Reads the directory at the start of `bytes`.
    ///
    /// - Returns: `nil` if `bytes` ends within the directory.
    /// - Throws: `TintypeError.Code.undecodable` if it lists no images.
    init?(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        guard bytes.count >= Self.headerLength else { return nil }
        let count = bytes.littleEndian16(at: 4)
        guard count > 0 else { throw .damagedICO("it has no images") }
        guard bytes.count >= Self.headerLength + count * Self.entryLength else { return nil }
        let entries = (0..<count).map { ICOEntry(bytes, at: Self.headerLength + $0 * Self.entryLength) }
        let starts = Set(entries.map(\.range.lowerBound)).sorted()
        let ends = Dictionary(uniqueKeysWithValues: zip(starts, starts.dropFirst()))
        self.entries = entries.map { entry in
            var entry = entry
            entry.end = ends[entry.range.lowerBound]
            return entry
        }
    }

    /// The image with the most pixels; among equals, the one with the most bits per pixel.
    var largest: ICOEntry? { entries.max { ($0.size.area, $0.depth) < ($1.size.area, $1.depth) } }

    /// Returns the smallest image that covers `wanted` in both directions, or the largest if none does.
    func bestMatch(for wanted: PixelSize) -> ICOEntry? {
        let enough = entries.filter { $0.size.width >= wanted.width && $0.size.height >= wanted.height }
        return enough.min { ($0.size.area, -$0.depth) < ($1.size.area, -$1.depth) } ?? largest
    }

    /// The largest images, at most 16: each try may cost a decode.
    var largestCandidates: [ICOEntry] {
        Array(entries.sorted { ($0.size.area, $0.depth) > ($1.size.area, $1.depth) }.prefix(16))
    }
}

/// The directory entry of one image.
struct ICOEntry {
    /// The size in pixels, at most 256 × 256.
    let size: PixelSize
    /// The number of bits per pixel; 0 in a cursor.
    let depth: Int
    /// The byte range of the image in the file, which may lie beyond its end.
    let range: Range<Int>
    /// The beginning of the next image in the file, or `nil`.
    fileprivate(set) var end: Int?

    /// The bytes up to the next image, or to the end of the file. Some programs state too few, which Pillow and libvips
    /// ignore.
    var room: Range<Int> { range.lowerBound..<max(range.upperBound, end ?? .max) }

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        // One byte cannot hold 256, which is stored as 0.
        func side(_ stored: UInt8) -> Int { stored == 0 ? 256 : Int(stored) }
        size = PixelSize(width: side(bytes[offset]), height: side(bytes[offset + 1]))
        // A cursor stores its hot spot in this field.
        depth = bytes[2] == 1 ? bytes.littleEndian16(at: offset + 6) : 0
        let start = Int(bytes.littleEndian32(at: offset + 12))
        range = start..<start + Int(bytes.littleEndian32(at: offset + 8))
    }
}
