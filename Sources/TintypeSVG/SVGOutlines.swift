import TintypeCore

/// The outlines that cairo builds to draw a document. It keeps those of one path, or one text, at a time.
///
/// A round cap or join has as many corners as a part of the circle that the pen draws. Curves contain round joins, even
/// if the document states others.
struct SVGOutlines {
    /// The number of circles of the pen that a path may consist of: one for each closing command, which may end an empty
    /// line, and half of one for each number.
    private(set) var circles = 0.0
    /// The number of numbers of a path times its length in pixels of the document. The number of corners of its curves grows
    /// with the square root of that.
    private(set) var bend = 0.0
    /// The width of the thickest line in pixels of the document; infinite if it is not known, 0 without lines.
    private(set) var line = 0.0
    /// The largest font size.
    private(set) var font = 16.0
    /// The number of pixels for the longest pixel of an element.
    private(set) var enlargement = 1.0
    private var mayStroke = false

    /// The number of bytes for a corner within the drawing, and for any other one. Measured with cairo 1.16: 75 to 107,
    /// and 6 to 9.
    private static let (bytesOfCorner, bytesOfHiddenCorner) = (110.0, 9.0)
    /// The number of bytes for the square root of a number of a path times a pixel of length. Measured: 15 to 253, for
    /// circles.
    private static let bytesOfBend = 300.0
    /// The number of bytes of a byte of text at a font size of 1, which grow with its square root. Measured for `@`: 30 KB
    /// at a size of 500.
    private static let bytesOfGlyph = 1200.0
    /// The width of a line, in pixels, that stands for one that is not known.
    private static let unknownLine = 1e6
    /// The smallest scale that counts.
    private static let smallestScale = 1e-6
    /// The smallest side of a drawing, in pixels, at which hidden corners no longer matter.
    private static let smallestSide = 1000.0
    /// The number of circles, dashes and bytes of text from which it matters how much a document enlarges its elements.
    private static let smallCount = 100.0

    // MARK: Reading

    /// Returns whether an attribute is a path or a list of points.
    static func isPath(_ attribute: ArraySlice<UInt8>) -> Bool {
        attribute.elementsEqual("d".utf8) || attribute.elementsEqual("points".utf8)
    }

    /// Reads an attribute, with references replaced.
    mutating func read(attribute: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if Self.isPath(attribute) {
            read(path: value, isPoints: attribute.count > 1)
        } else if attribute.elementsEqual("style".utf8) {
            read(style: value)
        } else {
            mayStroke = mayStroke || attribute.starts(with: Self.stroke)
        }
    }

    /// Reads a style sheet or a `style` attribute.
    mutating func read(style css: ArraySlice<UInt8>) {
        // An escape may hide the property.
        mayStroke = mayStroke || css.contains(UInt8(ascii: "\\")) || SVGText.contains(Self.stroke, in: css)
    }

    private static let stroke = Array("stroke".utf8)

    private mutating func read(path: ArraySlice<UInt8>, isPoints: Bool) {
        let numbers = Double(SVGNumbers.count(in: path))
        let closes = Double(SVGNumbers.closeCount(in: path))
        circles = max(circles, numbers / 2 + closes)
        // The curves of a short path take little, however long they are.
        guard numbers > Self.smallCount, !isPoints else { return }
        let length = SVGPathLength.length(ofPath: path)
        bend = max(bend, numbers * (length.isNaN ? .infinity : length))
    }

    /// Returns whether it matters how large elements are drawn.
    ///
    /// - Parameters:
    ///   - textBytes: The number of bytes of the longest text.
    ///   - dashes: The number of dashes of a line.
    func isLarge(textBytes: Int, dashes: Int) -> Bool {
        max(circles, Double(textBytes), Double(dashes)) > Self.smallCount
    }

    /// Records the lengths of the document.
    mutating func measure(_ lengths: SVGLengths, enlargement: Double) {
        (line, font) = (mayStroke ? lengths.line : 0, lengths.glyph)
        self.enlargement = enlargement
    }

    /// Takes over the larger values of an embedded document.
    mutating func add(_ other: SVGOutlines) {
        (circles, bend) = (max(circles, other.circles), max(bend, other.bend))
        (line, font) = (max(line, other.line), max(font, other.font))
        enlargement = max(enlargement, other.enlargement)
    }

    // MARK: Memory

    /// Returns the memory of the largest outline in bytes.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels for a pixel of the document.
    ///   - side: The longest side of an image into which a part of the document is drawn, in pixels.
    ///   - cost: The cost of the document.
    func bytes(at scale: Double, side: Double, _ cost: SVGCost) -> Double {
        // Not zero, so that its product with infinity is not NaN.
        let factor = max(scale, Self.smallestScale) * enlargement
        // A round cap at both ends of a dash is one circle.
        let paths = circleBytes(at: factor, side) * (circles + Double(cost.dashes))
        let glyph =
            Self.bytesOfGlyph * min(Self.length(font, at: factor), 4 * max(side, Self.smallestSide)).squareRoot()
        // A glyph is a closed outline of some curves.
        let text = Double(cost.longestTexts) * (glyph + 2 * circleBytes(at: factor, side))
        return max(paths + bendBytes(at: factor, side), text)
    }

    /// Returns the memory of the circle that a pen draws. cairo gives it a corner for each 0.1 pixels of error, so the
    /// number grows with the square root of the radius.
    private func circleBytes(at factor: Double, _ side: Double) -> Double {
        guard line > 0 else { return 0 }
        let width = Self.length(line, at: factor)
        let corners = 10 * (width.isFinite ? width : Self.unknownLine).squareRoot()
        // A larger circle shows fewer corners within the drawing.
        return Self.bytesOfCorner * min(corners, 12 * max(side, 1).squareRoot()) + Self.bytesOfHiddenCorner * corners
    }

    /// Returns the memory of the curves of a path. Corners outside the drawing take little.
    private func bendBytes(at factor: Double, _ side: Double) -> Double {
        let most = 2 * circles * (4 * max(side, Self.smallestSide)).squareRoot()
        return Self.bytesOfBend * min(Self.length(bend, at: factor).squareRoot(), most)
    }

    /// Returns a length at a scale, which may be infinite.
    private static func length(_ length: Double, at factor: Double) -> Double {
        // Zero times infinity is not a number.
        length > 0 ? length * factor : 0
    }
}
