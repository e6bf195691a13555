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
