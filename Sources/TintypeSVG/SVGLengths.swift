/// The greatest lengths in a document, in pixels before any transform.
///
/// Each is an upper bound, or infinite if a length depends on something that is not surveyed.
struct SVGLengths {
    /// The width and the height of the largest viewports.
    private(set) var viewport = (width: 0.0, height: 0.0)
    /// The side of the bounding box of the largest single shape or text, without its line. It does not bound a group, which
    /// may draw shapes far from each other, nor an image.
    private(set) var box = 0.0
    /// The width of the thickest line; infinite only if that itself cannot be bounded.
    private(set) var line = 1.0
    /// The width of the thickest line that the document states, whatever its unit.
    var statedLine: Double { line.isFinite ? line : max(1, lines.number) }
    /// The largest font size.
    private var font = 16.0
    /// The largest font size that is stated, 0 without texts. One that is relative to another counts as if that were 16.
    private(set) var statedFont = 16.0
    /// The size of the largest glyph: the font size, infinite if it depends on that of another element.
    private(set) var glyph = 16.0
    /// The positions of texts.
    private var texts = SVGTextPositions()
    /// The largest share of a viewport that a length states.
    private var share = 0.0
    /// The largest length in font sizes.
    private var fonts = 0.0
    /// Whether the style sheets enlarge elements, or something else hides lengths.
    private var isUnbounded = false
    /// The factor by which style sheets may enlarge each element. Lengths are before any other transform.
    private(set) var sheetFactor = 1.0
    /// The widths of lines.
    private var lines = SVGLargestLength()
    /// The sides of viewports.
    private var sides = SVGLargestLength()
    /// Whether something hides any property, such as an entity that contains elements, or an escape.
    private var isHidden = false
    /// Whether font sizes relative to that of the parent multiply.
    private var isFontUnbounded = false

    /// The width of a glyph, with its distance to the next, as a multiple of the font size.
    private static let advance = 5.0

    /// Ends the reading.
    ///
    /// - Parameter textBytes: The number of bytes of the longest text.
    mutating func finish(textBytes: Int) {
        // A font size may itself be relative to that of the parent.
        viewport = (max(viewport.width, fonts * font), max(viewport.height, fonts * font))
        // A document without a size gets the size of its contents, or else this default.
        if viewport == (0, 0) { viewport = (100, 100) }
        let relative = max(fonts * font, share * longestViewport)
        let extent = texts.extent(font: font, viewport: longestViewport)
        box = max(box, relative, Double(textBytes) * font * Self.advance + extent)
        glyph = max(glyph, fonts * font)
        finishLines()
        if textBytes == 0 { statedFont = 0 }
        if isUnbounded { (box, glyph) = (.infinity, .infinity) }
    }

    /// Bounds viewports and lines by what only they depend on, so that a length elsewhere whose unit is not known does
    /// not matter.
    private mutating func finishLines() {
        let font = isFontUnbounded ? .infinity : font
        let isKnown = !isHidden && sides.share <= 1 && sides.pixels(font: font, viewport: 0).isFinite
        if !isKnown { viewport = (.infinity, .infinity) }
        line = isHidden ? .infinity : max(line, lines.pixels(font: font, viewport: longestViewport))
    }

    /// The longest side of a viewport.
    var longestViewport: Double { max(viewport.width, viewport.height) }

    /// Whether all lengths are known.
    var isBounded: Bool { longestViewport.isFinite && !isUnbounded }

    /// Whether all lengths that were read are absolute.
    var isPlain: Bool { share == 0 && fonts == 0 && !isUnbounded }

    /// Records that something hides lengths, such as an entity that contains elements.
    mutating func hide() {
        (isUnbounded, isHidden) = (true, true)
    }

    // MARK: Reading

