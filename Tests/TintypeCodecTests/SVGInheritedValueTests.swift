import Foundation
import Testing
import TintypeCore

@testable import TintypeSVG

/// The memory of strings and lists that every element inherits.
@Suite(.timeLimit(.minutes(5))) struct SVGInheritedValueTests {
    private static func document(_ body: String, _ declarations: String = "") -> Data {
        let type = declarations.isEmpty ? "" : "<!DOCTYPE svg [\(declarations)]>"
        return Data("\(type)<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'>\(body)</svg>".utf8)
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Returns the bytes charged to each element.
    private static func charge(_ body: String, _ declarations: String = "") throws -> Int {
        var survey = SVGSurvey(Array(document(body, declarations)))
        try survey.check(DecodeLimits())
        return survey.cost.inheritedBytes / survey.cost.elements
    }

    @Test(arguments: [
        ("<g font-family='abcdefgh'/>", 16), ("<g stroke-dasharray='1 2 3 4 '/>", 128),
        ("<g fill='url(#a)'/>", 14), ("<g xml:lang='en'/>", 4), ("<g style='font-family:abcdefgh'/>", 16),
        ("<g style='FONT-/**/FAMILY : abcd; marker:url(#a)'/>", 52), ("<g style='f\\6f nt-family:abcd'/>", 64),
        ("<style>g{font-family:abcdefgh} a{fill:url(#a)}</style>", 30),
        // The longest value of each property counts, and no other attribute.
        ("<g font-family='abcd'/><g font-family='abcdefgh'/><g font-family='a'/>", 16),
        ("<g id='abcdefgh' class='a b' transform='scale(2)' d='M0 0' points='1 2' href='data:,a'/>", 0),
    ])
    func theLongestValuesCount(_ body: String, _ bytes: Int) throws {
        #expect(try Self.charge(body) == bytes, "\(body)")
    }

    @Test func valuesInEntitiesCount() throws {
        let entities = "<!ENTITY a 'abcd'><!ENTITY b '&a;&a;'><!ENTITY c '<g fill=\"abcd\"/>'>"
        #expect(try Self.charge("<g font-family='&b;'/>&c;", entities) == 24)
        #expect(try Self.charge("<g style='font-family:&b;'/>&c;", entities) == 24)
    }

    /// librsvg took 200 to 700 MB to parse them, and more than 4.7 GB for others of 340 KB.
    @Test(arguments: [
        ("<g font-family='\(long(10_000))'>", 20_000), ("<g fill='url(#\(long(40_000)))'>", 5000),
        ("<g xml:lang='en-\(long(40_000))'>", 5000), ("<g style='font-family:\(long(40_000))'>", 5000),
        ("<g stroke-dasharray='\(String(repeating: "9 ", count: 2000))'>", 20_000),
        ("<style>g{font-family:\(long(10_000))}</style><g>", 20_000),
    ])
    func aLongValueThatManyElementsInheritIsRefused(_ start: String, _ count: Int) {
        var context = DecodeContext()
        context.limits.memoryBytes = 200 << 20
        let data = Self.document("\(start)\(String(repeating: "<g/>", count: count))</g>")
        let error = #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: context) }
        #expect(error?.limit == .memoryBytes)
    }

    /// Attributes of a drawing program, repeated for each of 2,000 elements.
    @Test func normalValuesTakeLittle() throws {
        let style = """
            fill:url(#linearGradient4321);stroke:#000000;stroke-dasharray:8, 4, 2, 4;marker-end:url(#Arrow1Lend);\
            font-family:'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif;clip-path:url(#clipPath99)
            """
        let path = "<path id='path1234' class='st0' style=\"\(style)\" transform='scale(2)' d='M0 0h9v9z'/>"
        var survey = SVGSurvey(Array(Self.document(String(repeating: path, count: 2_000))))
        try survey.check(DecodeLimits())
        #expect(survey.cost.inheritedBytes < 2 << 20)
    }
}
