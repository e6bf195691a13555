import TintypeCore

/// What a file says of each of its items (ISO/IEC 23008-12, 9.3).
struct HEIFProperties {
    private let file: ISOFile
    private let all: [ISOBox]
    /// Which of them each item has.
    private let ofItems: [Int: [Int]]

    /// - Parameter meta: the box that tells of the items, after its version.
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    init(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) {
        self.file = file
        let properties = try file.needed("iprp", in: meta).body
        all = try file.boxes(in: file.needed("ipco", in: properties).body)
        ofItems = try file.itemProperties(in: properties)
    }

    /// The items of which a property says something.
    func items(_ says: (ISOBox) -> Bool) -> Set<Int> {
        let saying = Set(all.indices.filter { says(all[$0]) })
        return Set(ofItems.filter { !saying.isDisjoint(with: $0.value) }.keys)
    }

    /// The pixels that are coded for each item that is coded with HEVC, by its parameter sets.
    func codedSizes() throws(TintypeError) -> [Int: Int] {
        var sizes: [Int: Int] = [:]
        for (index, box) in all.enumerated() where box.kind == "hvcC" {
            for set in try HEIFSampleEntry.parameterSets(file, box.body) {
                let pixels = HEVCParameterSet(UnsafeRawBufferPointer(rebasing: file.bytes[set]))?.pixels ?? 0
                sizes[index] = max(sizes[index] ?? 0, pixels)
            }
        }
        return ofItems.mapValues { $0.compactMap { sizes[$0] }.max() ?? 0 }
    }
}

extension Orientation {
    /// How the primary picture of a file is to be turned and mirrored, whatever order that is told in
    /// (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    init(primaryItemOf bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        let meta = try file.itemBox()
        let properties = try file.needed("iprp", in: meta).body
        let all = try file.boxes(in: file.needed("ipco", in: properties).body)
        var (turns, mirror) = (0, Int?.none)
        let own = try file.itemProperties(in: properties)[file.primaryItem(meta)] ?? []
        for index in own where all.indices.contains(index) {
            guard let value = file.bytes[all[index].body].first else { continue }
            switch all[index].kind {
            // To turn what was mirrored is to mirror what was turned the other way.
            case "irot": turns += mirror == nil ? Int(value & 3) : -Int(value & 3)
            case "imir":
                let axis = Int(value & 1)
                // Mirrored along both axes is turned by half.
                if let mirror, mirror != axis { turns += 2 }
                mirror = mirror == nil ? axis : nil
            default: break
            }
        }
        self.init(quarterTurns: turns, mirror: mirror)
    }
}

/// Whether libheif may be asked for the code points of a picture. Of those that it does not know it makes an error, and
/// version 1.15 loses a little memory with it, every time.
enum HEIFCodePoints {
    /// Whether it knows all that the file has (`colr` of the kind `nclx`: ISO/IEC 14496-12, 12.1.5).
    static func areKnown(in bytes: UnsafeRawBufferPointer) -> Bool {
        let file = ISOFile(bytes: bytes)
        let metas = file.soundBoxes(in: 0..<bytes.count).filter { $0.kind == "meta" }
        let properties = metas.flatMap { file.soundBoxes(in: $0.fullBody) }.filter { $0.kind == "iprp" }
        let containers = properties.flatMap { file.soundBoxes(in: $0.body) }.filter { $0.kind == "ipco" }
        let colors = containers.flatMap { file.soundBoxes(in: $0.body) }.filter { $0.kind == "colr" }
        return colors.allSatisfy { areKnown(in: $0.body, file) }
    }

    private static func areKnown(in body: Range<Int>, _ file: ISOFile) -> Bool {
        guard body.count >= 4, file.bytes[body.prefix(4)].elementsEqual("nclx".utf8) else { return true }
        let places = [4, 6, 8].map { body.lowerBound + $0 }
        let codes = places.compactMap { try? file.number(at: $0, size: 2, in: body) }
        let known = [primaries, transfers, matrices]
        return codes.count == known.count && zip(known, codes).allSatisfy { $0.contains($1) }
    }

    // ITU-T H.273, tables 2 to 4, as libheif has them.
    private static let primaries = Set(4...12).union([1, 2, 22])
    private static let transfers = Set(4...18).union([1, 2])
    private static let matrices = Set(4...14).union(0...2)
}
