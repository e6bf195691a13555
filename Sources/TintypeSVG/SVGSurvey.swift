import TintypeCore

/// A survey of an SVG's cost with its entities expanded, in one pass over the bytes and before librsvg parses anything.
///
/// It errs towards too much: it counts every `<` of a tag, also in comments.
struct SVGSurvey {
    /// The cost of the whole document.
    private(set) var cost = SVGCost()
    private var entities: [ArraySlice<UInt8>: SVGEntity] = [:]
    private let bytes: ArraySlice<UInt8>

    /// The largest number of declared entities. Honest documents stay far below it.
    private static let maximumEntities = 1000
    /// The largest number of bytes that all entity references may expand to.
    private static let maximumExpandedBytes = 8 << 20

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// Reads the document.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for too many elements, references or levels, or entities that
    ///   expand to too much.
    mutating func check(_ limits: DecodeLimits) throws(TintypeError) {
        var position = bytes.startIndex
        while let next = bytes[position...].firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
            position = next + 1
            if let entity = SVGEntity(declaredAt: next, in: bytes) {
                try declare(entity)
                position = entity.end
            } else if bytes[next] == UInt8(ascii: "&") {
                cost += expandedCost(of: SVGEntity.name(at: position, in: bytes), depth: 0)
            } else if SVGEntity.beginsTag(at: position, in: bytes) {
                cost += SVGTag(at: position, in: bytes).cost
            }
            guard cost.elements <= limits.elements else {
                throw .exceeded(.elements, "an SVG with more than \(limits.elements) elements")
            }
            guard cost.expandedBytes <= Self.maximumExpandedBytes else {
                throw .exceeded(
                    .elements, "an SVG whose entities expand to more than \(Self.maximumExpandedBytes) bytes")
            }
        }
        try SVGDepth.check(bytes, limits)
    }

    /// Records an entity. The first declaration of a name counts (XML 1.0, 4.2).
    private mutating func declare(_ entity: SVGEntity) throws(TintypeError) {
        guard entities.count < Self.maximumEntities else {
            throw .exceeded(.elements, "an SVG with more than \(Self.maximumEntities) entities")
        }
        guard !SVGNames.containsReferencingElements(entity.value) else {
            throw .exceeded(.elements, "an SVG with an entity that contains references between elements")
        }
        if entities[entity.name] == nil { entities[entity.name] = entity }
    }

    /// Returns the cost of a reference, computed once per entity. An entity that refers to itself is unbounded.
    private mutating func expandedCost(of name: ArraySlice<UInt8>, depth: Int) -> SVGCost {
        guard let entity = entities[name] else { return SVGCost() }
        if let cost = entity.cost { return cost }
        guard depth < Self.maximumEntities else { return .unbounded }
        // The value while it is being computed, which a cycle then finds.
        entities[name]?.cost = .unbounded
        var cost = entity.ownCost
        for name in entity.references { cost += expandedCost(of: name, depth: depth + 1) }
        entities[name]?.cost = cost
        return cost
    }
}
