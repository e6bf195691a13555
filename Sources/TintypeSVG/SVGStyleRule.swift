/// A declaration of a style sheet with the selectors of its rule (CSS Syntax 3, 5.4). A `style` attribute has no selector.
struct SVGStyleRule {
    /// The selectors, or the words of an at-rule.
    let selectors: ArraySlice<UInt8>
    /// The property and its value.
    let declaration: ArraySlice<UInt8>

    /// Whether the rule is a part of an animation, which librsvg does not draw.
    var isKeyframe: Bool {
        let selector = SVGText.trimmed(selectors)
        return selector.last == UInt8(ascii: "%") || selector.elementsEqual("from".utf8)
            || selector.elementsEqual("to".utf8)
    }

    /// Returns the declarations of a style sheet, in order.
    static func rules(in css: ArraySlice<UInt8>) -> [SVGStyleRule] {
        var (rules, open) = ([SVGStyleRule](), [ArraySlice<UInt8>]())
        var (nesting, start) = (SVGStyleNesting(), css.startIndex)
        func end(at index: Int) {
            guard index > start else { return }
            rules.append(SVGStyleRule(selectors: open.last ?? [], declaration: css[start..<index]))
        }
        for index in css.indices {
            nesting.read(css[index])
            guard nesting.isAfterDivider else { continue }
            if css[index] == UInt8(ascii: "{") {
                open.append(css[start..<index])
            } else {
                end(at: index)
                if css[index] == UInt8(ascii: "}") { _ = open.popLast() }
            }
            start = index + 1
        }
        end(at: css.endIndex)
        return rules
    }

    /// A class, ID or type that each of the selectors demands of an element, such as `.a`, `#a` and `a`; `nil` if that can
    /// be told only by parsing.
    var keys: [ArraySlice<UInt8>]? {
        let keys = selectors.split(separator: UInt8(ascii: ",")).map { Self.key(ofSelector: $0) }
        let known = keys.compactMap { $0 }
        return known.isEmpty || known.count < keys.count ? nil : known
    }

    /// Returns a class, ID or type that the last part of a selector demands; `nil` if it can be told only by parsing.
    private static func key(ofSelector selector: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let last = SVGText.trimmed(selector).split { $0 <= 0x20 || combinators.contains($0) }.last ?? []
        let isAtRule = selector.first { $0 > 0x20 } == UInt8(ascii: "@")
        guard !isAtRule, !last.isEmpty, last.allSatisfy(isPlain) else { return nil }
        guard let mark = last.firstIndex(where: { marks.contains($0) }) else { return last }
        if last[mark] == UInt8(ascii: ":") { return mark > last.startIndex ? last[..<mark] : nil }
        return last[mark...].prefix(1) + last[(mark + 1)...].prefix { !marks.contains($0) }
    }

    private static let combinators = Array(">+~".utf8)
    private static let marks = Array(".#:".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        return isLetter || isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || marks.contains(byte)
    }
}
