import TintypeCore

/// What libheif decodes to show an item: the item itself or those that it is made of (ISO/IEC 23008-12, 6.6), and their
/// alpha. Others may stand beside them, coded in any way.
///
/// libheif 1.15 follows what says of itself that it is made of itself until its stack ends, and decodes what is named
/// twice twice. So what is decoded is counted as it would be, and bounded.
struct HEIFParts {
    /// What one picture may be made of.
    private struct Budget {
        /// Coded pictures: grids of the largest photographs have hundreds.
        var pictures = 16_384
        /// Pictures that are made of others: a grid, that of its alpha, and each turned. A canvas is made for each.
        var canvases = 4
        var pixels: Int
    }

    private let kinds: [Int: String]
    private let budget: Budget
    private var parts: [Int: [Int]] = [:]
    private let sizes: [Int: Int]
    private let least: Int

    private static let derivedKinds: Set<String> = ["grid", "iden", "iovl"]
    /// As libheif knows alpha (6.5.8).
    private static let alphaKinds = HEIFSampleEntry.alphaKinds.union(["urn:mpeg:avc:2015:auxid:1"])
    /// Pixels that are coded: for alpha as many again as are shown, and what is at borders or lies below. A million more,
    /// since the smallest pictures are coded in whole blocks, and others tell better that they are too large.
    static func mostPixels(_ limits: DecodeLimits) -> Int { 4 * min(limits.pixels, 1 << 50) + (1 << 20) }

    /// - Parameters:
    ///   - meta: the box that tells of the items, after its version.
    ///   - kinds: the four letters of each item.
    ///   - least: pixels that each coded picture has, whatever its configuration says.
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense, or not the same to all who read them.
    init(
        _ file: ISOFile, _ meta: Range<Int>, _ kinds: [Int: String], _ limits: DecodeLimits, least: Int = 0
    ) throws(TintypeError) {
        self.kinds = kinds
        self.least = least
        budget = Budget(pixels: Self.mostPixels(limits))
        let properties = try HEIFProperties(file, meta)
        sizes = try properties.codedSizes()
        let alphas = properties.items { Self.isAlpha(file, $0) }
        for reference in try file.references(in: meta) {
            switch reference.kind {
            case "dimg": parts[reference.from, default: []] += reference.to
            case "auxl" where alphas.contains(reference.from):
                for item in reference.to { parts[item, default: []].append(reference.from) }
            default: break
            }
        }
    }

    /// - Throws: ``TintypeError/Code/undecodable`` for an item that is not checked.
    func check(_ item: Int) throws(TintypeError) {
        guard areChecked(of: item) else {
            throw TintypeError(
                .undecodable, stage: .decode, "a HEIC whose picture is not coded with HEVC alone, or of too many parts")
        }
    }

    /// Whether all that is decoded for an item is coded with HEVC, so that its size is checked, and not too much.
    func areChecked(of item: Int) -> Bool {
        var (waiting, budget) = ([item], budget)
        while let next = waiting.popLast() {
            switch kinds[next] {
            case "hvc1":
                budget.pictures -= 1
                budget.pixels -= max(sizes[next] ?? 0, least)
            case .some(let kind) where Self.derivedKinds.contains(kind): budget.canvases -= 1
            default: return false
            }
            waiting += parts[next, default: []]
            guard min(budget.pictures - waiting.count, budget.canvases, budget.pixels) >= 0 else { return false }
        }
        return true
    }

    private static func isAlpha(_ file: ISOFile, _ box: ISOBox) -> Bool {
        box.kind == "auxC"
            && alphaKinds.contains(String(decoding: file.bytes[box.fullBody].prefix { $0 != 0 }, as: UTF8.self))
    }
}
