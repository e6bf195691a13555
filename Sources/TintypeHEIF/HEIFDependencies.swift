import TintypeCore

/// The items that libheif decodes to show an item: the item itself or those it is derived from (ISO/IEC 23008-12, 6.6),
/// and their alpha. Other items of the file are not decoded and may be coded in any way.
///
/// libheif 1.15 recurses into an item that is derived from itself until its stack overflows, and decodes an item that is
/// referenced twice two times. So the work is counted as libheif would do it, and bounded.
struct HEIFDependencies {
    /// The limits on decoding one image.
    private struct Budget {
        /// Coded images. The grids of the largest photographs have hundreds.
        var codedImages = 16_384
        /// Derived images: a grid, the grid of its alpha, and a rotation of each. libheif allocates a canvas for each.
        var canvases = 4
        var pixels: Int
    }

    private let kinds: [Int: String]
    private let budget: Budget
    /// The items that are decoded for each item.
    private var inputs: [Int: [Int]] = [:]
    private let codedPixels: [Int: Int]
    private let minimumPixels: Int
    private let canvasPixels: [Int: Int]

    private static let derivedKinds: Set<String> = ["grid", "iden", "iovl"]
    /// The auxiliary types that libheif takes for alpha (6.5.8).
    private static let alphaKinds = HEIFSampleEntry.alphaKinds.union(["urn:mpeg:avc:2015:auxid:1"])

    /// Returns the number of pixels that may be coded for one image: four times the limit, since alpha doubles the shown
    /// pixels, and tiles extend over the edges or lie below others. A million is added because small images are coded in
    /// whole blocks; other checks report them better if they are too large.
    static func maxPixels(_ limits: DecodeLimits) -> Int { 4 * min(limits.pixels, 1 << 50) + (1 << 20) }

    /// Reads the references and properties of a file.
    ///
    /// - Parameters:
    ///   - meta: The body of the `meta` box, after its version.
    ///   - kinds: The type of each item, four letters, by its number.
    ///   - minimumPixels: The minimum number of pixels to count for each coded image, whatever its configuration says.
    ///   - canvasPixels: The number of pixels of each canvas; see ``ISOItems/canvasPixels(_:)``.
    /// - Throws: ``TintypeError/Code/undecodable`` for invalid boxes, and for those that readers interpret differently.
    init(
        _ file: ISOFile, _ meta: Range<Int>, _ kinds: [Int: String], _ limits: DecodeLimits, minimumPixels: Int = 0,
        canvasPixels: [Int: Int] = [:]
    ) throws(TintypeError) {
        self.kinds = kinds
        (self.minimumPixels, self.canvasPixels) = (minimumPixels, canvasPixels)
        budget = Budget(pixels: Self.maxPixels(limits))
        let properties = try HEIFProperties(file, meta)
        codedPixels = try properties.codedPixels()
        let alphas = properties.auxiliaryItems(of: Self.alphaKinds)
        for reference in try file.references(in: meta) {
            switch reference.kind {
            case "dimg": inputs[reference.from, default: []] += reference.to
            case "auxl" where alphas.contains(reference.from):
                for item in reference.to { inputs[item, default: []].append(reference.from) }
            default: break
            }
        }
    }

    /// Checks that libheif can decode an item safely; see ``isSafe(_:)``.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if it cannot.
    func check(_ item: Int) throws(TintypeError) {
        guard isSafe(item) else {
            throw TintypeError(
                .undecodable, stage: .decode, "the image of the HEIC is not coded with HEVC alone or has too many parts"
            )
        }
    }

    /// Whether every item that is decoded for an item is coded with HEVC, so that its size is known, and all of them
    /// together are within the budget.
    func isSafe(_ item: Int) -> Bool { largestImage(for: item) != nil }

    /// Returns the number of pixels of the largest image that is decoded or composed for an item, before it is cropped: more
    /// than the item has if only a part is shown.
    ///
    /// - Returns: `nil` if the item is not safe; see ``isSafe(_:)``.
    func largestImage(for item: Int) -> Int? {
        var (pending, budget, largest) = ([item], budget, 0)
        while let next = pending.popLast() {
            switch kinds[next] {
            case "hvc1":
                let pixels = max(codedPixels[next] ?? 0, minimumPixels)
                budget.codedImages -= 1
                budget.pixels -= pixels
                largest = max(largest, pixels)
            case .some(let kind) where Self.derivedKinds.contains(kind):
                budget.canvases -= 1
                largest = max(largest, canvasPixels[next] ?? 0)
            default: return nil
            }
            pending += inputs[next, default: []]
            guard min(budget.codedImages - pending.count, budget.canvases, budget.pixels) >= 0 else { return nil }
        }
        return largest
    }
}
