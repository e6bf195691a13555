import TintypeCore

/// The depth of librsvg's recursion while it draws an SVG: through nested elements, and on through references between
/// elements. Each level costs stack, and librsvg does not limit the depth.
struct SVGDepth {
    private let structure: SVGStructure
    /// The depth below each node of the structure.
    private var depths: [State]
    /// The number of references to an enclosing element. Each may lead to one more descent.
    private var cycleCount = 0

    /// The progress of computing a node's depth.
    private enum State {
        case unknown
        case inProgress
        case known(Int)
    }

    /// The greatest depth accepted. Honest documents stay far below it. ``SVGDrawing`` has stack for as many levels.
    static let maximum = 1000
    /// The longest chain of references, which this type follows on its own stack.
    private static let maximumReferenceChain = 64

    private init(_ structure: SVGStructure) {
        self.structure = structure
        depths = Array(repeating: .unknown, count: structure.nodes.count)
    }

    /// Checks that the depth of a document is known and within the bound.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    static func check(_ bytes: ArraySlice<UInt8>, _ limits: DecodeLimits) throws(TintypeError) {
        let structure = SVGStructure(bytes)
        guard structure.references.count <= 4 * max(limits.elements, 1) else {
            throw .exceeded(.elements, "an SVG with more than \(4 * limits.elements) references")
        }
        var depth = SVGDepth(structure)
        guard depth.maximumDepth() <= maximum else {
            throw .exceeded(.elements, "an SVG with more than \(maximum) levels of elements and references")
        }
    }

    /// Returns an upper bound of the depth.
    ///
    /// It counts the path from the root, once through each element that a style sheet names, and again from the root
    /// for each reference that is obfuscated or leads back.
    private mutating func maximumDepth() -> Int {
        var deepest = structure.maximumDepth
        for reference in structure.references {
            deepest = max(deepest, reference.depth + 1 + depth(of: reference.name, 0))
        }
        var sum = deepest
        for name in structure.styleReferences where structure.named[name] != nil {
            sum = min(sum + depth(of: name, 0) + 1, 2 * Self.maximum)
        }
        return sum + deepest * min(structure.obfuscatedCount + cycleCount, 2 * Self.maximum)
    }

    private mutating func depth(of name: ArraySlice<UInt8>, _ level: Int) -> Int {
        var deepest = 0
        for node in structure.named[name] ?? [] { deepest = max(deepest, depth(of: node, level)) }
        return deepest
    }

    /// Returns the depth below a node, through its references.
    private mutating func depth(of index: Int, _ level: Int) -> Int {
        switch depths[index] {
        case .known(let depth): return depth
        case .inProgress:
            cycleCount += 1
            return 0
        case .unknown: break
        }
        guard level <= Self.maximumReferenceChain else { return Self.maximum }
        depths[index] = .inProgress
        let node = structure.nodes[index]
        var deepest = node.deepest - node.depth
        for referenceIndex in node.references where deepest <= Self.maximum {
            let reference = structure.references[referenceIndex]
            deepest = max(deepest, reference.depth - node.depth + 1 + depth(of: reference.name, level + 1))
        }
        depths[index] = .known(deepest)
        return deepest
    }
}

/// The elements of an SVG, their nesting, and the references between them.
///
/// It errs towards too many: any name after a `#` is a reference if an element has that name.
struct SVGStructure {
    /// An element that has a name.
    struct Node {
        let depth: Int
        /// The depth of its deepest descendant.
        var deepest: Int
        /// The indices of the references within the element.
        var references: Range<Int>
    }

    /// A reference to an element by its name.
    struct Reference {
        let name: ArraySlice<UInt8>
        /// The depth of the element that contains the reference.
        let depth: Int
    }

    /// An element whose end tag has not been read.
    private struct OpenElement {
        let node: Int?
        let isStyle: Bool
        var deepest: Int
    }

    /// The named elements, in document order.
    private(set) var nodes: [Node] = []
    /// The indices of the nodes of each name.
    private(set) var named: [ArraySlice<UInt8>: [Int]] = [:]
    /// All references in attributes, in document order.
    private(set) var references: [Reference] = []
    /// The names that style sheets refer to, which may apply to any element.
    private(set) var styleReferences: Set<ArraySlice<UInt8>> = []
    /// The number of names and references that are written so that only librsvg can resolve them.
    private(set) var obfuscatedCount = 0
    /// The greatest depth of nesting.
    private(set) var maximumDepth = 0
    private var openElements: [OpenElement] = []

    /// Gradients, which librsvg resolves without recursion.
    private static let gradients = ["linearGradient", "radialGradient"].map { Array($0.utf8) }

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
        while !openElements.isEmpty { end() }
    }

    private mutating func begin(_ name: ArraySlice<UInt8>, _ attributes: ArraySlice<UInt8>) {
        let depth = openElements.count + 1
        maximumDepth = max(maximumDepth, depth)
        var node: Int?
        if let id = SVGNames.id(in: attributes), !Self.gradients.contains(where: { name.elementsEqual($0) }) {
            node = nodes.count
            named[id, default: []].append(nodes.count)
            nodes.append(Node(depth: depth, deepest: depth, references: references.count..<references.count))
            if SVGNames.isObfuscated(name: id) { obfuscatedCount += 1 }
        }
        openElements.append(OpenElement(node: node, isStyle: name.elementsEqual("style".utf8), deepest: depth))
        for name in SVGNames.references(in: attributes) {
            references.append(Reference(name: name, depth: depth))
            if SVGNames.isObfuscated(name: name) { obfuscatedCount += 1 }
        }
        if SVGNames.hasObfuscatedReference(attributes) { obfuscatedCount += 1 }
    }

    private mutating func read(_ text: ArraySlice<UInt8>) {
        guard openElements.last?.isStyle == true else {
            obfuscatedCount += SVGNames.entityCount(text)
            return
        }
        styleReferences.formUnion(SVGNames.references(in: text))
        if SVGNames.hasObfuscatedReference(text) { obfuscatedCount += 1 }
    }

    private mutating func end() {
        guard let last = openElements.popLast() else { return }
        if let parent = openElements.indices.last {
            openElements[parent].deepest = max(openElements[parent].deepest, last.deepest)
        }
        guard let node = last.node else { return }
        nodes[node].references = nodes[node].references.lowerBound..<references.count
        nodes[node].deepest = last.deepest
    }
}
