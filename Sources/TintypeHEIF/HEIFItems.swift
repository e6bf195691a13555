import TintypeCore

/// The items of a file and their bytes (ISO/IEC 14496-12, 8.11.3 and 8.11.6).
struct HEIFItems {
    struct Item {
        let identifier: Int
        /// The item type, four letters.
        let kind: String
        /// The byte ranges that form the item when joined. All lie inside the file.
        let extents: [Range<Int>]
    }

    /// The items that have bytes.
    let all: [Item]
    /// The type of each item, by its number.
    let kinds: [Int: String]

    /// - Parameter meta: The body of the `meta` box, after its version.
    /// - Throws: ``TintypeError/Code/undecodable`` for invalid boxes.
    init(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) {
        let kinds = try Self.kinds(file, meta)
        self.kinds = kinds
        // libheif lets extents reach beyond the box by the length of its header.
        let data = try file.box("idat", in: meta).map { box in
            box.body.lowerBound..<min(box.body.upperBound + 8, file.bytes.count)
        }
        var locations = HEIFItemLocations(file, try file.requiredBox("iloc", in: meta).body, data: data)
        all = try locations.read().compactMap { identifier, extents in
            kinds[identifier].map { Item(identifier: identifier, kind: $0, extents: extents) }
        }
    }

    /// Reads the type of each item (`iinf`).
    static func kinds(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) -> [Int: String] {
        try entries(file, meta).mapValues(\.kind)
    }

    /// The entry of an item (`infe`).
    struct Entry {
        /// The item type, four letters.
        let kind: String
        /// The bytes of the entry, from its version on.
        let body: Range<Int>
    }

    /// Returns the entry of each item, by its number.
    static func entries(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) -> [Int: Entry] {
        let body = try file.requiredBox("iinf", in: meta).body
        let isShort = try file.number(at: body.lowerBound, size: 1, in: body) == 0
        let start = min(body.lowerBound + (isShort ? 6 : 8), body.upperBound)
        var entries: [Int: Entry] = [:]
        for entry in try file.boxes(in: start..<body.upperBound) where entry.kind == "infe" {
            let version = try file.number(at: entry.body.lowerBound, size: 1, in: entry.body)
            guard version >= 2 else { continue }
            let size = version == 2 ? 2 : 4
            let identifier = try file.number(at: entry.body.lowerBound + 4, size: size, in: entry.body)
            let letters = entry.body.lowerBound + 4 + size + 2
            _ = try file.number(at: letters, in: entry.body)
            // Readers disagree about which of two entries counts.
            guard entries[identifier] == nil else { throw .suspectStructure }
            let kind = String(decoding: file.bytes[letters..<letters + 4], as: UTF8.self)
            entries[identifier] = Entry(kind: kind, body: entry.body)
        }
        return entries
    }
}

extension HEIFItems {
    /// The offset of the size of the canvas in the data of an item (ISO/IEC 23008-12, 6.6.2).
    private static let canvasOffsets = ["grid": 4, "iovl": 10]

    /// Returns the number of pixels of the canvas on which each derived image is composed, by the number of the item.
    ///
    /// libheif allocates a canvas for this size, whatever size the file declares for the item.
    func canvasPixels(_ file: ISOFile) -> [Int: Int] {
        var pixels: [Int: Int] = [:]
        for item in all {
            guard let offset = Self.canvasOffsets[item.kind] else { continue }
            var data: [UInt8] = []
            for extent in item.extents where data.count < offset + 8 { data += file.bytes[extent].prefix(offset + 8) }
            guard data.count >= offset + 4 else { continue }
            // A flag tells whether the numbers have 16 or 32 bits.
            let size = data[1] & 1 == 1 ? 4 : 2
            let sides = data.dropFirst(offset).prefix(2 * size)
            guard sides.count == 2 * size else { continue }
            let width = sides.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            let height = sides.suffix(size).reduce(0) { $0 << 8 | Int($1) }
            pixels[item.identifier] = max(
                pixels[item.identifier] ?? 0, PixelSize(width: width, height: height).area)
        }
        return pixels
    }
}

