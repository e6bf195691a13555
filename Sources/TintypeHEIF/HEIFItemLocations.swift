import TintypeCore

/// Reads the box that says where items lie (ISO/IEC 14496-12, 8.11.3), number after number.
struct HEIFItemLocations {
    private let file: ISOFile
    private let body: Range<Int>
    /// The bytes that lie in the same box as this, where there are such.
    private let data: Range<Int>?
    private var place: Int
    /// Pieces that may still come. Those whose numbers have no bytes take none in the file, however many they are.
    private var piecesLeft = 100_000

    init(_ file: ISOFile, _ body: Range<Int>, _ data: Range<Int>?) {
        (self.file, self.body, self.data) = (file, body, data)
        place = body.lowerBound
    }

    /// The number of each item and its pieces, as far as these are in the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` where it ends too early, and for more pieces than any writer makes.
    mutating func read() throws(TintypeError) -> [(identifier: Int, pieces: [Range<Int>])] {
        let version = try next(1)
        _ = try next(3)
        let (lengths, others) = (try next(1), try next(1))
        let sizes = Sizes(
            offset: lengths >> 4, length: lengths & 15, base: others >> 4, index: version > 0 ? others & 15 : 0)
        guard sizes.areCertain(in: version) else { throw .hiddenPictures }
        var items: [(identifier: Int, pieces: [Range<Int>])] = []
        for _ in 0..<(try next(version < 2 ? 2 : 4)) {
            let identifier = try next(version < 2 ? 2 : 4)
            let isInBox = version > 0 ? try next(2) & 15 == 1 : false
            _ = try next(2)
            let part = isInBox ? data : 0..<file.bytes.count
            items.append((identifier, try pieces(sizes, in: part ?? 0..<0)))
        }
        return items
    }

    /// Bytes of the numbers.
    private struct Sizes {
        let offset: Int
        let length: Int
        let base: Int
        let index: Int

        /// Whether all who read them take as many bytes: libheif takes none of numbers that the standard does not know.
        func areCertain(in version: Int) -> Bool {
            [offset, length, base, index].allSatisfy { [0, 4, 8].contains($0) } && (index == 0 || version > 1)
        }
    }

    private mutating func pieces(_ sizes: Sizes, in part: Range<Int>) throws(TintypeError) -> [Range<Int>] {
        let base = try next(sizes.base)
        var pieces: [Range<Int>] = []
        let count = try next(2)
        piecesLeft -= count
        guard piecesLeft >= 0 else { throw .hiddenPictures }
        for _ in 0..<count {
            _ = try next(sizes.index)
            let (offset, length) = (try next(sizes.offset), try next(sizes.length))
            guard base < part.count, offset < part.count - base else { continue }
            // A length of 0 is all that there is, or nothing: not to be told apart in the middle.
            guard length > 0 || count == 1 else { throw .hiddenPictures }
            let start = part.lowerBound + base + offset
            let end = length == 0 || length > part.upperBound - start ? part.upperBound : start + length
            pieces.append(start..<end)
        }
        return pieces
    }

    /// A number of so many bytes; one of eight that no file can reach is as good as the largest.
    private mutating func next(_ size: Int) throws(TintypeError) -> Int {
        guard size > 0 else { return 0 }
        defer { place += size }
        guard size <= 4 else {
            let high = try file.number(at: place, size: size - 4, in: body)
            let low = try file.number(at: place + size - 4, in: body)
            return high < 1 << 16 ? high << 32 | low : Int(Int32.max) << 16
        }
        return try file.number(at: place, size: size, in: body)
    }
}
