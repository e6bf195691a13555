/// Which elements of an SVG refer to which, and how deep they lie in each other.
///
/// It counts too much rather than too little: whatever follows a `#` is a reference where something has that name.
struct SVGStructure {
    /// An element that has a name.
    struct Node {
        let depth: Int
        /// How deep the elements in it lie.
        var deepest: Int
        /// Of the references in it.
        var references: Range<Int>
    }

    struct Reference {
        let name: ArraySlice<UInt8>
        /// How deep the element lies that it stands in.
        let depth: Int
    }

    private struct OpenElement {
        let node: Int?
        let isStyle: Bool
        var deepest: Int
    }

    private(set) var nodes: [Node] = []
    private(set) var named: [ArraySlice<UInt8>: [Int]] = [:]
    private(set) var references: [Reference] = []
    /// Those of style sheets, which any element may have.
    private(set) var loose: Set<ArraySlice<UInt8>> = []
    /// Names and references that are written so that only librsvg can tell what they are.
    private(set) var hiddenCount = 0
    private(set) var deepest = 0
    private var open: [OpenElement] = []

    /// Paint that is found without going deeper.
    private static let plain = ["linearGradient", "radialGradient"].map { Array($0.utf8) }

    init(_ bytes: ArraySlice<UInt8>) {
        var markup = SVGMarkup(bytes)
        while let piece = markup.next() {
            switch piece {
            case .open(let name, let attributes, let isClosed):
                begin(name, attributes)
                if isClosed { end() }
            case .close: end()
            case .text(let text): read(text)
            }
        }
        while !open.isEmpty { end() }
    }

    private mutating func begin(_ name: ArraySlice<UInt8>, _ attributes: ArraySlice<UInt8>) {
        let depth = open.count + 1
        deepest = max(deepest, depth)
        var node: Int?
        if let own = SVGNames.id(in: attributes), !Self.plain.contains(where: { name.elementsEqual($0) }) {
            node = nodes.count
            named[own, default: []].append(nodes.count)
            nodes.append(Node(depth: depth, deepest: depth, references: references.count..<references.count))
            if SVGNames.isHidden(name: own) { hiddenCount += 1 }
        }
        open.append(OpenElement(node: node, isStyle: name.elementsEqual("style".utf8), deepest: depth))
        for name in SVGNames.references(in: attributes) {
            references.append(Reference(name: name, depth: depth))
            if SVGNames.isHidden(name: name) { hiddenCount += 1 }
        }
        if SVGNames.hides(attributes) { hiddenCount += 1 }
    }

    private mutating func read(_ text: ArraySlice<UInt8>) {
        guard open.last?.isStyle == true else {
            hiddenCount += SVGNames.entityCount(text)
            return
        }
        loose.formUnion(SVGNames.references(in: text))
        if SVGNames.hides(text) { hiddenCount += 1 }
    }

    private mutating func end() {
        guard let last = open.popLast() else { return }
        if let parent = open.indices.last { open[parent].deepest = max(open[parent].deepest, last.deepest) }
        guard let node = last.node else { return }
        nodes[node].references = nodes[node].references.lowerBound..<references.count
        nodes[node].deepest = last.deepest
    }
}
