/// The elements of an SVG, their nesting, and the references between them.
///
/// The result may be too high, never too low: any name after a `#` is a reference if an element has that name.
struct SVGStructure {
    /// The elements that count as a level.
    enum Weight {
        /// Every element.
        case elements
        /// The elements that need an off-screen image, and the steps of each filter.
        case layers(inStyles: Bool)
        /// How much each element enlarges those in it, as a logarithm: ``SVGEnlargement``.
        case enlargement(SVGEnlargement)

        func depth(of tag: SVGTag) -> Int {
            switch self {
            case .elements: 1
            case .layers(let inStyles): inStyles ? 1 : tag.layerCount
            case .enlargement(let enlargement): enlargement.logarithm(of: tag)
            }
        }

        /// Whether names and references that cannot be read count.
        var countsObfuscated: Bool {
            guard case .enlargement(let enlargement) = self else { return true }
            return enlargement.countsHiddenReferences
        }

        /// Returns whether an attribute that cannot be read counts. Texts often contain numbered characters, such as
        /// `&#39;`, which do not enlarge anything.
        func countsObfuscated(in attribute: ArraySlice<UInt8>) -> Bool {
            guard case .enlargement = self else { return true }
            return SVGTag.mayRefer(attribute)
        }
    }

    /// An element under one of its names.
    struct Node {
        let depth: Int
        /// The part of ``depth`` that it adds.
        let ownDepth: Int
        /// The depth of its deepest descendant.
        var deepest: Int
        /// The indices of the references within the element.
        var references: Range<Int>
        /// The work of drawing the element and those in it, without references.
        var work: SVGWork
    }

    /// A reference to an element by its name.
    struct Reference {
        let name: ArraySlice<UInt8>
        /// The depth of the element that contains the reference.
        let depth: Int
        /// The number of elements that the reference may apply to: more than one if those in its element inherit it.
        var count = 1
    }

    /// A reference that elements inherit.
    private struct Inherited {
        /// The index of the reference.
        let index: Int
        /// Whether it may be drawn at each vertex.
        let isMarker: Bool
    }

    /// An element whose end tag has not been read.
    private struct OpenElement {
        /// The indices of its nodes: one for each name.
        let nodes: Range<Int>
        let isStyle: Bool
        let isFilterStep: Bool
        let depth: Int
        var deepest: Int
        /// Its references that elements in it inherit.
        let inherited: [Inherited]
        /// The number of elements in it, with itself.
        var elementCount = 1
        /// The number of vertices of their paths, at which markers may stand.
        var vertexCount = 0
        /// Whether it draws elements that are not in it.
        var hasUse = false
        /// The number of its steps, if it is a filter.
        var stepCount = 0
    }

    /// The named elements, in document order, under each of their names.
    private(set) var nodes: [Node] = []
    /// The indices of the nodes of each name.
    private(set) var named: [ArraySlice<UInt8>: [Int]] = [:]
    /// All references in attributes, in document order.
    private(set) var references: [Reference] = []
    /// The names that style sheets refer to, which may apply to any element.
    private(set) var styleReferences: Set<ArraySlice<UInt8>> = []
    /// The number of names and references in a form that only librsvg resolves.
    private(set) var obfuscatedCount = 0
    /// The work of drawing each element once.
    private(set) var work = SVGWork()
    /// The greatest depth of nesting.
    private(set) var maximumDepth = 0
    private var openElements: [OpenElement] = []
    /// The indices of the references that elements elsewhere may inherit.
    private var unboundedReferences: [Int] = []
    /// The number of vertices of all paths.
    private var vertexCount = 0
    /// The style sheet that is being read, as librsvg joins it.
    private var styleText: [UInt8] = []
    private let weight: Weight

    init(_ bytes: ArraySlice<UInt8>, weight: Weight = .elements) {
        self.weight = weight
        var markup = SVGMarkup(bytes)
        while let piece = markup.next() {
            switch piece {
            case .open(let name, let attributes, let isClosed):
                begin(name, attributes)
                if isClosed { end() }
            case .close: end()
            case .text(let text), .literal(let text): read(text)
            case .declaration, .instruction: break
            }
        }
        while !openElements.isEmpty { end() }
        if !weight.countsObfuscated { obfuscatedCount = 0 }
        for index in unboundedReferences { references[index].count = Int(work.elements) + vertexCount }
    }