    /// Reads an attribute, with references replaced.
    mutating func read(_ tag: SVGTag, _ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        switch String(decoding: name.prefix(20), as: UTF8.self) {
        case "width" where tag.hasViewport: viewport.width = max(viewport.width, viewportSide(value))
        case "height" where tag.hasViewport: viewport.height = max(viewport.height, viewportSide(value))
        case "width", "height": if tag.hasGeometry { box = max(box, length(value)) }
        case "d": box = max(box, SVGPathLength.box(ofPath: value))
        case "points": box = max(box, SVGPathLength.box(ofPoints: value))
        case "viewBox":
            guard let size = Self.viewBox(value) else { break }
            viewport = (max(viewport.width, size.width), max(viewport.height, size.height))
        case "x" where tag.placesText, "y" where tag.placesText: texts.read(position: value)
        case "dx" where tag.placesText, "dy" where tag.placesText: texts.read(offset: value)
        case "style": for rule in SVGStyleRule.rules(in: value) { readDeclaration(rule.declaration) }
        case let property: read(property, value)
        }
    }

    /// Returns a side of a viewport. Viewports that are larger than those around them multiply.
    private mutating func viewportSide(_ value: ArraySlice<UInt8>) -> Double {
        let shareBefore = share
        share = 0
        let side = length(value, in: \.sides)
        isUnbounded = isUnbounded || share > 1
        share = max(share, shareBefore)
        return side
    }

    /// Reads a style sheet. Its transforms may apply to any element, and to those inside it.
    mutating func read(sheet css: ArraySlice<UInt8>) {
        for rule in SVGStyleRule.rules(in: css) {
            readDeclaration(rule.declaration)
            guard !rule.isKeyframe, let factor = Self.transform(in: rule.declaration) else { continue }
            guard factor > 1.000_001 else { continue }
            (isUnbounded, sheetFactor) = (true, max(sheetFactor, factor))
        }
        isUnbounded = isUnbounded || share > 1
    }

    /// Returns the factor of a declaration of `transform`, infinite if it cannot be read; `nil` for another property.
    static func transform(in declaration: ArraySlice<UInt8>) -> Double? {
        let (property, value) = parts(of: declaration)
        // An escape may hide the property. librsvg does not support `scale`, `rotate` and `zoom` as properties.
        guard property.hasPrefix("transform") || property.contains("\\") else { return nil }
        guard property == "transform" else { return property.contains("\\") ? .infinity : nil }
        return SVGTransform.factor(of: value) ?? .infinity
    }

    /// Returns the size of a view box, or `nil` if it cannot be read.
    static func viewBox(_ value: ArraySlice<UInt8>) -> (width: Double, height: Double)? {
        var scanner = SVGNumberScanner(value)
        guard scanner.number() != nil, scanner.number() != nil, let width = scanner.number(),
            let height = scanner.number()
        else { return nil }
        return (abs(width), abs(height))
    }

    private static func parts(of rule: ArraySlice<UInt8>) -> (property: String, value: ArraySlice<UInt8>) {
        let declaration = SVGText.withoutComments(rule)
        let name = declaration.prefix { $0 != UInt8(ascii: ":") }
        let property = String(decoding: SVGText.trimmed(name).prefix(32), as: UTF8.self).lowercased()
        return (property, declaration[name.endIndex...].dropFirst())
    }

    private mutating func readDeclaration(_ declaration: ArraySlice<UInt8>) {
        let (property, value) = Self.parts(of: declaration)
        if property.contains("\\") { hide() }
        read(property, value)
    }

    private mutating func read(_ property: String, _ value: ArraySlice<UInt8>) {
        switch property {
        case "width", "height":
            let side = length(value, in: \.sides)
            (viewport, box) = ((max(viewport.width, side), max(viewport.height, side)), max(box, side))
        // The diameter, or the distance between two ends.
        case "r", "rx", "ry", "x1", "x2", "y1", "y2": box = max(box, 2 * length(value))
        case "stroke-width": line = max(line, length(value, in: \.lines))
        case "font-size", "font":
            readFont(value)
            font = max(font, length(value))
            glyph = max(glyph, Self.glyphSize(value))
            // Sizes relative to that of the parent multiply.
            isUnbounded = isUnbounded || fonts > 1 || SVGText.contains(Array("larger".utf8), in: value)
        case "letter-spacing", "word-spacing": font = max(font, length(value))
        default: break
        }
    }

    /// Reads the size that a font property states, and whether such sizes multiply.
    private mutating func readFont(_ value: ArraySlice<UInt8>) {
        let size = SVGLargestLength(value)
        statedFont = max(statedFont, Self.largestWord(value), 16 * max(size.fonts, size.share))
        let isLarger = size.fonts > 1 || size.share > 1 || SVGText.contains(Array("larger".utf8), in: value)
        isFontUnbounded = isFontUnbounded || isLarger || size.isUnbounded
    }

