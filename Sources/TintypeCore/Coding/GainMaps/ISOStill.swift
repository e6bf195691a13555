import Foundation

/// The items of a still image that an encoder has written: a file with one `meta` box.
struct ISOStill {
    struct Item {
        let identifier: Int
        let kind: String
        /// The entry after the number of the item and its protection: type, name and more.
        let entry: Data
        let isHidden: Bool
        let data: Data
        /// Indices into ``ISOStill/properties``, and whether each is essential.
        let properties: [(index: Int, isEssential: Bool)]
    }

    let primary: Int
    /// The items, in the order of their numbers.
    let items: [Item]
    /// The properties, each with its box.
    let properties: [Data]
    let references: [ISOItemReference]
    /// The file type, which also names the brand of tone-mapped images.
    let type: Data
    /// The handler, with its box.
    let handler: Data

    /// - Throws: ``TintypeError/Code/undecodable`` for invalid boxes, and for numbers that need more than 16 bits.
    init(_ file: Data) throws(TintypeError) {
        self = try file.withTypedBytes { raw throws(TintypeError) in try ISOStill(ISOFile(bytes: raw)) }
    }

    private init(_ file: ISOFile) throws(TintypeError) {
        let all = 0..<file.bytes.count
        let brands = try file.requiredBox("ftyp", in: all).body
        type = Data.isoBox("ftyp", Data(file.bytes[brands]) + Data("tmap".utf8))
        let meta = try file.requiredBox("meta", in: all).fullBody
        handler = Data.isoBox("hdlr", Data(file.bytes[try file.requiredBox("hdlr", in: meta).body]))
        let pointer = try file.requiredBox("pitm", in: meta).body
        primary = try file.number(at: pointer.lowerBound + 4, size: 2, in: pointer)
        guard file.bytes[pointer.lowerBound] == 0 else { throw .suspectStructure }
        let boxes = try file.requiredBox("iprp", in: meta).body
        properties = try file.boxes(in: file.requiredBox("ipco", in: boxes).body).map {
            Data.isoBox($0.kind, Data(file.bytes[$0.body]))
        }
        references = try Self.references(file, meta)
        items = try Self.items(file, meta, Self.associations(file, boxes))
    }

    private static func items(
        _ file: ISOFile, _ meta: Range<Int>, _ associations: [Int: [(index: Int, isEssential: Bool)]]
    ) throws(TintypeError) -> [Item] {
        let extents = Dictionary(
            try ISOItems(file, meta).all.map { ($0.identifier, $0.extents) }, uniquingKeysWith: { first, _ in first })
        var items: [Item] = []
        for (identifier, entry) in try ISOItems.entries(file, meta).sorted(by: { $0.key < $1.key }) {
            let start = entry.body.lowerBound
            guard file.bytes[start] == 2, identifier < 0x4000 else { throw .suspectStructure }
            items.append(
                Item(
                    identifier: identifier, kind: entry.kind,
                    entry: Data(file.bytes[start + 8..<entry.body.upperBound]),
                    isHidden: file.bytes[start + 3] & 1 == 1,
                    data: (extents[identifier] ?? []).reduce(into: Data()) { $0.append(contentsOf: file.bytes[$1]) },
                    properties: associations[identifier] ?? []))
        }
        return items
    }

    private static func associations(
        _ file: ISOFile, _ boxes: Range<Int>
    ) throws(TintypeError) -> [Int: [(index: Int, isEssential: Bool)]] {
        let body = try file.requiredBox("ipma", in: boxes).body
        let isLong = try file.number(at: body.lowerBound + 3, size: 1, in: body) & 1 == 1
        guard file.bytes[body.lowerBound] == 0 else { throw .suspectStructure }
        var (all, offset) = ([Int: [(index: Int, isEssential: Bool)]](), body.lowerBound + 8)
        for _ in 0..<(try file.number(at: body.lowerBound + 4, in: body)) {
            let item = try file.number(at: offset, size: 2, in: body)
            let count = try file.number(at: offset + 2, size: 1, in: body)
            offset += 3
            for _ in 0..<count {
                let stored = try file.number(at: offset, size: isLong ? 2 : 1, in: body)
                offset += isLong ? 2 : 1
                let flag = isLong ? 0x8000 : 0x80
                all[item, default: []].append((stored & (flag - 1) - 1, stored & flag != 0))
            }
        }
        return all
    }

    private static func references(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) -> [ISOItemReference] {
        guard let box = try file.box("iref", in: meta) else { return [] }
        let size = file.bytes[box.body.lowerBound] == 0 ? 2 : 4
        return try file.boxes(in: box.fullBody).map { reference throws(TintypeError) in
            let start = reference.body.lowerBound
            let count = try file.number(at: start + size, size: 2, in: reference.body)
            var items: [Int] = []
            for index in 0..<count {
                items.append(try file.number(at: start + size + 2 + index * size, size: size, in: reference.body))
            }
            return ISOItemReference(
                kind: reference.kind, from: try file.number(at: start, size: size, in: reference.body), to: items)
        }
    }
}

/// A typed reference from one item to others (ISO/IEC 14496-12, 8.11.12).
struct ISOItemReference {
    let kind: String
    let from: Int
    let to: [Int]

    /// The reference with its box, in numbers of 16 bits.
    var box: Data { .isoBox(kind, Data.bigEndian([from, to.count] + to, size: 2)) }
}
