/// How many elements of a document a style rule may apply to.
struct SVGElementCounts {
    /// The number of elements of each class, ID and type, such as `.a`, `#a` and `a`.
    private var counts: [ArraySlice<UInt8>: Int] = [:]
    /// The number of these elements and those in them, with the vertices of their paths.
    private var reaches: [ArraySlice<UInt8>: Int] = [:]
    /// The elements whose end tag has not been read: their keys, and the number of elements and vertices before them.
    private var openElements: [(keys: [ArraySlice<UInt8>], start: Int)] = []
    private var vertexCount = 0
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
            switch piece {
            case .open(let name, let attributes, let isClosed):
                openElements.append((add(name, attributes), total + vertexCount))
                vertexCount += SVGTag(name, attributes).vertexCount
                if isClosed { close() }
            case .close: close()
            default: break
            }
        }
        while !openElements.isEmpty { close() }
    }

    private mutating func close() {
        guard let (keys, start) = openElements.popLast() else { return }
        for key in keys { reaches[key, default: 0] += 1 + total + vertexCount - start }
    }

    /// Counts an element, and returns its keys.
    private mutating func add(_ name: ArraySlice<UInt8>, _ attributes: SVGAttributes) -> [ArraySlice<UInt8>] {
        total += 1
        let classes = attributes.values(of: "class"), names = attributes.values(of: "id")
        let keys: [ArraySlice<UInt8>] =
            [name] + Set(names).map { [UInt8(ascii: "#")] + $0 }
            + Set(classes.flatMap { $0.split { $0 <= 0x20 } }).map { [UInt8(ascii: ".")] + $0 }
        for key in keys { counts[key, default: 0] += 1 }
        if (classes + names).contains(where: { $0.contains(UInt8(ascii: "&")) }) { hiddenCount += 1 }
        return keys
    }

    /// Whether elements are drawn by `use` elements.
    var haveUses: Bool { counts[Array("use".utf8)[...]] != nil }

    /// Returns an upper bound of the elements that a rule applies to.
    func matches(_ rule: SVGStyleRule) -> Int {
        // A selector that cannot be read may match everything.
        guard let keys = rule.keys else { return total }
        return min(keys.reduce(hiddenCount) { $0 + (counts[$1] ?? 0) }, total)
    }

    /// Returns an upper bound of the elements that a rule applies to by inheritance, with the vertices of their paths.
    /// Elements that are drawn by reference do not count.
    func reach(_ rule: SVGStyleRule) -> Int {
        let all = total + vertexCount
        guard let keys = rule.keys, hiddenCount == 0 else { return all }
        return min(keys.reduce(0) { $0 + (reaches[$1] ?? 0) }, all)
    }
}
