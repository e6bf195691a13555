import Foundation
import Testing
import TintypeCore

@testable import TintypeSVG

/// The number of dashes that a line may have.
@Suite(.timeLimit(.minutes(5))) struct SVGDashTests {
    private static func document(_ body: String, _ declarations: String = "") -> Data {
        let type = declarations.isEmpty ? "" : "<!--<svg >--><!DOCTYPE svg [\(declarations)]>"
        return Data("\(type)<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'>\(body)</svg>".utf8)
    }

    private static func dashes(_ body: String, _ declarations: String = "") throws(TintypeError) -> Int {
        var survey = SVGSurvey(Array(document(body, declarations)))
        try survey.check(DecodeLimits())
        return survey.cost.dashes
    }

    @Test(arguments: [
        ("M0 0H10", 10), ("m1-2h10v-5H0", 26), ("M0 0 3 4 6 0", 14), ("m0 0 3 4 3-4", 14), ("M1.5.5L2.5.5", 1),
        ("M0 0h4v3z", 14), ("M0,0L4,0zL0,3", 11), ("M0 0C1 0 2 0 3 0S5 0 6 0", 8), ("M0 0q1 0 2 0t2 0", 6),
        ("M0 0h1e2", 100), ("M0 0h1L", 1), ("M0 0h1x9", 1), ("", 0), ("M0 0a1 1 0 0110 0", 62),
        ("M0 0A50 1 0 1 1 1 0", 314),
    ])
    func aPathIsAtMostAsLongAsItsControlPolygons(_ path: String, _ length: Int) {
        #expect(Int(SVGPathLength.length(ofPath: Array(path.utf8)[...])) == length, "\(path)")
    }

    @Test func pointsFormAClosedOutline() {
        #expect(SVGPathLength.length(ofPoints: Array("0,0 10,0,10 10".utf8)[...]) == 40)
    }

    private static let line = "<path d='M0 0H1000'"

    @Test(arguments: [
        ("\(line) stroke-dasharray='1'/>", 500), ("\(line) stroke-dasharray='1,1'/>", 500),
        ("\(line) stroke-dasharray='1 9'/>", 100), ("\(line)/><g x:stroke-dasharray='10px'/>", 50),
        ("\(line) stroke-dasharray='none'/>", 0), ("\(line) stroke-dasharray='0 0'/>", 0), ("\(line)/>", 0),
        ("\(line) style='fill:none; STROKE-DASHARRAY : 4 4'/>", 125),
        ("\(line) style='stroke-dash\\61rray:4 4'/>", 125),
        ("\(line) style='/*;*/stroke-dasharray/**/:/*1*/4 4'/>", 125),
        ("<style>a{stroke-dasharray:4 4}</style>\(line)/>", 125), ("\(line) stroke-dasharray='1in'/>", 5),
        ("<circle r='100' stroke-dasharray='7'/>", 50), ("<rect style='width:100px' stroke-dasharray='7'/>", 50),
        ("<g stroke-dasharray='8' font-size='10'><text>\(String(repeating: "a", count: 32))</text></g>", 160),
    ])
    func dashesAreCounted(_ body: String, _ count: Int) throws {
        #expect(try Self.dashes(body) == count, "\(body)")
    }

    @Test func dashesInEntitiesAreCounted() throws {
        let entities = "<!ENTITY l '<path d=\"M0 0H10000\"/>'><!ENTITY s '2'>"
        #expect(try Self.dashes("&l;<g stroke-dasharray='&s;'/>", entities) == 2500)
        let dashed = "<!ENTITY l '<path d=\"M0 0H10000\" stroke-dasharray=\"2\"/>'>"
        #expect(try Self.dashes("&l;", dashed) == 2500)
    }

    /// cairo took 1.3 GB for 191 bytes.
    @Test(arguments: ["0.01", "1e-300", "0.001%"]) func tooManyDashesAreRefused(_ dash: String) {
        let body = "<path d='M0 0H8000000' stroke='red' stroke-dasharray='\(dash)'/>"
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(Self.document(body), context: DecodeContext())
        }
        #expect(error?.limit == .library)
    }

    @Test func dashesAreChargedAsMemory() {
        var context = DecodeContext()
        context.limits.memoryBytes = 100 << 20
        let body = "<path d='M0 0H4000000' stroke='red' stroke-dasharray='1 1'/>"
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(Self.document(body), context: context)
        }
        #expect(error?.limit == .memoryBytes)
    }
}
