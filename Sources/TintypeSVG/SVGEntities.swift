import TintypeCore

/// The entities that a document declares.
struct SVGEntities {
    private var entities: [ArraySlice<UInt8>: SVGEntity] = [:]
    /// The number of bytes that ``resolved(_:)`` has expanded.
    private var resolvedBytes = 0

    /// The largest number of declared entities. Normal documents stay far below it.
    private static let maximumCount = 1000
    /// The largest number of bytes that all entity references may expand to.
    static let maximumExpandedBytes = 8 << 20
    /// The deepest nesting of entities inside attributes that may contain a URL.
    private static let maximumDepth = 8

    /// Records an entity. The first declaration of a name counts (XML 1.0, 4.2).
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for too many entities, and for declarations whose effect is not
    ///   surveyed: parameter entities, defaults of attributes, and entities that contain references between elements,
    ///   texts or style sheets.
    mutating func declare(_ declaration: ArraySlice<UInt8>) throws(TintypeError) {
        guard !Self.declaresDefaults(declaration), !SVGEntity.isForDeclarations(declaration) else {
            throw .exceeded(.elements, "an SVG that declares parameter entities or defaults of attributes")
        }
        guard let entity = SVGEntity(declaration) else { return }
        guard entities.count < Self.maximumCount else {
            throw .exceeded(.elements, "an SVG with more than \(Self.maximumCount) entities")
        }
        guard !SVGNames.containsReferencingElements(entity.value), !Self.embedsDocument(entity.value) else {
            throw .exceeded(.elements, "an SVG with an entity that contains references between elements")
        }
        try entity.checkTags()
        if entities[entity.name] == nil { entities[entity.name] = entity }
    }

    /// Returns whether a declaration gives attributes values in all elements of a name (3.3.2). Namespaces are
    /// harmless, and common.
    private static func declaresDefaults(_ declaration: ArraySlice<UInt8>) -> Bool {
        guard declaration.starts(with: "!ATTLIST".utf8) else { return false }
        var attributes = SVGAttributes(declaration)
        while let (_, value) = attributes.next() {
            if !value.starts(with: "http".utf8) { return true }
        }
        return false
    }

    private static func embedsDocument(_ value: ArraySlice<UInt8>) -> Bool {
        value.contains(UInt8(ascii: "<")) && SVGText.contains(SVGText.dataScheme, in: value)
    }

    /// Returns the cost of all references to entities in a text.
    mutating func cost(ofReferencesIn text: ArraySlice<UInt8>) -> SVGCost {
        var cost = SVGCost()
        guard !entities.isEmpty else { return cost }
        for name in SVGEntity.references(in: text) { cost += expandedCost(of: name, depth: 0) }
        return cost
    }

    /// Returns the cost of a reference, computed once per entity. An entity that refers to itself is unbounded.
    private mutating func expandedCost(of name: ArraySlice<UInt8>, depth: Int) -> SVGCost {
        guard let entity = entities[name] else { return SVGCost() }
        if let cost = entity.cost { return cost }
        guard depth < Self.maximumCount else { return .unbounded }
        // The value while it is being computed, which a cycle then finds.
        entities[name]?.cost = .unbounded
        var cost = entity.ownCost
        for name in entity.references { cost += expandedCost(of: name, depth: depth + 1) }
        entities[name]?.cost = cost
        return cost
    }

    // MARK: Resolved text

    /// Returns whether a text may contain the colon of a URL.
    static func mayHideURL(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "\\") }
    }

    /// Returns text with character references and entities replaced; see ``SVGText/resolved(_:in:replacing:)``.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if the entities expand to too much.
    mutating func resolved(
        _ text: ArraySlice<UInt8>, in context: SVGText.Context
    ) throws(TintypeError) -> [UInt8] {
        var expanded = 0
        let result = resolved(text, in: context, depth: 0, &expanded)
        resolvedBytes += expanded
        guard resolvedBytes <= Self.maximumExpandedBytes else {
            throw .exceeded(.elements, "an SVG whose entities expand to more than \(Self.maximumExpandedBytes) bytes")
        }
        return result
    }

    private func resolved(
        _ text: ArraySlice<UInt8>, in context: SVGText.Context, depth: Int, _ expanded: inout Int
    ) -> [UInt8] {
        SVGText.resolved(text, in: context) { name in
            guard let entity = entities[name] else { return [] }
            guard depth < Self.maximumDepth, expanded <= Self.maximumExpandedBytes else {
                expanded = SVGCost.maximum
                return []
            }
            expanded += entity.value.count
            return resolved(entity.value, in: context, depth: depth + 1, &expanded)
        }
    }
}
