import TintypeCore

/// The items of a still HEIC, with their properties and the references between them.
struct HEIFItems {
    let file: ISOFile
    let primaryItem: Int
    /// The items that have bytes, by their numbers.
    let all: [Int: ISOItems.Item]
    let properties: HEIFProperties
    let references: [ISOFile.Reference]

    /// - Throws: ``TintypeError/Code/undecodable`` for invalid boxes.
    init(_ file: ISOFile) throws(TintypeError) {
        self.file = file
        let meta = try file.itemMetaBox()
        primaryItem = try file.primaryItem(meta)
        all = Dictionary(try ISOItems(file, meta).all.map { ($0.identifier, $0) }) { first, _ in first }
        properties = try HEIFProperties(file, meta)
        references = try file.references(in: meta)
    }

    /// Returns the images of which an item is made; `nil` for one that is not derived.
    func inputs(of item: Int) -> [Int]? { references.first { $0.kind == "dimg" && $0.from == item }?.to }
}
