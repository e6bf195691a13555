import TintypeCore

/// The outlines that cairo builds to draw a document. It keeps those of one path, or one text, at a time.
///
/// A round cap or join has as many corners as a part of the circle that the pen draws. A curve that turns sharply contains
/// a round join, even if the document states others.
struct SVGOutlines {
    /// The number of points of a path: one for each closing command, which may end an empty line, and half of one for each
    /// number.
    private var points = 0.0
    /// The number of curves of a path.
    private var curves = 0.0
    /// The number of circles of the pen that a path may consist of: one for each point with round caps or joins, otherwise
    /// one for each curve.
    var circles: Double { mayRound ? points : curves }
    /// The number of numbers of a path times its length in pixels of the document. The number of corners of its curves grows
    /// with the square root of that.
    private(set) var bend = 0.0
    /// The width of the thickest line in pixels of the document; infinite if it is not known, 0 without lines.
    private(set) var line = 0.0
    /// The largest font size.
    private(set) var font = 16.0
    /// The largest factor by which the document enlarges an element: see ``SVGEnlargement``.
    private(set) var enlargement = 1.0
    /// The width of the thickest line, and the largest factor, that the document plainly states.
    private var stated = (line: 0.0, enlargement: 1.0)
    /// Whether the document plainly states how wide its lines are drawn.
    private var isLineKnown: Bool { line.isFinite && stated.enlargement >= enlargement }
    /// The largest font size that is stated.
    private var statedFont = 0.0
    /// Whether a line may be drawn.
    private var mayStroke = false
    /// Whether a line may have round caps or joins.
    private var mayRound = false

