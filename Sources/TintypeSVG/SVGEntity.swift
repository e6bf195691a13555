import TintypeCore

/// An entity that an SVG declares, with its replacement text (XML 1.0, 4.2).
struct SVGEntity {
    /// The name of the entity.
    let name: ArraySlice<UInt8>
    /// The replacement text.
    let value: ArraySlice<UInt8>
    /// The cost of the expanded text, once it is computed.
    var cost: SVGCost?

    private static let keyword = Array("!ENTITY".utf8)

    /// - Returns: `nil` for another declaration, and for an entity without replacement text.
    init?(_ declaration: ArraySlice<UInt8>) {
        guard declaration.starts(with: Self.keyword) else { return nil }
        let start = declaration.dropFirst(Self.keyword.count).drop { $0 <= 0x20 }
        name = start.prefix { $0 > 0x20 }
        let rest = declaration[name.endIndex...].drop { $0 <= 0x20 }
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = rest.dropFirst().firstIndex(of: quote)
        else { return nil }
        value = rest[(rest.startIndex + 1)..<end]
    }

    /// Returns whether a declaration is that of a parameter entity (4.1), which may stand for further declarations.
    static func isForDeclarations(_ declaration: ArraySlice<UInt8>) -> Bool {
        declaration.starts(with: keyword)
            && declaration.dropFirst(keyword.count).first { $0 > 0x20 } == UInt8(ascii: "%")
    }

    /// The cost of its own text, without the entities that it refers to.
    var ownCost: SVGCost {
        var cost = SVGCost(expandedBytes: value.count)
        var markup = SVGMarkup(value)
        while let piece = markup.next() {
            if case .open(let name, let attributes, _) = piece { cost += SVGTag(name, attributes).cost }
        }
        return cost
    }

    /// Checks the elements that it contains.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for texts and style sheets, which are surveyed as a whole, and the
    ///   errors of ``SVGTag/check()``.
    func checkTags() throws(TintypeError) {
        var markup = SVGMarkup(value)
        while let piece = markup.next() {
            guard case .open(let name, let attributes, _) = piece else { continue }
            let tag = SVGTag(name, attributes)
            try tag.check()
            guard !tag.isText, !tag.isStyle else {
                throw .exceeded(.elements, "an SVG with an entity that contains a text or a style sheet")
            }
        }
    }

    /// Whether its text may contain elements, also by other entities.
    var mayContainElements: Bool {
        value.contains(UInt8(ascii: "<")) || SVGText.contains(Array("&#".utf8), in: value)
    }

    /// The names of the entities that its text refers to, with repetitions.
    var references: [ArraySlice<UInt8>] { Self.references(in: value) }

    /// Returns the names between each `&` and the next semicolon.
    static func references(in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (names, rest) = ([ArraySlice<UInt8>](), text)
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            let name = rest[(mark + 1)...].prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "<") && $0 > 0x20 }
            names.append(name)
            rest = rest[name.endIndex...]
        }
        return names
    }
}
