import Foundation

/// An entity declaration of an SVG and its replacement text (XML 1.0, 4.2).
struct SVGEntity {
    /// The name of the entity.
    let name: ArraySlice<UInt8>
    /// The replacement text.
    let value: ArraySlice<UInt8>
    /// The index after the closing quote of the value.
    let end: Int
    /// The cost of the expanded text, once it is computed.
    var cost: SVGCost?

    private static let opening = Array("<!ENTITY".utf8)
    /// The longest name in bytes, which bounds the work per position.
    private static let maximumNameLength = 256
    private static let quotes: Set<UInt8> = [UInt8(ascii: "\""), UInt8(ascii: "'")]

    /// Reads a declaration.
    ///
    /// Parameter entities (`%`) get a name that no reference in the text has.
    ///
    /// - Returns: `nil` if no entity with replacement text is declared at `position`.
    init?(declaredAt position: Int, in bytes: ArraySlice<UInt8>) {
        guard bytes[position...].starts(with: Self.opening) else { return nil }
        let start = bytes[(position + Self.opening.count)...].drop(while: Self.isSpace)
        let name = start.prefix(Self.maximumNameLength).prefix { !Self.isSpace($0) }
        let rest = bytes[name.endIndex...].drop(while: Self.isSpace)
        guard let quote = rest.first, Self.quotes.contains(quote),
            let end = rest.dropFirst().firstIndex(of: quote)
        else { return nil }
        self.name = name
        self.end = end + 1
        value = bytes[(rest.startIndex + 1)..<end]
    }

    /// The cost of its own text, without the entities that it refers to.
    var ownCost: SVGCost {
        var cost = SVGCost(expandedBytes: value.count)
        for position in value.indices where value[position] == UInt8(ascii: "<") {
            if Self.beginsTag(at: position + 1, in: value) { cost += SVGTag(at: position + 1, in: value).cost }
        }
        return cost
    }

    /// The names of the entities that its text refers to, with repetitions.
    var references: [ArraySlice<UInt8>] {
        value.indices.filter { value[$0] == UInt8(ascii: "&") }.map { Self.name(at: $0 + 1, in: value) }
    }

    /// Returns the name that starts at `position` and ends at a semicolon, a space or a `<`.
    static func name(at position: Int, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes[position...].prefix(maximumNameLength).prefix {
            $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "<") && !isSpace($0)
        }
    }

    /// Returns whether the position after a `<` starts an element, and not an end tag, comment, declaration or
    /// instruction.
    static func beginsTag(at position: Int, in bytes: ArraySlice<UInt8>) -> Bool {
        guard position < bytes.endIndex else { return false }
        return ![UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?")].contains(bytes[position])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
}

/// The start tag of an element, as far as it matters for the cost of drawing.
struct SVGTag {
    private let text: ArraySlice<UInt8>
    private let name: ArraySlice<UInt8>

    /// The longest tag that is read, in bytes, which bounds the work per position.
    private static let maximumLength = 512

    /// - Parameter position: The index after the `<`.
    init(at position: Int, in bytes: ArraySlice<UInt8>) {
        var quote: UInt8?
        text = bytes[position...].prefix(Self.maximumLength).prefix { byte in
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            return quote != nil || byte != UInt8(ascii: ">")
        }
        let full = text.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        // Drops the namespace prefix.
        name = full.lastIndex(of: UInt8(ascii: ":")).map { full[($0 + 1)...] } ?? full
    }

    /// The cost of the element alone.
    var cost: SVGCost {
        var cost = SVGCost(elements: 1)
        cost.repeatableElements = isOne(of: ["use", "marker", "pattern", "image", "feImage"]) ? 1 : 0
        cost.referencedContainers = isOne(of: ["mask", "clipPath", "filter"]) ? 1 : 0
        guard name.starts(with: "fe".utf8) else { return cost }
        cost.filterSamples = name.elementsEqual("feTurbulence".utf8) ? octaves : 1
        // The radius of feMorphology may scale to any number of pixels, and the kernel of feConvolveMatrix has any
        // size.
        cost.unboundedFilters = isOne(of: ["feMorphology", "feConvolveMatrix"]) ? 1 : 0
        return cost
    }

    private func isOne(of names: [String]) -> Bool { names.contains { name.elementsEqual($0.utf8) } }

    /// The number of noise octaves. A value that is not a plain number of one or two digits, or a tag that is too long,
    /// counts as unbounded.
    private var octaves: Int {
        guard text.count < Self.maximumLength else { return SVGCost.maximum }
        let words = String(decoding: text, as: UTF8.self).components(separatedBy: "numOctaves")
        guard words.count > 1 else { return 1 }
        let value = words[1].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first else { return SVGCost.maximum }
        let digits = value.dropFirst().prefix { $0 != quote }
        return digits.count <= 2 ? Int(digits).map { max($0, 1) } ?? SVGCost.maximum : SVGCost.maximum
    }
}