    /// The number of bytes for a corner within the drawing, and for any other one. Measured with cairo 1.16: 75 to 107,
    /// and 6 to 9.
    private static let (bytesOfCorner, bytesOfHiddenCorner) = (110.0, 9.0)
    /// The number of bytes for a point of a line. Measured: 300 to 1600, for lines that cross each other.
    private static let bytesOfPoint = 1600.0
    /// The number of bytes per unit of the square root of ``bend`` in pixels. Measured: 15 to 253, for circles.
    private static let bytesOfBend = 300.0
    /// The number of bytes per byte of text at a font size of 1. It grows with the square root of the font size.
    /// Measured for `@`: 30 KB at a size of 500.
    private static let bytesOfGlyph = 1200.0
    /// The number of bytes for a corner of the pen, which cairo makes once for a line. Measured: 26.
    private static let bytesOfPenCorner = 40.0
    /// The widest line in pixels. The coordinates of cairo end at 2²³.
    private static let widestLine = 8e6
    /// The width of a line, in pixels, that stands for one that is not known.
    private static let unknownLine = 1e6
    /// The largest font in pixels. librsvg 2.54 panics at 10⁸.
    private static let largestFont = 1e6
    /// The largest factor that counts for a font. A map may enlarge its lines further, but not its texts.
    private static let largestFontFactor = 50_000.0
    /// The smallest scale that counts.
    private static let smallestScale = 1e-6
    /// The smallest side of a drawing, in pixels, at which hidden corners no longer matter.
    private static let smallestSide = 1000.0
    /// The number of points and dashes from which it matters how much a document enlarges its elements.
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
        } else if attribute.elementsEqual(Self.stroke) {
            mayStroke = mayStroke || !SVGText.trimmed(value).elementsEqual("none".utf8)
        } else if attribute.starts(with: Self.capOrJoin) {
            mayRound = mayRound || Self.hides(value) || SVGText.contains(Self.round, in: value)
        }
    }

    /// Reads a style sheet or a `style` attribute.
    mutating func read(style css: ArraySlice<UInt8>) {
        let isHidden = Self.hides(css)
        mayStroke = mayStroke || isHidden || SVGText.contains(Self.stroke, in: css)
        mayRound =
            mayRound || isHidden || SVGText.contains(Self.capOrJoin, in: css) && SVGText.contains(Self.round, in: css)
    }

    /// Returns whether an escape or a reference may hide a word.
    private static func hides(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") }
    }

    private static let (stroke, capOrJoin) = (Array("stroke".utf8), Array("stroke-line".utf8))
    private static let round = Array("round".utf8)

    private mutating func read(path: ArraySlice<UInt8>, isPoints: Bool) {
        let numbers = Double(SVGNumbers.count(in: path))
        let closes = Double(SVGNumbers.closeCount(in: path))
        points = max(points, numbers / 2 + closes)
        guard !isPoints, SVGPathLength.mayCurve(path) else { return }
        // The curves of a short path take little, however long they are.
        guard numbers > Self.smallCount else { return curves = max(curves, numbers / 2) }
        let outline = SVGPathLength(path: path)
        curves = max(curves, Double(outline.curves))
        bend = max(bend, numbers * (outline.length.isNaN ? .infinity : outline.length))
    }

    /// Returns whether it matters how large elements are drawn.
    ///
    /// - Parameters:
    ///   - textBytes: The number of bytes of the longest text.
    ///   - dashes: The number of dashes of a line.
    func dependOnScale(textBytes: Int, dashes: Int) -> Bool {
        mayStroke || textBytes > 0 || max(points, Double(dashes)) > Self.smallCount
    }

    /// Records the lengths of the document.
    ///
    /// - Parameters:
    ///   - lengths: The lengths.
    ///   - enlargement: An upper bound of the factor by which the document enlarges an element.
    ///   - stated: The part of that factor which the document plainly states.
    mutating func measure(_ lengths: SVGLengths, enlargement: Double, stated: Double) {
        (line, font, statedFont) = (mayStroke ? lengths.line : 0, lengths.glyph, lengths.statedFont)
        self.enlargement = enlargement
        self.stated = (mayStroke ? lengths.statedLine : 0, stated)
    }

    /// Takes over the larger values of an embedded document.
    mutating func add(_ other: SVGOutlines) {
        (points, curves, bend) = (max(points, other.points), max(curves, other.curves), max(bend, other.bend))
        (line, font, statedFont) = (max(line, other.line), max(font, other.font), max(statedFont, other.statedFont))
        (mayStroke, mayRound) = (mayStroke || other.mayStroke, mayRound || other.mayRound)
        enlargement = max(enlargement, other.enlargement)
        stated.line = max(stated.line, other.stated.line)
        stated.enlargement = max(stated.enlargement, other.stated.enlargement)
    }

    // MARK: Limits

    /// Checks the width of lines and the size of fonts.
    ///
    /// A width that is not known is charged like ``unknownLine``, so what the document states must be less.
    ///
    /// - Parameter scale: The number of pixels for a pixel of the document.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if a line is drawn too wide, or if a font is too large.
    func check(at scale: Double) throws(TintypeError) {
        let widest = isLineKnown ? Self.widestLine : Self.unknownLine
        guard Self.length(stated.line, at: max(scale, Self.smallestScale) * stated.enlargement) <= widest else {
            throw .exceeded(.library, "an SVG with a line that may be wider than \(Int(widest)) pixels")
        }
        let factor = enlargement <= Self.largestFontFactor ? factor(at: scale) : scale
        guard Self.length(statedFont, at: factor) <= Self.largestFont else {
            throw .exceeded(.library, "an SVG with a font of more than \(Int(Self.largestFont)) pixels")
        }
    }

    // MARK: Memory

    /// Returns the memory of the largest outline in bytes.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels for a pixel of the document.
    ///   - side: The longest side of an image into which a part of the document is drawn, in pixels.
    ///   - cost: The cost of the document.
    func bytes(at scale: Double, side: Double, _ cost: SVGCost) -> Double {
        let factor = factor(at: scale)
        // A round cap at both ends of a dash is one circle.
        let circles = bytes(ofCircles: circles + (mayRound ? Double(cost.dashes) : 0), at: factor, side)
        let paths = circles + (line > 0 ? Self.bytesOfPoint * points : 0)
        let glyph =
            Self.bytesOfGlyph * min(Self.length(font, at: factor), 4 * max(side, Self.smallestSide)).squareRoot()
        // A glyph is a closed outline of some curves, one of which may turn sharply.
        let glyphs = Double(cost.longestTexts)
        let text = glyphs * glyph + bytes(ofCircles: glyphs * (mayRound ? 2 : 1), at: factor, side)
        return Self.bytesOfPenCorner * corners(at: factor) + max(paths + bendBytes(at: factor, side), text)
    }

    /// Returns the number of pixels for the longest pixel of an element. Not zero, so that its product with infinity is
    /// not NaN.
    private func factor(at scale: Double) -> Double { max(scale, Self.smallestScale) * enlargement }

    /// Returns the number of corners of the pen of the thickest line. cairo gives it a corner for each 0.1 pixels of error,
    /// so the number grows with the square root of the radius.
    private func corners(at factor: Double) -> Double {
        let width = Self.length(line, at: factor)
        return 10 * (isLineKnown ? width : min(width, Self.unknownLine)).squareRoot()
    }

    /// Returns the memory of circles that a pen draws.
    private func bytes(ofCircles count: Double, at factor: Double, _ side: Double) -> Double {
        let corners = corners(at: factor)
        // Not zero times infinity.
        guard count > 0, corners > 0 else { return 0 }
        // A larger circle shows fewer corners within the drawing.
        let shown = min(corners, 12 * max(side, 1).squareRoot())
        return count * (Self.bytesOfCorner * shown + Self.bytesOfHiddenCorner * corners)
    }

    /// Returns the memory of the curves of a path. Corners outside the drawing take little.
    private func bendBytes(at factor: Double, _ side: Double) -> Double {
        let most = 2 * points * (4 * max(side, Self.smallestSide)).squareRoot()
        return Self.bytesOfBend * min(Self.length(bend, at: factor).squareRoot(), most)
    }

    /// Returns a length at a scale, which may be infinite.
    private static func length(_ length: Double, at factor: Double) -> Double {
        // Zero times infinity is not a number.
        length > 0 ? length * factor : 0
    }
}
