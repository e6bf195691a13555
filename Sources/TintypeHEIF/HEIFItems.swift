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
