import TintypeCore

/// The depth of librsvg's recursion while it draws an SVG, through nested elements and references between elements.
/// Each level costs stack, and librsvg does not limit the depth. With the weights of
/// ``SVGStructure/Weight/layers``, it is the number of off-screen images that exist at once.
struct SVGDepth {
    private let structure: SVGStructure
    /// The depth below each node of the structure.
    private var depths: [State]
    /// The depth below each name, once it is known.
    private var depthsByName: [ArraySlice<UInt8>: Int] = [:]
    /// The number of references to an enclosing element. Each may lead to one more descent.
    private var cycleCount = 0

    /// The progress of computing a node's depth.
    private enum State {
        case unknown
        case inProgress
        case known(Int)
    }

    /// The greatest depth accepted. Normal documents stay far below it. ``SVGThreads`` has stack for as many levels.
    static let maximum = 1000
    /// The longest chain of references, which this type follows on its own stack.
    private static let maximumReferenceChain = 64
    /// The depth that stands for everything beyond ``maximum``.
    private static let beyond = 2 * maximum

    private init(_ structure: SVGStructure) {
        self.structure = structure
        depths = Array(repeating: .unknown, count: structure.nodes.count)
    }

    /// Returns the depth of a document.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if there are too many references to determine the depth.
    static func depth(of structure: SVGStructure, _ limits: DecodeLimits) throws(TintypeError) -> Int {
        let allowed = 4 * min(max(limits.elements, 1), SVGCost.maximum)
        guard structure.references.count <= allowed else {
            throw .exceeded(.elements, "an SVG with more than \(allowed) references")
        }
        let visits = structure.nodes.reduce(0) { $0 + $1.references.count }
        guard visits <= 16 * allowed else {
            throw .exceeded(.elements, "an SVG with too many references inside named elements that are nested")
        }
        var depth = SVGDepth(structure)
        return depth.maximumDepth()
    }

    /// Returns an upper bound of the depth.
    ///
    /// It counts the path from the root, once through each element that a style sheet names, and again from the root
    /// for each reference that is obfuscated or leads back.
    private mutating func maximumDepth() -> Int {
        var deepest = structure.maximumDepth
        for reference in structure.references where deepest <= Self.maximum {
            deepest = max(deepest, reference.depth + 1 + depth(of: reference.name, 0))
        }
        var sum = deepest
        for name in structure.styleReferences where structure.named[name] != nil && sum <= Self.maximum {
            sum += depth(of: name, 0) + 1
        }
        return sum + deepest * min(structure.obfuscatedCount + cycleCount, Self.beyond)
    }

    private mutating func depth(of name: ArraySlice<UInt8>, _ level: Int) -> Int {
        if let depth = depthsByName[name] { return depth }
        // With more cycles the document is refused in any case.
        guard cycleCount <= Self.maximum else { return 0 }
        let cyclesBefore = cycleCount
        var deepest = 0
        for node in structure.named[name] ?? [] where deepest <= Self.maximum {
            deepest = max(deepest, depth(of: node, level))
        }
        // Within a cycle the depth is not yet known.
        if cycleCount == cyclesBefore { depthsByName[name] = deepest }
        return deepest
    }

    /// Returns the depth below a node, through its references. A reference to the node counts 1 of the depth that the node
    /// adds.
    private mutating func depth(of index: Int, _ level: Int) -> Int {
        switch depths[index] {
        case .known(let depth): return depth
        case .inProgress:
            cycleCount += 1
            return 0
        case .unknown: break
        }
        guard level <= Self.maximumReferenceChain else { return Self.beyond }
        depths[index] = .inProgress
        let node = structure.nodes[index]
        var deepest = node.deepest - node.depth
        for referenceIndex in node.references where deepest <= Self.maximum {
            let reference = structure.references[referenceIndex]
            deepest = max(deepest, reference.depth - node.depth + 1 + depth(of: reference.name, level + 1))
        }
        deepest += max(0, node.ownDepth - 1)
        depths[index] = .known(deepest)
        return deepest
    }
}
