import TintypeCore

/// The dashes of the lines in a document. cairo keeps the outlines of all dashes of a line at once, whether they are
/// visible or not, and takes a microsecond for each.
///
/// Any dash pattern may apply to any line, and the scale of a drawing does not matter.
struct SVGDashes {
    /// The length of the longest line, in its own units.
    private(set) var longestLine = 0.0
    /// The shortest dash with its gap, in the same units; infinite without dashes.
    private(set) var shortestDash = Double.infinity

    /// The largest font size.
    private var largestFont = 16.0

    /// The length of a glyph's outline, as a multiple of the font size.
    private static let outlineOfGlyph = 5.0
    /// The largest number of dashes of a line; some ten seconds.
    private static let maximum = 1e7

    /// Returns the largest number of dashes that a line, or the outline of a text, may have.
    ///
    /// - Parameter textBytes: The number of bytes of the longest text.
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    func count(textBytes: Int) throws(TintypeError) -> Int {
        guard shortestDash.isFinite else { return 0 }
        let outline = Double(textBytes) * largestFont * Self.outlineOfGlyph
        let count = max(longestLine, outline) / shortestDash
        guard count <= Self.maximum else {
            throw .exceeded(.library, "an SVG with a line of more than \(Int(Self.maximum)) dashes")
        }
        return Int(count)
    }

    /// Returns whether attributes or style sheets may state dashes. An escape may hide the name.
    static func mayDash(_ css: ArraySlice<UInt8>) -> Bool {
        css.contains(UInt8(ascii: "\\")) || SVGText.contains(dashProperty, in: css)
    }

    private static let dashProperty = Array("stroke-dasharray".utf8)

    // MARK: Reading

    /// Reads an attribute, with references replaced.
    mutating func read(attribute name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        switch String(decoding: name.prefix(20), as: UTF8.self) {
        case "d": longestLine = max(longestLine, SVGPathLength.length(ofPath: value))
        case "points": longestLine = max(longestLine, SVGPathLength.length(ofPoints: value))
        case "style": read(style: value)
        default: readProperty(name, value)
        }
    }

    /// Reads the declarations of a style sheet or a `style` attribute.
    mutating func read(style css: ArraySlice<UInt8>) {
        for rule in SVGStyleRule.rules(in: css) {
            let declaration = SVGText.withoutComments(rule.declaration)
            let name = SVGText.trimmed(declaration.prefix { $0 != UInt8(ascii: ":") })
            let value = declaration[name.endIndex...].drop { $0 != UInt8(ascii: ":") }.dropFirst()
            // An escape may hide which property it is.
            if name.contains(UInt8(ascii: "\\")) { read(dashes: value) }
            readProperty(name, value)
        }
    }

    private mutating func readProperty(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        let property = String(decoding: name.prefix(20), as: UTF8.self).lowercased()
        if property == "stroke-dasharray" {
            read(dashes: value)
        } else if Self.lengths.contains(property) {
            // The outline of a circle is 2π times its radius.
            longestLine = max(longestLine, 7 * Self.largestLength(value))
        } else if Self.fontSizes.contains(property) {
            largestFont = max(largestFont, Self.largestLength(value))
        }
    }

    private static let lengths: Set = ["width", "height", "r", "rx", "ry", "x1", "x2", "y1", "y2"]
    private static let fontSizes: Set = ["font-size", "font"]

    /// Reads a list of dashes and gaps. Other values, such as `none`, mean a solid line, and so does a sum of zero.
    private mutating func read(dashes value: ArraySlice<UInt8>) {
        var (scanner, sum, count) = (SVGNumberScanner(value), 0.0, 0.0)
        while let number = scanner.number() {
            let size = abs(number) * (Self.pixels[scanner.unit()] ?? Self.smallestUnit)
            (sum, count) = (sum + size, count + 1)
        }
        // An odd number of lengths is repeated, so each of them is a dash once and a gap once.
        if sum > 0 { shortestDash = min(shortestDash, 2 * sum / count) }
    }

    private static func largestLength(_ value: ArraySlice<UInt8>) -> Double {
        var (scanner, largest) = (SVGNumberScanner(value), 0.0)
        while let number = scanner.number() {
            largest = max(largest, abs(number) * (pixels[scanner.unit()] ?? largestUnit))
        }
        return largest
    }

    /// The sizes of units in pixels, rounded down.
    private static let pixels = ["": 1.0, "px": 1, "pt": 1.3, "pc": 16, "mm": 3.7, "cm": 37, "in": 96]
    /// Bounds of units that depend on the document, such as percents.
    private static let (smallestUnit, largestUnit) = (0.001, 100.0)
}
