import TintypeCore

/// The properties of the items of a file (ISO/IEC 23008-12, 9.3).
struct HEIFProperties {
    private let file: ISOFile
    private let all: [ISOBox]
    /// Indices into ``all`` for each item.
    private let indicesByItem: [Int: [Int]]

    /// - Parameter meta: The body of the `meta` box, after its version.
    /// - Throws: `TintypeError.Code.undecodable` for invalid boxes.
    init(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) {
        self.file = file
        let properties = try file.requiredBox("iprp", in: meta).body
        all = try file.boxes(in: file.requiredBox("ipco", in: properties).body)
        indicesByItem = try file.itemProperties(in: properties)
    }

    /// Returns the items that have a property for which `predicate` is true.
    private func items(_ predicate: (ISOBox) -> Bool) -> Set<Int> {
        let matches = Set(all.indices.filter { predicate(all[$0]) })
        return Set(indicesByItem.filter { !matches.isDisjoint(with: $0.value) }.keys)
    }

    /// Returns the auxiliary images of some types (ISO/IEC 23008-12, 6.5.8).
    func auxiliaryItems(of types: Set<String>) -> Set<Int> {
        items { box in
            box.kind == "auxC"
                && types.contains(String(decoding: file.bytes[box.fullBody].prefix { $0 != 0 }, as: UTF8.self))
        }
    }

    /// Returns the properties of an item, in order.
    func all(of item: Int) -> [ISOBox] {
        (indicesByItem[item] ?? []).filter(all.indices.contains).map { all[$0] }
    }

    /// Returns the first property of a kind that an item has.
    func property(_ kind: String, of item: Int) -> ISOBox? { all(of: item).first { $0.kind == kind } }

    /// Returns the size that an item declares (`ispe`), in pixels; `nil` if it declares none.
    func size(of item: Int) throws(TintypeError) -> PixelSize? {
        guard let extents = property("ispe", of: item)?.fullBody else { return nil }
        return PixelSize(
            width: try file.number(at: extents.lowerBound, in: extents),
            height: try file.number(at: extents.lowerBound + 4, in: extents))
    }

    // MARK: Transformations

    private static let transformations: Set<String> = ["clap", "irot", "imir"]

    /// Whether an item is cropped, rotated or mirrored.
    func isTransformed(_ item: Int) -> Bool { all(of: item).contains { Self.transformations.contains($0.kind) } }

    /// Returns the part of an image that is shown, before rotation (`clap`).
    ///
    /// - Returns: `nil` if the image is cropped after it was turned, twice, or not to whole pixels inside of it.
    func crop(of item: Int, _ size: PixelSize) throws(TintypeError) -> PixelRect? {
        let kinds = all(of: item).map(\.kind).filter(Self.transformations.contains)
        guard kinds.contains("clap") else { return PixelRect(x: 0, y: 0, size: size) }
        guard kinds.first == "clap", !kinds.dropFirst().contains("clap"), let body = property("clap", of: item)?.body
        else {
            return nil
        }
        return try file.cleanAperture(body, of: size)
    }

    /// Returns the rotation and mirroring of an image, in whatever order the file lists them (ISO/IEC 23008-12, 6.5.10
    /// and 6.5.12).
    func orientation(of item: Int) -> Orientation {
        var (turns, mirror) = (0, Int?.none)
        for box in all(of: item) {
            guard let value = file.bytes[box.body].first else { continue }
            switch box.kind {
            // Rotating a mirrored image equals mirroring an image that is rotated the other way.
            case "irot": turns += mirror == nil ? Int(value & 3) : -Int(value & 3)
            case "imir":
                let axis = Int(value & 1)
                // Mirroring along both axes is a rotation by 180°.
                if let mirror, mirror != axis { turns += 2 }
                mirror = mirror == nil ? axis : nil
            default: break
            }
        }
        return Orientation(quarterTurns: turns, mirror: mirror)
    }
}

extension Orientation {
    /// Reads the rotation and mirroring of the primary image.
    ///
    /// - Throws: `TintypeError.Code.undecodable` for invalid boxes.
    init(primaryItemOf bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        let meta = try file.itemMetaBox()
        self = try HEIFProperties(file, meta).orientation(of: file.primaryItem(meta))
    }
}

/// Tells whether libheif may be asked for the code points of an image.
///
/// For code points that it does not know, libheif 1.15 creates an error object and leaks it on every call.
enum HEIFCodePoints {
    /// Whether libheif knows all code points of a file (`colr` boxes of type `nclx`: ISO/IEC 14496-12, 12.1.5).
    static func areKnown(in bytes: UnsafeRawBufferPointer) -> Bool {
        let file = ISOFile(bytes: bytes)
        let metas = file.intactBoxes(in: 0..<bytes.count).filter { $0.kind == "meta" }
        let properties = metas.flatMap { file.intactBoxes(in: $0.fullBody) }.filter { $0.kind == "iprp" }
        let containers = properties.flatMap { file.intactBoxes(in: $0.body) }.filter { $0.kind == "ipco" }
        let colors = containers.flatMap { file.intactBoxes(in: $0.body) }.filter { $0.kind == "colr" }
        return colors.allSatisfy { areKnown(in: $0.body, file) }
    }

    private static func areKnown(in body: Range<Int>, _ file: ISOFile) -> Bool {
        guard body.count >= 4, file.bytes[body.prefix(4)].elementsEqual("nclx".utf8) else { return true }
        let offsets = [4, 6, 8].map { body.lowerBound + $0 }
        let codes = offsets.compactMap { try? file.number(at: $0, size: 2, in: body) }
        let known = [primaries, transfers, matrices]
        return codes.count == known.count && zip(known, codes).allSatisfy { $0.contains($1) }
    }

    // The values of ITU-T H.273, tables 2 to 4, that libheif defines.
    private static let primaries = Set(4...12).union([1, 2, 22])
    private static let transfers = Set(4...18).union([1, 2])
    private static let matrices = Set(4...14).union(0...2)
}

/// The items of a still HEIC, with their properties and the references between them.
struct HEIFItems {
    let file: ISOFile
    let primaryItem: Int
    /// The items that have bytes, by their numbers.
    let all: [Int: ISOItems.Item]
    let properties: HEIFProperties
    let references: [ISOFile.Reference]

    /// - Throws: `TintypeError.Code.undecodable` for invalid boxes.
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