/// Parses the item location box (`iloc`: ISO/IEC 14496-12, 8.11.3), field by field.
struct HEIFItemLocations {
    private let file: ISOFile
    private let body: Range<Int>
    /// The bytes of the item data box (`idat`), if the file has one.
    private let data: Range<Int>?
    private var position: Int
    /// Extents that may still follow. Extents whose fields have no bytes take no room in the file, whatever their number.
    private var extentsLeft = 100_000
    /// The places of the offsets that count from the start of the file.
    private(set) var fileOffsets: [Range<Int>] = []

    init(_ file: ISOFile, _ body: Range<Int>, data: Range<Int>?) {
        (self.file, self.body, self.data) = (file, body, data)
        position = body.lowerBound
    }

    /// Returns the number of each item and its extents, cut to the bytes of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if the box is truncated or ambiguous, or has more than 100,000 extents.
    mutating func read() throws(TintypeError) -> [(identifier: Int, extents: [Range<Int>])] {
        let version = try readNumber(1)
        _ = try readNumber(3)
        let (lengths, others) = (try readNumber(1), try readNumber(1))
        let sizes = FieldSizes(
            offset: lengths >> 4, length: lengths & 15, base: others >> 4, index: version > 0 ? others & 15 : 0)
        guard sizes.areUnambiguous(version: version) else { throw .suspectStructure }
        var items: [(identifier: Int, extents: [Range<Int>])] = []
        for _ in 0..<(try readNumber(version < 2 ? 2 : 4)) {
            let identifier = try readNumber(version < 2 ? 2 : 4)
            let isInItemData = version > 0 ? try readNumber(2) & 15 == 1 : false
            _ = try readNumber(2)
            let part = isInItemData ? data : 0..<file.bytes.count
            items.append((identifier, try readExtents(sizes, in: part ?? 0..<0, isInFile: !isInItemData)))
        }
        return items
    }

    /// The sizes of the fields in bytes.
    private struct FieldSizes {
        let offset: Int
        let length: Int
        let base: Int
        let index: Int

        /// Whether all readers agree on the layout: libheif reads no bytes for sizes that the standard does not define.
        func areUnambiguous(version: Int) -> Bool {
            [offset, length, base, index].allSatisfy { [0, 4, 8].contains($0) } && (index == 0 || version > 1)
        }
    }

    private mutating func readExtents(
        _ sizes: FieldSizes, in part: Range<Int>, isInFile: Bool
    ) throws(TintypeError) -> [Range<Int>] {
        let base = try readNumber(sizes.base)
        var extents: [Range<Int>] = []
        let count = try readNumber(2)
        extentsLeft -= count
        guard extentsLeft >= 0 else { throw .suspectStructure }
        for _ in 0..<count {
            _ = try readNumber(sizes.index)
            if isInFile { fileOffsets.append(position..<position + sizes.offset) }
            let (offset, length) = (try readNumber(sizes.offset), try readNumber(sizes.length))
            guard base < part.count, offset < part.count - base else { continue }
            // A length of 0 means everything to some readers and nothing to others, which differ if more extents follow.
            guard length > 0 || count == 1 else { throw .suspectStructure }
            let start = part.lowerBound + base + offset
            let end = length == 0 || length > part.upperBound - start ? part.upperBound : start + length
            extents.append(start..<end)
        }
        return extents
    }

    /// Returns the next number of `size` bytes, 0 if `size` is 0. Eight-byte numbers beyond any file are clamped.
    private mutating func readNumber(_ size: Int) throws(TintypeError) -> Int {
        guard size > 0 else { return 0 }
        defer { position += size }
        guard size <= 4 else {
            let high = try file.number(at: position, size: size - 4, in: body)
            let low = try file.number(at: position + size - 4, in: body)
            return high < 1 << 16 ? high << 32 | low : Int(Int32.max) << 16
        }
        return try file.number(at: position, size: size, in: body)
    }
}
