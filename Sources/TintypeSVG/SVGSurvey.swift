import TintypeCore

/// What an SVG comes to once its entities are put in, told by one walk over its bytes, before a library builds anything.
///
/// It counts too much rather than too little: every `<` of a tag counts, in comments too.
struct SVGSurvey {
    /// What the whole document comes to.
    private(set) var cost = SVGCost()
    private var entities: [ArraySlice<UInt8>: SVGEntity] = [:]
    private let bytes: ArraySlice<UInt8>

    /// Entities that are declared: what honest documents stay far below.
    private static let mostEntities = 1000
    /// Bytes that all entities together may stand for.
    private static let mostExpandedBytes = 8 << 20

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for more elements than are allowed, or for entities that stand for
    ///   too much.
    mutating func check(_ limits: DecodeLimits) throws(TintypeError) {
        var place = bytes.startIndex
        while let next = bytes[place...].firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
            place = next + 1
            if let entity = SVGEntity(declaredAt: next, in: bytes) {
                try take(entity)
                place = entity.end
            } else if bytes[next] == UInt8(ascii: "&") {
                cost += expanded(SVGEntity.name(at: place, in: bytes), depth: 0)
            } else if SVGEntity.beginsTag(at: place, in: bytes) {
                cost += SVGTag(at: place, in: bytes).cost
            }
            guard cost.elements <= limits.elements else {
                throw .exceeded(.elements, "an SVG of more than \(limits.elements) elements")
            }
            guard cost.expandedBytes <= Self.mostExpandedBytes else {
                throw .exceeded(.elements, "an SVG whose entities stand for more than \(Self.mostExpandedBytes) bytes")
            }
        }
        try SVGDepth.check(bytes, limits)
    }

    /// The first declaration of a name counts (XML 1.0, 4.2).
    private mutating func take(_ entity: SVGEntity) throws(TintypeError) {
        guard entities.count < Self.mostEntities else {
            throw .exceeded(.elements, "an SVG of more than \(Self.mostEntities) entities")
        }
        guard !SVGNames.hidesElements(entity.value) else {
            throw .exceeded(.elements, "an SVG with an entity whose elements refer to others")
        }
        if entities[entity.name] == nil { entities[entity.name] = entity }
    }

    /// What a reference comes to. It is found out once for each entity; one that refers to itself is without end.
    private mutating func expanded(_ name: ArraySlice<UInt8>, depth: Int) -> SVGCost {
        guard let entity = entities[name] else { return SVGCost() }
        if let cost = entity.cost { return cost }
        guard depth < Self.mostEntities else { return .endless }
        // As long as it is being found out.
        entities[name]?.cost = .endless
        var cost = entity.ownCost
        for name in entity.references { cost += expanded(name, depth: depth + 1) }
        entities[name]?.cost = cost
        return cost
    }
}