    private mutating func begin(_ name: ArraySlice<UInt8>, _ attributes: SVGAttributes) {
        let tag = SVGTag(name, attributes)
        let ownDepth = weight.depth(of: tag)
        let depth = (openElements.last?.depth ?? 0) + ownDepth
        maximumDepth = max(maximumDepth, depth)
        let firstNode = nodes.count
        defer { work = work + tag.work }
        for name in attributes.values(of: "id") where !tag.isGradient {
            named[name, default: []].append(nodes.count)
            nodes.append(
                Node(
                    depth: depth, ownDepth: ownDepth, deepest: depth, references: references.count..<references.count,
                    work: work))
            if SVGNames.isObfuscated(name: name) { obfuscatedCount += 1 }
        }
        let inherited = readReferences(of: tag, depth)
        openElements.append(
            OpenElement(
                nodes: firstNode..<nodes.count, isStyle: tag.isStyle, isFilterStep: tag.isFilterStep, depth: depth,
                deepest: depth, inherited: inherited, vertexCount: countsVertices ? tag.vertexCount : 0,
                hasUse: tag.name == "use"))
    }

    private var countsVertices: Bool { if case .elements = weight { true } else { false } }

    /// Reads the references in a tag.
    ///
    /// - Returns: The indices of those that elements in it inherit.
    private mutating func readReferences(of tag: SVGTag, _ depth: Int) -> [Inherited] {
        var inherited: [Inherited] = []
        // A link does not draw the element that it leads to.
        for (name, value) in tag.attributes where !(tag.isLink && name.elementsEqual("href".utf8)) {
            let first = references.count
            readReferences(value, depth, countsObfuscated: weight.countsObfuscated(in: name))
            guard references.count > first, SVGTag.isInherited(name) else { continue }
            let isMarker = SVGText.contains(SVGTag.markerProperty, in: name + value)
            inherited += (first..<references.count).map { Inherited(index: $0, isMarker: isMarker) }
        }
        return inherited
    }

    private mutating func readReferences(_ value: ArraySlice<UInt8>, _ depth: Int, countsObfuscated: Bool) {
        for name in SVGNames.references(in: value) {
            references.append(Reference(name: name, depth: depth))
            if countsObfuscated, SVGNames.isObfuscated(name: name) { obfuscatedCount += 1 }
        }
        if countsObfuscated, SVGNames.hasObfuscatedReference(value) { obfuscatedCount += 1 }
    }

    private mutating func read(_ text: ArraySlice<UInt8>) {
        guard openElements.last?.isStyle == true else {
            obfuscatedCount += SVGNames.entityCount(text)
            return
        }
        styleText += text
    }

    private mutating func endStyle() {
        styleReferences.formUnion(SVGNames.references(in: styleText[...]))
        if SVGNames.hasObfuscatedReference(styleText[...]) { obfuscatedCount += 1 }
        styleText = []
    }

    private mutating func setCount(of reference: Inherited, in element: OpenElement) {
        let vertices = reference.isMarker ? element.vertexCount : 0
        references[reference.index].count = element.elementCount + vertices
        // Elements that are drawn by reference inherit, too. They may follow.
        if element.hasUse { unboundedReferences.append(reference.index) }
    }

    private mutating func end() {
        guard var last = openElements.popLast() else { return }
        if openElements.isEmpty { vertexCount += last.vertexCount }
        if last.isStyle { endStyle() }
        // The result of every step stays in memory until the filter ends.
        if case .layers = weight { last.deepest = max(last.deepest, last.depth + last.stepCount) }
        maximumDepth = max(maximumDepth, last.deepest)
        for reference in last.inherited { setCount(of: reference, in: last) }
        if let parent = openElements.indices.last {
            openElements[parent].elementCount += last.elementCount
            openElements[parent].vertexCount += last.vertexCount
            openElements[parent].hasUse = openElements[parent].hasUse || last.hasUse
            openElements[parent].deepest = max(openElements[parent].deepest, last.deepest)
            openElements[parent].stepCount += last.isFilterStep ? 1 : 0
        }
        for node in last.nodes {
            nodes[node].references = nodes[node].references.lowerBound..<references.count
            nodes[node].deepest = last.deepest
            nodes[node].work = work - nodes[node].work
        }
    }
}
