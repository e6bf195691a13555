/// How many elements of a document a style rule may apply to.
struct SVGElementCounts {
    /// The number of elements of each class, ID and type, such as `.a`, `#a` and `a`.
    private var counts: [ArraySlice<UInt8>: Int] = [:]
    /// The number of elements that may have any class or ID.
    private var hiddenCount: Int
    private var total: Int

    /// - Parameters:
    ///   - bytes: The document.
    ///   - expanded: The number of elements that entities contain.
    init(_ bytes: ArraySlice<UInt8>, expanded: Int) {
        (hiddenCount, total) = (expanded, expanded)
        var markup = SVGMarkup(bytes)
        while let piece = markup.next() {
            if case .open(let name, let attributes, _) = piece { add(name, attributes) }
        }
    }

    private mutating func add(_ name: ArraySlice<UInt8>, _ attributes: SVGAttributes) {
        total += 1
        counts[name, default: 0] += 1
        let classes = attributes.values(of: "class"), names = attributes.values(of: "id")
        for name in Set(names) { counts[[UInt8(ascii: "#")] + name, default: 0] += 1 }
        for name in Set(classes.flatMap { $0.split { $0 <= 0x20 } }) {
            counts[[UInt8(ascii: ".")] + name, default: 0] += 1
        }
        if (classes + names).contains(where: { $0.contains(UInt8(ascii: "&")) }) { hiddenCount += 1 }
    }

    /// Returns an upper bound of the elements that a rule applies to.
    func matches(_ rule: SVGStyleRule) -> Int {
        // A selector that cannot be read may match everything.
        guard let keys = rule.keys else { return total }
        return min(keys.reduce(hiddenCount) { $0 + (counts[$1] ?? 0) }, total)
    }
}
