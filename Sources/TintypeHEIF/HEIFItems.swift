import TintypeCore

/// The items that one box of a file tells of, and where the bytes of each lie (ISO/IEC 14496-12, 8.11.3 and 8.11.6).
struct HEIFItems {
    struct Item {
        /// Its four letters.
        let kind: String
        /// One after the other, they are what it is made of; none is outside of the file.
        let pieces: [Range<Int>]
    }

    /// Those that have bytes.
    let all: [Item]
    /// The four letters of each.
    let kinds: [Int: String]

    /// - Parameter meta: the box, after its version.
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    init(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) {
        let kinds = try Self.kinds(file, meta)
        self.kinds = kinds
        // libheif lets pieces reach as far beyond the box as its head is long.
        let data = try file.box("idat", in: meta).map { box in
            box.body.lowerBound..<min(box.body.upperBound + 8, file.bytes.count)
        }
        var locations = HEIFItemLocations(file, try file.needed("iloc", in: meta).body, data)
        all = try locations.read().compactMap { identifier, pieces in
            kinds[identifier].map { Item(kind: $0, pieces: pieces) }
        }
    }

    /// The four letters of each item.
    static func kinds(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) -> [Int: String] {
        let body = try file.needed("iinf", in: meta).body
        let isShort = try file.number(at: body.lowerBound, size: 1, in: body) == 0
        let start = min(body.lowerBound + (isShort ? 6 : 8), body.upperBound)
        var kinds: [Int: String] = [:]
        for entry in try file.boxes(in: start..<body.upperBound) where entry.kind == "infe" {
            let version = try file.number(at: entry.body.lowerBound, size: 1, in: entry.body)
            guard version >= 2 else { continue }
            let size = version == 2 ? 2 : 4
            let identifier = try file.number(at: entry.body.lowerBound + 4, size: size, in: entry.body)
            let letters = entry.body.lowerBound + 4 + size + 2
            _ = try file.number(at: letters, in: entry.body)
            // Which of two holds is not the same to all who read them.
            guard kinds[identifier] == nil else { throw .hiddenPictures }
            kinds[identifier] = String(decoding: file.bytes[letters..<letters + 4], as: UTF8.self)
        }
        return kinds
    }
}

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
