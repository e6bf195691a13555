/// The patterns of a document (SVG 2, 14.3). librsvg draws the tile of a pattern off-screen, at the size that all
/// transforms together give it.
struct SVGPatterns {
    private struct Pattern {
        /// The patterns from which it inherits attributes.
        var parents: [ArraySlice<UInt8>] = []
        /// Whether its size is in pixels, and not in parts of the element that it fills; `nil` if it does not say.
        var isInPixels: Bool?
        /// The longer side; `nil` if it does not say.
        var side: Side?
        /// Whether an attribute is written in a form that only librsvg resolves.
        var isHidden = false
    }

    /// A side of a tile, as it is written.
    private struct Side {
        var number = 0.0
        var percent = 0.0

        static func max(_ first: Side, _ second: Side) -> Side {
            Side(
                number: Swift.max(first.number, second.number), percent: Swift.max(first.percent, second.percent))
        }

        /// The side in pixels.
        func pixels(isInPixels: Bool, _ lengths: SVGLengths) -> Double {
            guard number.isFinite, percent.isFinite else { return .infinity }
            let share = percent / 100
            if isInPixels { return Swift.max(number, share > 0 ? share * lengths.longestViewport : 0) }
            let part = Swift.max(number, share)
            return part > 0 ? part * lengths.box : 0
        }
    }

    /// The start tags of all patterns.
    private(set) var tags: [SVGTag] = []
    private var patterns: [Pattern] = []
    private var named: [ArraySlice<UInt8>: [Int]] = [:]
    private var openPattern = SVGOpenElement()
    /// Whether a pattern contains something that may be filled with another.
    private var containShapes = false
    /// The elements that patterns draw by reference.
    private var used: [ArraySlice<UInt8>] = []
    /// The names of all elements that are not images.
    private var namesOfOthers: Set<ArraySlice<UInt8>> = []

    /// The longest chain of patterns that inherit attributes.
    private static let maximumChain = 32

    /// Whether patterns draw only images, so that none is filled with another.
    var drawOnlyImages: Bool { !containShapes && !used.contains { namesOfOthers.contains($0) } }

    /// Reads a start tag.
    mutating func read(_ tag: SVGTag, isClosed: Bool) {
        let isPattern = tag.name == "pattern"
        if tag.name != "image" { namesOfOthers.formUnion(tag.attributes.values(of: "id")) }
        if openPattern.isOpen { readContent(tag) }
        if !isClosed { openPattern.open(isIt: isPattern) }
        if isPattern { add(tag) }
    }

    /// Reads an end tag.
    mutating func close() {
        openPattern.close()
    }

    private mutating func readContent(_ tag: SVGTag) {
        let references = tag.attributes.flatMap { SVGNames.references(in: $0.value) }
        let isPlain = tag.attributes.allSatisfy { !SVGNames.hasObfuscatedReference($0.value) }
        used += references
        containShapes =
            containShapes || !["image", "use"].contains(tag.name) || !isPlain
            || references.contains { SVGNames.isObfuscated(name: $0) }
    }

    private mutating func add(_ tag: SVGTag) {
        var pattern = Pattern()
        for (name, value) in tag.attributes {
            pattern.isHidden = pattern.isHidden || value.contains(UInt8(ascii: "&"))
            switch String(decoding: name.prefix(20), as: UTF8.self) {
            case "id": named[value, default: []].append(patterns.count)
            case "href":
                pattern.parents += SVGNames.references(in: value)
                pattern.isHidden = pattern.isHidden || pattern.parents.contains { SVGNames.isObfuscated(name: $0) }
            case "patternUnits":
                pattern.isInPixels = SVGText.trimmed(value).elementsEqual("userSpaceOnUse".utf8)
            case "width", "height": pattern.side = Side.max(pattern.side ?? Side(), Self.side(value))
            default: break
            }
        }
        patterns.append(pattern)
        tags.append(tag)
    }

    /// Reads a length. One in another unit than pixels and percents is infinite.
    private static func side(_ value: ArraySlice<UInt8>) -> Side {
        var scanner = SVGNumberScanner(value)
        guard let number = scanner.number() else { return Side() }
        switch scanner.unit() {
        case "", "px": return Side(number: abs(number))
        case "%": return Side(percent: abs(number))
        default: return Side(number: .infinity)
        }
    }

    /// Returns an upper bound of the longest side of all tiles in pixels, before any transform.
    func longestTile(in lengths: SVGLengths) -> Double {
        var (longest, isHidden) = (0.0, false)
        for index in patterns.indices {
            longest = max(longest, side(of: index, 0).pixels(isInPixels: isInPixels(index, 0), lengths))
            isHidden = isHidden || patterns[index].isHidden
        }
        return isHidden ? .infinity : longest
    }

    /// The side of a pattern, or else the side that it inherits.
    private func side(of index: Int, _ level: Int) -> Side {
        if let side = patterns[index].side { return side }
        let parents = parents(of: index)
        guard let parent = parents.first else { return Side() }
        // If several patterns have the same name, librsvg may choose any of them.
        guard level < Self.maximumChain, parents.count == 1 else { return Side(number: .infinity) }
        return side(of: parent, level + 1)
    }

    /// Whether the side of a pattern is in pixels.
    private func isInPixels(_ index: Int, _ level: Int) -> Bool {
        if let isInPixels = patterns[index].isInPixels { return isInPixels }
        guard level < Self.maximumChain, let parent = parents(of: index).first else { return false }
        return isInPixels(parent, level + 1)
    }

    /// The patterns from which a pattern may inherit attributes.
    private func parents(of index: Int) -> [Int] { patterns[index].parents.flatMap { named[$0] ?? [] } }
}
