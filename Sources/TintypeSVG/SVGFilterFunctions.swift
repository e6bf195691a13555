import TintypeCore

/// The functions that a `filter` property lists (Filter Effects 1, 12.1), such as `blur(2px)`. References to filters, as in
/// `url(#f)`, count as functions too.
enum SVGFilterFunctions {
    /// The samples that a function takes per pixel, at most: a blur reads every pixel six times.
    static let samples = 6
    /// The greatest number of functions in one property. librsvg cannot be cancelled while it applies them.
    private static let maximum = 64

    /// - Throws: ``TintypeError/Code/limitExceeded``.
    static func check(count: Int) throws(TintypeError) {
        guard count <= maximum else {
            throw .exceeded(.filteredPixels, "an SVG with more than \(maximum) filter functions in one property")
        }
    }

    /// Returns the number of functions in the value of a property, apart from a single reference to a filter.
    static func count(inValue value: ArraySlice<UInt8>) -> Int {
        let count = value.count { $0 == UInt8(ascii: "(") }
        return count == 1 && SVGText.trimmed(value).starts(with: "url(".utf8) ? 0 : count
    }

    /// Returns the largest number of functions in a `filter` property among the declarations of a `style` attribute.
    static func count(inStyle css: ArraySlice<UInt8>) -> Int {
        guard mayFilter(css) else { return 0 }
        return SVGStyleRule.rules(in: css).reduce(0) { max($0, count(inDeclaration: $1.declaration)) }
    }

    /// Returns the number of functions that a declaration lists for a `filter` property; 0 for another property.
    static func count(inDeclaration declaration: ArraySlice<UInt8>) -> Int {
        guard mayFilter(declaration) else { return 0 }
        return count(inValue: declaration.drop { $0 != UInt8(ascii: ":") }.dropFirst())
    }

    /// Returns whether CSS may set the property. An escape may hide its name.
    static func mayFilter(_ css: ArraySlice<UInt8>) -> Bool {
        css.contains(UInt8(ascii: "\\")) || SVGText.contains(Array("filter".utf8), in: css)
    }
}