    /// Returns the largest size in the value of a font property, whose other words may come first.
    private static func glyphSize(_ value: ArraySlice<UInt8>) -> Double {
        value.contains(UInt8(ascii: "%")) ? .infinity : largestWord(value)
    }

    private static func largestWord(_ value: ArraySlice<UInt8>) -> Double {
        let words = value.split { $0 <= 0x20 || $0 == UInt8(ascii: "/") }
        return words.map { SVGLargestLength($0).pixels }.max() ?? 0
    }

    /// Returns the largest of some lengths in pixels. Relative lengths count when the reading ends.
    mutating func length(_ value: ArraySlice<UInt8>) -> Double {
        let largest = SVGLargestLength(value)
        (share, fonts) = (max(share, largest.share), max(fonts, largest.fonts))
        isUnbounded = isUnbounded || largest.isUnbounded
        return largest.pixels
    }

    /// Returns the largest of some lengths in pixels, and adds them to those of a kind.
    private mutating func length(
        _ value: ArraySlice<UInt8>, in kind: WritableKeyPath<SVGLengths, SVGLargestLength>
    ) -> Double {
        self[keyPath: kind].add(SVGLargestLength(value))
        return length(value)
    }
}

/// The largest lengths in a list of lengths, for each kind of unit.
struct SVGLargestLength {
    /// The largest absolute one in pixels.
    private(set) var pixels = 0.0
    /// The largest one that is a share of a viewport.
    private(set) var share = 0.0
    /// The largest one in font sizes.
    private(set) var fonts = 0.0
    /// The largest number, whatever its unit.
    private(set) var number = 0.0
    /// Whether one has an unknown unit.
    private(set) var isUnbounded = false

    init() {}

    /// - Parameter value: The lengths, perhaps with comments of CSS. An escape makes them unknown.
    init(_ value: ArraySlice<UInt8>) {
        var scanner = SVGNumberScanner(SVGText.withoutComments(value))
        isUnbounded = value.contains(UInt8(ascii: "\\"))
        while let number = scanner.number() {
            let unit = scanner.unit()
            self.number = max(self.number, abs(number))
            switch unit {
            case "%": share = max(share, abs(number) / 100)
            case "em", "ex", "ch", "rem": fonts = max(fonts, abs(number))
            default:
                if let size = Self.units[unit] { pixels = max(pixels, abs(number) * size) } else { isUnbounded = true }
            }
        }
    }

    /// Adds other lengths.
    mutating func add(_ other: SVGLargestLength) {
        (pixels, share, fonts) = (max(pixels, other.pixels), max(share, other.share), max(fonts, other.fonts))
        (number, isUnbounded) = (max(number, other.number), isUnbounded || other.isUnbounded)
    }

    /// Returns the largest length in pixels.
    func pixels(font: Double, viewport: Double) -> Double {
        isUnbounded ? .infinity : max(pixels, share > 0 ? share * viewport : 0, fonts > 0 ? fonts * font : 0)
    }

    /// The sizes of units in pixels, rounded up.
    private static let units = ["": 1.0, "px": 1, "pt": 1.34, "pc": 16, "mm": 3.78, "cm": 37.8, "in": 96, "q": 1]
}

/// The positions of the texts of a document. librsvg 2.56 and later scales a pattern to the box of a whole text, whose
/// parts (`tspan`) may be far from each other.
struct SVGTextPositions {
    private var positions: [SVGLargestLength] = []
    private var offsets: [SVGLargestLength] = []

    mutating func read(position value: ArraySlice<UInt8>) {
        positions.append(SVGLargestLength(value))
    }

    mutating func read(offset value: ArraySlice<UInt8>) {
        offsets.append(SVGLargestLength(value))
    }

    /// Returns an upper bound of the distance between two parts of a text. They may lie on both sides of the origin.
    func extent(font: Double, viewport: Double) -> Double {
        let farthest = positions.map { $0.pixels(font: font, viewport: viewport) }.max() ?? 0
        return 2 * farthest + offsets.reduce(0) { $0 + $1.pixels(font: font, viewport: viewport) }
    }
}
