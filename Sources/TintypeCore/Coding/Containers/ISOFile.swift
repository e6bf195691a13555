/// Reads the boxes of an ISO base media file and the numbers in them, with bounds checks.
package struct ISOFile {
    /// The whole file, or the part that has arrived. It must outlive this value.
    package let bytes: UnsafeRawBufferPointer

    /// Creates a reader over bytes that must outlive it.
    package init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the consecutive boxes in a part of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if a box ends beyond the part, or if there are more than
    ///   ``maxBoxes``.
    package func boxes(in part: Range<Int>) throws(TintypeError) -> [ISOBox] {
        var boxes: [ISOBox] = []
        _ = try first(in: part) { box in
            boxes.append(box)
            return false
        }
        return boxes
    }

    /// Returns the first box that matches. Boxes after it are not read, so the file may be truncated there.
    private func first(in part: Range<Int>, _ isWanted: (ISOBox) -> Bool) throws(TintypeError) -> ISOBox? {
        var (offset, count) = (part.lowerBound, 0)
        while offset + 8 <= part.upperBound {
            let (header, size) = try extent(at: offset, in: part)
            guard size >= header, size <= part.upperBound - offset, count < Self.maxBoxes else { throw .damagedBoxes }
            let kind = bytes[offset + 4..<offset + 8]
            let box = ISOBox(kind: String(decoding: kind, as: UTF8.self), body: offset + header..<offset + size)
            if isWanted(box) { return box }
            (offset, count) = (offset + size, count + 1)
        }
        return nil
    }

    /// Returns the consecutive boxes before the first damaged or truncated one.
    package func intactBoxes(in part: Range<Int>) -> [ISOBox] {
        var boxes: [ISOBox] = []
        _ = try? first(in: part) { box in
            boxes.append(box)
            return false
        }
        return boxes
    }

    /// The maximum number of consecutive boxes, more than any encoder writes.
    package static let maxBoxes = 10_000

    /// Returns the number of bytes of a box's header and of the whole box.
    private func extent(at offset: Int, in part: Range<Int>) throws(TintypeError) -> (header: Int, size: Int) {
        let size = try number(at: offset, in: part)
        switch size {
        case 0: return (8, part.upperBound - offset)
        case 1:
            let (high, low) = (try number(at: offset + 8, in: part), try number(at: offset + 12, in: part))
            guard high < 1 << 30 else { throw .damagedBoxes }
            return (16, high << 32 | low)
        default: return (8, size)
        }
    }

    /// Returns the first box of a kind in a part of the file; `nil` if there is none.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if a box before it ends beyond the part.
    package func box(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox? {
        try first(in: part) { $0.kind == kind }
    }

    /// Returns the first box of a kind in a part of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if there is none.
    package func requiredBox(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox {
        guard let box = try box(kind, in: part) else { throw .damagedBoxes }
        return box
    }

    /// Returns a big-endian unsigned integer.
    ///
    /// - Parameters:
    ///   - offset: Where it begins in the file.
    ///   - size: Its number of bytes, at most 7.
    ///   - part: The range that must contain it.
    /// - Throws: ``TintypeError/Code/undecodable`` if it is not entirely inside the part.
    package func number(at offset: Int, size: Int = 4, in part: Range<Int>) throws(TintypeError) -> Int {
        guard offset >= part.lowerBound, offset <= part.upperBound - size else { throw .damagedBoxes }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// A box of an ISO base media file (ISO/IEC 14496-12, 4.2), as ranges of offsets in the file.
package struct ISOBox {
    /// The four-character code of its type.
    package let kind: String
    /// The range of its contents, after the header.
    package let body: Range<Int>

    /// The contents of a full box, after its version and flags (4.2.2).
    package var fullBody: Range<Int> { min(body.lowerBound + 4, body.upperBound)..<body.upperBound }
}

// MARK: - Items

/// The items of a file and their bytes (ISO/IEC 14496-12, 8.11.3 and 8.11.6).
package struct ISOItems {
    package struct Item {
        package let identifier: Int
        /// The item type, four letters.
        package let kind: String
        /// The byte ranges that form the item when joined. All lie inside the file.
        package let extents: [Range<Int>]
    }

    /// The items that have bytes.
    package let all: [Item]
    /// The type of each item, by its number.
    package let kinds: [Int: String]

    /// - Parameter meta: The body of the `meta` box, after its version.
    /// - Throws: ``TintypeError/Code/undecodable`` for invalid boxes.
    package init(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) {
        let kinds = try Self.kinds(file, meta)
        self.kinds = kinds
        // libheif lets extents reach beyond the box by the length of its header.
        let data = try file.box("idat", in: meta).map { box in
            box.body.lowerBound..<min(box.body.upperBound + 8, file.bytes.count)
        }
        var locations = ISOItemLocations(file, try file.requiredBox("iloc", in: meta).body, data: data)
        all = try locations.read().compactMap { identifier, extents in
            kinds[identifier].map { Item(identifier: identifier, kind: $0, extents: extents) }
        }
    }

    /// Reads the type of each item (`iinf`).
    package static func kinds(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) -> [Int: String] {
        try entries(file, meta).mapValues(\.kind)
    }

    /// The entry of an item (`infe`).
    package struct Entry {
        /// The item type, four letters.
        package let kind: String
        /// The bytes of the entry, from its version on.
        package let body: Range<Int>
    }

    /// Returns the entry of each item, by its number.
    package static func entries(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) -> [Int: Entry] {
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

/// Parses the item location box (`iloc`: ISO/IEC 14496-12, 8.11.3), field by field.
package struct ISOItemLocations {
    private let file: ISOFile
    private let body: Range<Int>
    /// The bytes of the item data box (`idat`), if the file has one.
    private let data: Range<Int>?
    private var position: Int
    /// Extents that may still follow. Extents whose fields have no bytes take no room in the file, whatever their
    /// number.
    private var extentsLeft = 100_000
    /// The positions of the offsets that count from the start of the file.
    package private(set) var fileOffsets: [Range<Int>] = []

    package init(_ file: ISOFile, _ body: Range<Int>, data: Range<Int>?) {
        (self.file, self.body, self.data) = (file, body, data)
        position = body.lowerBound
    }

    /// Returns the number of each item and its extents, cut to the bytes of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if the box is truncated or ambiguous, or has more than 100,000
    ///   extents.
    package mutating func read() throws(TintypeError) -> [(identifier: Int, extents: [Range<Int>])] {
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
            // A length of 0 means everything to some readers and nothing to others, which differ if more extents
            // follow.
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

extension TintypeError {
    static let damagedBoxes = TintypeError(
        .undecodable, stage: .decode, "the boxes of the file are damaged or truncated")

    /// The file has many times more boxes, units or extents than any writer makes, or some that readers interpret
    /// differently.
    package static let suspectStructure = TintypeError(
        .undecodable, stage: .decode, "the file has too many boxes, units or extents, or ambiguous ones")
}
