import Foundation

/// An entity that an SVG declares, with the text that it stands for (XML 1.0, 4.2).
struct SVGEntity {
    let name: ArraySlice<UInt8>
    let value: ArraySlice<UInt8>
    /// Where the declaration's value ends.
    let end: Int
    /// What it comes to, once that was found out.
    var cost: SVGCost?

    private static let opening = Array("<!ENTITY".utf8)
    /// So that each place is looked at a bounded number of times.
    private static let longestName = 256
    private static let quotes: Set<UInt8> = [UInt8(ascii: "\""), UInt8(ascii: "'")]

    /// - Returns: `nil` where none is declared whose text stands in the document. Those of parameters (`%`) have a name
    ///   that no reference in text has.
    init?(declaredAt place: Int, in bytes: ArraySlice<UInt8>) {
        guard bytes[place...].starts(with: Self.opening) else { return nil }
        let start = bytes[(place + Self.opening.count)...].drop(while: Self.isSpace)
        let name = start.prefix(Self.longestName).prefix { !Self.isSpace($0) }
        let rest = bytes[name.endIndex...].drop(while: Self.isSpace)
        guard let quote = rest.first, Self.quotes.contains(quote),
            let end = rest.dropFirst().firstIndex(of: quote)
        else { return nil }
        self.name = name
        self.end = end + 1
        value = bytes[(rest.startIndex + 1)..<end]
    }

    /// What its own text comes to, without what that refers to.
    var ownCost: SVGCost {
        var cost = SVGCost(expandedBytes: value.count)
        for place in value.indices where value[place] == UInt8(ascii: "<") {
            if Self.beginsTag(at: place + 1, in: value) { cost += SVGTag(at: place + 1, in: value).cost }
        }
        return cost
    }

    /// The names of the entities that its text refers to, as often as it does.
    var references: [ArraySlice<UInt8>] {
        value.indices.filter { value[$0] == UInt8(ascii: "&") }.map { Self.name(at: $0 + 1, in: value) }
    }

    /// The name that ends with a semicolon, or with what no name has.
    static func name(at place: Int, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes[place...].prefix(longestName).prefix {
            $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "<") && !isSpace($0)
        }
    }

    /// Whether what follows a `<` is the name of an element: no end tag, comment, declaration or instruction.
    static func beginsTag(at place: Int, in bytes: ArraySlice<UInt8>) -> Bool {
        guard place < bytes.endIndex else { return false }
        return ![UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?")].contains(bytes[place])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
}

/// The beginning of an element, as far as it matters for what drawing it costs.
struct SVGTag {
    private let text: ArraySlice<UInt8>
    private let name: ArraySlice<UInt8>

    /// So that each byte is looked at a bounded number of times.
    private static let longest = 512

    /// - Parameter place: after the `<`, where the name of an element begins.
    init(at place: Int, in bytes: ArraySlice<UInt8>) {
        var quote: UInt8?
        text = bytes[place...].prefix(Self.longest).prefix { byte in
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            return quote != nil || byte != UInt8(ascii: ">")
        }
        let full = text.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        // Without the prefix of a namespace.
        name = full.lastIndex(of: UInt8(ascii: ":")).map { full[($0 + 1)...] } ?? full
    }

    var cost: SVGCost {
        var cost = SVGCost(elements: 1)
        cost.repeated = isOne(of: ["use", "marker", "pattern", "image", "feImage"]) ? 1 : 0
        cost.asides = isOne(of: ["mask", "clipPath", "filter"]) ? 1 : 0
        guard name.starts(with: "fe".utf8) else { return cost }
        cost.looks = name.elementsEqual("feTurbulence".utf8) ? octaves : 1
        // The radius of the one may be scaled to any number of pixels, the kernel of the other has any size.
        cost.wideFilters = isOne(of: ["feMorphology", "feConvolveMatrix"]) ? 1 : 0
        return cost
    }

    private func isOne(of names: [String]) -> Bool { names.contains { name.elementsEqual($0.utf8) } }

    /// Each is a layer of noise; what is no plain number of one or two digits counts as without end, as does a tag that is
    /// too long to be read.
    private var octaves: Int {
        guard text.count < Self.longest else { return SVGCost.most }
        let words = String(decoding: text, as: UTF8.self).components(separatedBy: "numOctaves")
        guard words.count > 1 else { return 1 }
        let value = words[1].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first else { return SVGCost.most }
        let digits = value.dropFirst().prefix { $0 != quote }
        return digits.count <= 2 ? Int(digits).map { max($0, 1) } ?? SVGCost.most : SVGCost.most
    }
}
