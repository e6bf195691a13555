import Foundation
import Testing
import TintypeCore

@testable import TintypeSVG

/// The memory of the outlines that cairo builds.
@Suite(.timeLimit(.minutes(5))) struct SVGOutlineTests {
    private static func document(_ body: String, _ declarations: String = "") -> Data {
        let type = declarations.isEmpty ? "" : "<!DOCTYPE svg [\(declarations)]>"
        return Data("\(type)<svg xmlns='http://www.w3.org/2000/svg' width='1000' height='1000'>\(body)</svg>".utf8)
    }

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func path(_ data: String, _ width: String = "900", _ attributes: String = "") -> String {
        "<path fill='none' stroke='red' stroke-width='\(width)' \(attributes) d='M500 500\(data)'/>"
    }

    /// Returns the bytes charged for drawing 1000 × 1000 pixels, without these.
    private static func charge(_ body: String, _ declarations: String = "") throws -> Double {
        var survey = SVGSurvey(Array(document(body, declarations)))
        try survey.check(DecodeLimits())
        return survey.outlines.bytes(at: 1, side: 1000, survey.cost) + Double(survey.cost.documentBytes)
    }

    @Test(arguments: [("zZz", 3.0), ("M0 0z", 2), ("h1h-1", 1), ("l0 0", 1), ("M5 5zM5 5z", 4), ("", 0)])
    func closingCommandsAndNumbersCount(_ path: String, _ circles: Double) {
        var outlines = SVGOutlines()
        outlines.read(attribute: Array("stroke-linejoin".utf8)[...], Array("round".utf8)[...])
        outlines.read(attribute: Array("d".utf8)[...], Array(path.utf8)[...])
        outlines.read(attribute: Array("points".utf8)[...], Array("".utf8)[...])
        #expect(outlines.circles == circles, "\(path)")
    }

    @Test(arguments: [
        ("c1 1 2 2 3 3 4 4 5 5 6 6", 2.0), ("s1 1 2 2q1 1 2 2", 2), ("t1 1 2 2", 2), ("a1 1 0 1 1 2 2", 1),
        ("l1 1z", 0),
    ]) func withoutRoundJoinsOnlyCurvesCount(_ path: String, _ circles: Double) {
        var outlines = SVGOutlines()
        // Those of a short path are not counted one by one.
        outlines.read(attribute: Array("d".utf8)[...], Array("M0 0\(path)\(Self.many("h1", 200))".utf8)[...])
        #expect(outlines.circles == circles, "\(path)")
    }

    /// Returns whether the charge of a path with an attribute is that with round caps.
    @Test(arguments: [
        ("stroke-linecap='round'", true), ("stroke-linejoin='ROUND'", true), ("stroke-linejoin='&#114;ound'", true),
        ("style='stroke-linejoin: round'", true), ("style='stroke-linejo\\69n:round'", true),
        ("stroke-linejoin='miter'", false), ("stroke-linecap='square'", false), ("class='round'", false),
    ]) func roundCapsAndJoinsAreRecognized(_ attributes: String, _ isRound: Bool) throws {
        let charge = try Self.charge(Self.path(Self.many("h1h-1", 2000), "900", attributes))
        #expect((charge >= 62e6) == isRound)
    }

    /// The peaks in megabytes were measured with librsvg 2.54 and cairo 1.16, less that of an empty drawing.
    private static let measured: [(String, Double)] = [
        (path(many("z", 2000), "1", "stroke-linecap='round'"), 0.9),
        (path(many("z", 2000), "100", "stroke-linecap='round'"), 15),
        (path(many("z", 2000), "900", "stroke-linecap='round'"), 62),
        (path(many("z", 200), "1e6", "stroke-linecap='round'"), 11),
        (path(many("z", 200), "1e8", "stroke-linecap='round'"), 163),
        (path(many("h1h-1", 2000), "900", "stroke-linejoin='round'"), 62),
        (path(many("M5 5h0", 2000), "900", "stroke-linecap='round'"), 28),
        (path(many("c-90 -90 -90 90 -90 90c90 -90 -90 -90 90 -90", 500), "900", "stroke-linejoin='round'"), 37),
        (path(many("c-400 -400 400 -400 0 0", 500), "1"), 9),
        (path(many("c-400000 -400000 400000 -400000 0 0", 500), "1"), 64),
        (path(many("a400 400 0 1 1 0 1", 500), "1"), 16),
        ("<path d='M500 500\(many("a400 400 0 1 1 0 1", 500))'/>", 6),
        ("<text font-size='16'>\(many("@", 1000))</text>", 6.2),
        ("<text font-size='100'>\(many("@", 1000))</text>", 11.4),
        ("<text style='font:bold 500px serif'>\(many("@", 1000))</text>", 25.3),
        ("<text font-size='2000'>\(many("@", 1000))</text>", 49.6),
        ("<text font-size='16' stroke='red' stroke-width='300'>\(many("@", 500))</text>", 19.3),
    ]

    @Test(arguments: measured)
    func anOutlineTakesAtMostTwiceItsCharge(_ body: String, _ megabytes: Double) throws {
        #expect(try Self.charge(body) * 2 >= megabytes * 1e6, "\(body.prefix(99))")
    }

    private static func round(_ data: String, _ width: String) -> String {
        path(data, width, "stroke-linecap='round'")
    }

    /// A transform, a style sheet or an entity states the width or the commands.
    private static let hidden: [(String, String)] = [
        ("<g transform='scale(900)'>\(round(many("z", 2000), "1"))</g>", ""),
        ("<style>path{stroke-width:900}</style>\(round(many("z", 2000), "1"))", ""),
        ("<style>path{strok\\65-width:900}</style>\(round(many("z", 2000), "1"))", ""),
        ("<style>path{transform:scale(900)}</style>\(round(many("z", 2000), "1"))", ""),
        ("<svg viewBox='0 0 1 1'>\(round(many("z", 2000), "1"))</svg>", ""),
        (round(many("&z;", 200), "900"), "<!ENTITY z 'zzzzzzzzzz'>"),
        ("&p;", "<!ENTITY p '\(round(many("z", 2000), "900").replacing("'", with: "\""))'>"),
    ]

    @Test(arguments: hidden)
    func hiddenWidthsAndCommandsCount(_ body: String, _ declarations: String) throws {
        #expect(try Self.charge(body, declarations) >= 62e6, "\(body.prefix(99))")
    }

    /// They took 3.4 GB, and 130 MB.
    @Test(arguments: [
        (path(many("z", 100_000), "900", "stroke-linecap='round'"), 2 << 30),
        ("<text font-size='500'>\(many("@", 5000))</text>", 100 << 20),
    ])
    func aLargeOutlineIsRefused(_ body: String, _ limit: Int) {
        var context = DecodeContext()
        context.limits.memoryBytes = limit
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(Self.document(body), context: context)
        }
        #expect(error?.limit == .memoryBytes)
    }

    /// The pen of a line of 10¹² pixels took 260 MB, for a file of 170 bytes, and one of 10¹⁴ pixels ten times as much. A
    /// curve has a pen without round joins, too.
    private static let wide = [
        "<path d='M10 10L50 70L90 20' stroke='red' stroke-width='1e12' stroke-linejoin='round'/>",
        "<line x1='10' y1='10' x2='90' y2='80' stroke='red' stroke-width='1e12' stroke-linecap='round'/>",
        "<circle cx='50' cy='50' r='30' stroke='red' stroke-width='1e12'/>",
        "<text y='50' stroke='red' stroke-width='1e12'>ab</text>",
        "<path transform='scale(1e10)' d='M0 0L1 1' stroke='red' stroke-width='100' stroke-linecap='round'/>",
        "<g transform='scale(1e6)'><g transform='scale(1e6)'><path d='M0 0L1 1' stroke='red' stroke-linecap='round'/></g></g>",
        // The widths of lines without a pen are limited as well.
        "<path d='M10 10L50 70L90 20' stroke='red' stroke-width='1e12'/>",
        "<path d='M10 10L50 70L90 20' stroke='red' stroke-width='9e6'/>",
        "<path d='M10 10L50 70L90 20' style='stroke:red;stroke-width:/**/1e12'/>",
        "<path d='M10 10L50 70L90 20' stroke='red' stroke-width='/**/1e12'/>",
        "<path d='M10 10L50 70L90 20' stroke='red' stroke-width='1e12\\65m'/>",
        // A width that is not known, but too large in any case.
        "<path d='M0 0L1 1' stroke='red' stroke-width='1e12vw'/>",
        "<g transform='scale(1e7)'><path d='M0 0L1 1' stroke='red' stroke-width='1vw'/></g>",
        "<style>g{transform:scale(1e6)}</style><g><g><path d='M0 0L1 1' stroke='red'/></g></g>",
    ]

    @Test(arguments: wide) func aLineTooWideIsRefused(_ body: String) {
        Self.expectRefusal(body)
    }

    private static func expectRefusal(_ body: String) {
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(document(body), context: DecodeContext())
        }
        #expect(error?.limit == .library, "\(body)")
    }

    /// librsvg panicked at 10⁸.
    @Test(arguments: [
        "<text y='50' font-size='1e8'>a</text>", "<text y='50' style='font:bold 1e8px serif'>a</text>",
        "<g transform='scale(1e4)'><text y='50' font-size='200'>a</text></g>",
        "<rect width='9vw'/><text y='50' font-size='1e8'>a</text>",
    ]) func aFontTooLargeIsRefused(_ body: String) {
        Self.expectRefusal(body)
    }

    /// A length whose unit is not known does not make the widths of lines unknown.
    @Test(arguments: [
        "<rect width='1vw' height='9' stroke='red' stroke-width='2' stroke-linejoin='round'/>",
        "<svg width='1vw' height='9'><path d='M0 0L1 1' stroke='red' stroke-width='2' stroke-linejoin='round'/></svg>",
        "<g font-size='2em'><path d='M0 0L1 1' stroke='red' stroke-width='2' stroke-linejoin='round'/></g>",
        "<path d='M0 0L1 1' stroke='red' stroke-width='1%' stroke-linecap='round'/>",
        "<path d='M0 0L1 1' stroke='red' stroke-width='.5em' stroke-linecap='round'/>",
        "<style>path{transform:scale(1.2)}</style><path d='M0 0L1 1' stroke='red' stroke-linecap='round'/>",
        "<path d='M0 0L1 1' stroke='red' stroke-width='7e6' stroke-linecap='round'/>",
        "<text y='50' font-size='9999'>a</text>", "<text y='50'>a</text>",
    ]) func aKnownLineIsDrawn(_ body: String) throws {
        let image = try SVGDecoder().decode(Self.document(body), context: DecodeContext())
        #expect(image.size.width == 1000)
    }

    /// Such documents of common programs were refused: the width of their lines, or the factor by which they enlarge them,
    /// counted as infinite.
    private static let common: [(String, String)] = [
        ("<g style='font-family:&quot;A&quot;'>\(path("h1", "2"))</g>", ""),
        ("<g transform='translate&#40;1,1)'>\(path("h1", "2"))</g>", ""),
        ("<svg viewBox='0 0 &#49;0 10'>\(path("h1", "2"))</svg>", ""),
        ("<g style='&s;'>\(path("h1", "2"))</g>", "<!ENTITY s 'fill:none'>"),
        ("<g xmlns:x='&n;' transform='scale(2)'>\(path("h1", "2"))</g>", "<!ENTITY n 'http://a/'>"),
        ("<g transform='scale(2)'>\(many("<g aria-label='a&#39;s'/>", 100))\(path("h1", "2"))</g>", ""),
        ("<style>g{transform: rotate(45deg) translateZ(0)}</style><g>\(path("h1", "2"))</g>", ""),
        ("<style>g{transform: scale(120%) !important}</style><g>\(path("h1", "2"))</g>", ""),
        ("<style>g{transform: unset}</style><g>\(path("h1", "2"))</g>", ""),
        ("<style>@keyframes a{50%{transform:scale(1e6)}}</style><g><g>\(path("h1", "2"))</g></g>", ""),
        ("<g transform='scale(92600)'>\(path("h1", "2e-5"))</g>", ""),
        (path("h1", ".1rem"), ""), (path("h1", "1vw"), ""),
        ("<g font-size='9em'><g font-size='9em'>\(path("h1", "1em"))</g></g>", ""),
        ("<g font-size='900%'>\(path("h1", "1em"))</g>", ""),
        ("<svg width='900%'>\(path("h1", "1%"))</svg>", ""),
    ]

    @Test(arguments: common) func aCommonDocumentIsDrawn(_ body: String, _ declarations: String) throws {
        let image = try SVGDecoder().decode(Self.document(body, declarations), context: DecodeContext())
        #expect(image.size.width == 1000)
    }

    /// The charge is that of a line of a million pixels.
    @Test(arguments: [path(many("z", 2000), "1vw", "stroke-linecap='round'")])
    func aLineOfUnknownWidthIsCharged(_ body: String) throws {
        #expect(try Self.charge(body) >= 180e6)
    }

    /// A line of 60,000 numbers that crosses itself everywhere took 50 MB.
    @Test func aPointOfALineIsCharged() throws {
        #expect(try Self.charge(Self.path(Self.many("L97 8L32 15", 15_000), "1")) * 2 >= 50e6)
    }

    /// It was charged for round joins, which it does not have.
    @Test func aLongPathWithoutRoundJoinsIsAccepted() throws {
        let body = Self.path(Self.many(" 97 8 32 15", 169_500), "90")
        #expect(try Self.charge(body) < Double(DecodeLimits().memoryBytes))
    }

    /// Only the largest path counts, because librsvg draws one after the other.
    @Test(arguments: [
        // An icon.
        many("<path stroke='#000' stroke-width='2' stroke-linejoin='round' d='M1 1h9v9h-9z'/>", 100),
        // A map with lines of the usual width.
        many("<path stroke='#000' stroke-width='.5' d='M1 1\(many("l1.5-2", 1000))z'/>", 50),
        // A drawing with a heading and a long text.
        "<text font-size='48'>Heading</text><text>\(many("word ", 1000))</text>",
    ])
    func normalDrawingsTakeLittle(_ body: String) throws {
        #expect(try Self.charge(body) < Double(64 << 20))
        let image = try SVGDecoder().decode(Self.document(body), context: DecodeContext())
        #expect(image.size.width == 1000)
    }
}
