import Foundation
import Testing
import TintypeCore

@testable import TintypeSVG

/// The size at which patterns and filters are drawn.
@Suite(.timeLimit(.minutes(5))) struct SVGPatternTests {
    private static func document(_ body: String, _ declarations: String = "", side: Int = 100) -> Data {
        let type = declarations.isEmpty ? "" : "<!DOCTYPE svg [\(declarations)]>"
        let spaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        return Data("\(type)<svg \(spaces) width='\(side)' height='\(side)'>\(body)</svg>".utf8)
    }

    private static func survey(_ body: String, _ declarations: String = "") throws(TintypeError) -> SVGSurvey {
        var survey = SVGSurvey(Array(document(body, declarations)))
        try survey.check(DecodeLimits())
        return survey
    }

    private static let tile = "<pattern id='q' width='20' height='10' patternUnits='userSpaceOnUse'>"
    private static let pattern = "\(tile)<rect width='9' height='9'/></pattern>"
    private static let filled = "<rect width='10' height='10' fill='url(#q)'/>"
    private static let shares = "<pattern id='q' width='.5' height='50%'><circle r='1'/></pattern>"

    static let tiles: [(body: String, side: Double)] = [
        (pattern + filled, 20), ("\(pattern)<g transform='scale(1500)'>\(filled)</g>", 30_000),
        ("\(pattern)<g transform='scale(&#49;000)'>\(filled)</g>", 20_000),
        ("\(pattern)<g transform='scale(.001)'><g transform='scale(1000)'>\(filled)</g></g>", 20_000),
        ("\(pattern)<g transform='translate(9) matrix(0 5 -5 0 7 7), rotate(30)'>\(filled)</g>", 100),
        ("\(pattern)<g style='fill:red; TRANSFORM:/**/scale(2,3)'>\(filled)</g>", 60),
        ("<style>.a{transform:rotate(9deg) translate(9px)}</style>\(pattern)\(filled)", 20),
        (
            "<pattern id='q' patternTransform='scale(4)' xlink:href='#p'/>" + pattern.replacing("'q'", with: "'p'")
                + filled, 80
        ),
        ("\(pattern)<g id='a' transform='scale(10)'>\(filled)</g><use xlink:href='#a' transform='scale(10)'/>", 2000),
        ("\(pattern)<symbol viewBox='0 0 10 10'>\(filled)</symbol>", 200),
        ("\(pattern)<svg width='300' viewBox='0 0 30 60'>\(filled)</svg>", 200),
        ("\(pattern)<g stroke-width='7'/><marker markerWidth='5' viewBox='0 0 2 2'>\(filled)</marker>", 20 * 7 * 2.5),
        ("\(shares)<rect width='80' height='9'/>", 40), ("\(shares)<path d='M-50 0h100v1e3'/>", 500),
        ("\(shares)<circle r='50'/>", 50), ("\(shares)<rect width='300%' height='9'/>", 150),
        ("\(shares)<polygon points='0 0 8 8 9 90'/>", 45), ("\(shares)<text font-size='20'>abcdefgh</text>", 400),
        // Exports of Figma: the image of a pattern has the size of what it fills.
        (
            "<rect width='90' height='60' fill='url(#f)'/><pattern id='f' patternContentUnits='objectBoundingBox' width='1' "
                + "height='1'><use xlink:href='#i' transform='scale(.002)'/></pattern><image id='i' width='500' height='500'/>",
            90
        ),
        // The parts of a text lie on both sides of the origin, and are moved.
        ("\(shares)<text x='300'>a<tspan x='-300' dy='1.5em'>b</tspan></text>", (600 + 24 + 160) / 2),
        ("\(shares)<text x='50%' y='200%'>a</text>", (400 + 80) / 2),
        ("<pattern width='0' height='0'/><rect width='9' height='9'/>", 0), ("<rect transform='scale(9)'/>", 0),
    ]

    /// The survey may say too much, but not too little: a reference counts a little, and a view box is as large as any.
    @Test(arguments: tiles.indices) func aTileIsEnlargedAlongItsPath(_ index: Int) throws {
        let (body, side) = Self.tiles[index]
        let found = try Self.survey(body).tileSide
        #expect(found >= side * 0.999_999 && found <= side * 1.1, "\(found) \(body)")
    }

    @Test(arguments: [
        "<style>rect{transform:scale(2)}</style>\(pattern)\(filled)",
        "<style>rect{tr\\61nsform:scale(2)}</style>\(pattern)\(filled)",
        "\(pattern)<g transform='scale(&a;000)'>\(filled)</g>", "\(pattern)<g transform='zoom(9)'>\(filled)</g>",
        "\(pattern)<svg viewBox='0 0 &a; 1'>\(filled)</svg>", "\(pattern)<svg width='900%'>\(filled)</svg>",
        "\(tile)\(filled)</pattern><pattern id='q'/><pattern href='#q'/>", "\(pattern)<rect width='9vw'/>",
        "<mask maskContentUnits='objectBoundingBox'>\(filled)</mask>\(pattern)",
        "<filter primitiveUnits='objectBoundingBox'/>\(pattern)", "<text x='9vw'>\(shares)</text>",
        "<pattern width='2em'/>", "<pattern href='%23q'/>\(pattern)&e;", "\(pattern)<g transform='scale(1e99)'/>",
    ])
    func unreadableSizesAreUnbounded(_ body: String) throws {
        let isHidden = body.contains("&e;")
        let found = try Self.survey(body, isHidden ? "<!ENTITY e '<g/>'>" : "").tileSide
        #expect(found == .infinity, "\(body)")
    }

    /// librsvg drew a surface of 30,000² pixels for 396 bytes.
    @Test(arguments: ["scale(1500)", "scale(1e6)", "matrix(1 9e4 0 1 0 0)"])
    func aTileThatNeedsTooMuchMemoryIsRefused(_ transform: String) {
        let data = Self.document("\(Self.pattern)<g transform='\(transform)'>\(Self.filled)</g>")
        let error = #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: DecodeContext()) }
        #expect(error?.limit == .memoryBytes)
    }

    /// A tile of 2000 × 2000 pixels.
    @Test func aTileIsChargedAsMuchAsItNeeds() throws {
        let data = Self.document("\(Self.pattern)<g transform='scale(100)'>\(Self.filled)</g>")
        var context = DecodeContext()
        context.limits.memoryBytes = 20 << 20
        #expect(try SVGDecoder().decode(data, context: context).pixels[5, 5].alpha == 255)
        context.limits.memoryBytes = 15 << 20
        let error = #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: context) }
        #expect(error?.limit == .memoryBytes)
    }

    /// The box around a group contains all that it draws, and an image has a box. librsvg drew surfaces of 30,000² pixels.
    @Test(arguments: [
        "<g mask='url(#m)'><rect width='1' height='1'/><rect x='29999' y='29999' width='1' height='1'/></g>",
        "<g mask='url(#m)'><rect width='1' height='1' transform='scale(30000)'/></g>",
        "<image width='30000' height='30000' mask='url(#m)'/>",
    ])
    func aMaskOfTheSizeOfAGroupIsRefused(_ body: String) {
        let pattern = "<pattern id='p' patternUnits='userSpaceOnUse' width='1' height='1'><rect width='1'/></pattern>"
        let unit = "<rect width='1' height='1' fill='url(#p)'/>"
        let mask = "<mask id='m' maskContentUnits='objectBoundingBox'>\(unit)</mask>"
        let data = Self.document(pattern + mask + body)
        let error = #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: DecodeContext()) }
        #expect(error?.limit == .memoryBytes)
    }

    /// The transform, the units or the view box of one pattern enlarge the contents of another. librsvg drew surfaces of
    /// 30,000² pixels.
    @Test(arguments: [
        ("patternTransform='scale(200)'", 80_000), ("patternContentUnits='objectBoundingBox'", 40_000),
        ("viewBox='0 0 .5 .5'", 80_000),
    ])
    func aPatternTakesOverTheFactorsOfOthers(_ attribute: String, _ side: Int) throws {
        let inner = Self.pattern.replacing("'q'", with: "'p'")
        let contents = "<g transform='scale(20)'><rect width='1' height='1' fill='url(#p)'/></g>"
        let heir = "<pattern id='q' width='1' height='1' href='#b'>\(contents)</pattern>"
        let body = "\(inner)<pattern id='b' \(attribute)/>\(heir)<rect width='100' height='100' fill='url(#q)'/>"
        #expect(try Self.survey(body).tileSide >= Double(side) * 0.999_999)
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(Self.document(body), context: DecodeContext())
        }
        #expect(error?.limit == .memoryBytes)
    }

    @Test func theScaleOfTheDrawingEnlargesTilesUpToTheLargestSurface() throws {
        let survey = try Self.survey(Self.pattern + Self.filled)
        #expect(abs(survey.tileBytes(at: 10) / survey.tileBytes(at: 1) - 100) < 0.001)
        #expect(survey.tileBytes(at: 1e9) == 4 * 32_767 * 32_767)
    }

    // MARK: Filters

    private static func morphology(_ radius: String, _ transform: String = "scale(1)", side: Int) -> Data {
        let filter = "<filter id='f'><feMorphology operator='dilate' radius='\(radius)'/></filter>"
        return document(
            "\(filter)<g transform='\(transform)'><rect width='9' height='9' filter='url(#f)'/></g>", side: side)
    }

    /// It was refused beyond 300 pixels a side, however small its radius.
    @Test(arguments: ["1", "2 3", "0"]) func aSmallRadiusIsDrawnInALargeImage(_ radius: String) throws {
        let image = try SVGDecoder().decode(Self.morphology(radius, side: 1000), context: DecodeContext())
        #expect(image.size.width == 1000)
    }

    @Test(arguments: [("200", "scale(1)"), ("2", "scale(100)"), ("1e300", "scale(1)"), ("a", "scale(1)")])
    func aLargeRadiusIsRefused(_ radius: String, _ transform: String) {
        let data = Self.morphology(radius, transform, side: 1000)
        let error = #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: DecodeContext()) }
        #expect(error?.limit == .filteredPixels)
    }

    /// A radius in parts of the box of a group.
    @Test func aRadiusRelativeToAGroupIsRefused() {
        let filter = """
            <filter id='f' primitiveUnits='objectBoundingBox'><feMorphology operator='dilate' radius='1'/></filter>
            """
        let group = "<g filter='url(#f)'><rect width='1' height='1'/><rect x='30000' width='1' height='1'/></g>"
        let data = Self.document(filter + group)
        let error = #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: DecodeContext()) }
        #expect(error?.limit == .filteredPixels)
    }

    @Test func theNumbersOfAKernelCount() throws {
        func samples(_ order: String) throws -> Int {
            try Self.survey("<filter><feConvolveMatrix \(order)/></filter>").cost.filterSamples
        }
        #expect(try samples("") == 9 && samples("order='5'") == 25 && samples("order='20 3'") == 60)
    }
}
