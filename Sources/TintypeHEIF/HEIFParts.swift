import TintypeCore

/// What libheif decodes to show an item: the item itself or those that it is made of (ISO/IEC 23008-12, 6.6), and their
/// alpha. Others may stand beside them, coded in any way.
struct HEIFParts {
    private let kinds: [Int: String]
    private var parts: [Int: [Int]] = [:]

    /// Coded with HEVC, or made of others.
    private static let checkedKinds: Set<String> = ["hvc1", "grid", "iden", "iovl"]
    /// As libheif knows alpha (6.5.8).
    private static let alphaKinds = HEIFSampleEntry.alphaKinds.union(["urn:mpeg:avc:2015:auxid:1"])

    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense, or not the same to all who read them.
    init(_ file: ISOFile, _ meta: Range<Int>, _ kinds: [Int: String]) throws(TintypeError) {
        self.kinds = kinds
        let alphas = try Self.alphas(file, meta)
        for reference in try file.references(in: meta) {
            switch reference.kind {
            case "dimg": parts[reference.from, default: []] += reference.to
            case "auxl" where alphas.contains(reference.from):
                for item in reference.to { parts[item, default: []].append(reference.from) }
            default: break
            }
        }
    }

    /// Whether all that is decoded for an item is coded with HEVC, so that its size is checked.
    func areChecked(of item: Int) -> Bool {
        var (seen, waiting) = (Set([item]), [item])
        while let next = waiting.popLast() {
            guard let kind = kinds[next], Self.checkedKinds.contains(kind) else { return false }
            waiting += parts[next, default: []].filter { seen.insert($0).inserted }
        }
        return true
    }

    /// The items that say of themselves that they are the alpha of another.
    private static func alphas(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) -> Set<Int> {
        let properties = try file.needed("iprp", in: meta).body
        let all = try file.boxes(in: file.needed("ipco", in: properties).body)
        let saying = Set(all.indices.filter { all[$0].kind == "auxC" && isAlpha(file, all[$0]) })
        return Set(try file.itemProperties(in: properties).filter { !saying.isDisjoint(with: $0.value) }.keys)
    }

    private static func isAlpha(_ file: ISOFile, _ box: ISOBox) -> Bool {
        alphaKinds.contains(String(decoding: file.bytes[box.fullBody].prefix { $0 != 0 }, as: UTF8.self))
    }
}
