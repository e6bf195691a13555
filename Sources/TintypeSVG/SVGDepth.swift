import TintypeCore

/// How deep librsvg goes while it draws an SVG: an element in an element, and on where one refers to another. Each costs
/// stack, and librsvg does not count.
struct SVGDepth {
    private let structure: SVGStructure
    private var known: [State]
    /// References to what they stand in themselves: a way down may go on from there, once for each.
    private var backCount = 0

    private enum State {
        case unknown
        case beingFound
        case found(Int)
    }

    /// What honest pictures stay far below. ``SVGDrawing`` has stack for as many.
    static let most = 1000
    /// From one to the next: they are followed on the stack here, too.
    private static let mostReferences = 64

    private init(_ structure: SVGStructure) {
        self.structure = structure
        known = Array(repeating: .unknown, count: structure.nodes.count)
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for a document that is deeper, or of which that cannot be told.
    static func check(_ bytes: ArraySlice<UInt8>, _ limits: DecodeLimits) throws(TintypeError) {
        let structure = SVGStructure(bytes)
        guard structure.references.count <= 4 * max(limits.elements, 1) else {
            throw .exceeded(.elements, "an SVG of more references than \(4 * limits.elements)")
        }
        var depth = SVGDepth(structure)
        guard depth.total() <= most else {
            throw .exceeded(.elements, "an SVG whose elements refer to each other more than \(most) deep")
        }
    }

    /// The longest way down: from the root, once through each that a style sheet names, and from the root again wherever
    /// a reference is hidden or leads back.
    private mutating func total() -> Int {
        var deepest = structure.deepest
        for reference in structure.references {
            deepest = max(deepest, reference.depth + 1 + depth(of: reference.name, 0))
        }
        var sum = deepest
        for name in structure.loose where structure.named[name] != nil {
            sum = min(sum + depth(of: name, 0) + 1, 2 * Self.most)
        }
        return sum + deepest * min(structure.hiddenCount + backCount, 2 * Self.most)
    }

    private mutating func depth(of name: ArraySlice<UInt8>, _ level: Int) -> Int {
        var deepest = 0
        for node in structure.named[name] ?? [] { deepest = max(deepest, depth(of: node, level)) }
        return deepest
    }

    /// How much deeper than a node it goes.
    private mutating func depth(of index: Int, _ level: Int) -> Int {
        switch known[index] {
        case .found(let depth): return depth
        case .beingFound:
            backCount += 1
            return 0
        case .unknown: break
        }
        guard level <= Self.mostReferences else { return Self.most }
        known[index] = .beingFound
        let node = structure.nodes[index]
        var deepest = node.deepest - node.depth
        for place in node.references where deepest <= Self.most {
            let reference = structure.references[place]
            deepest = max(deepest, reference.depth - node.depth + 1 + depth(of: reference.name, level + 1))
        }
        known[index] = .found(deepest)
        return deepest
    }
}

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
