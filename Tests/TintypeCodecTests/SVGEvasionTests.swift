import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeSVG

/// SVGs that librsvg and the survey before it could read differently.
@Suite(.timeLimit(.minutes(5))) struct SVGEvasionTests {
    private static let spaces = """
        xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' xmlns:x='urn:x'
        """

    private static func document(_ body: String, _ declarations: String = "") -> Data {
        let type = declarations.isEmpty ? "" : "<!--<svg >--><!DOCTYPE svg [\(declarations)]>"
        return Data("\(type)<svg \(spaces) width='100' height='100'>\(body)</svg>".utf8)
    }

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func limit(of data: Data, _ change: (inout DecodeLimits) -> Void = { _ in }) -> DecodeLimit? {
        var context = DecodeContext()
        change(&context.limits)
        return #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: context) }?.limit
    }

    // MARK: Style sheets

    /// librsvg would overrun its stack.
    @Test(arguments: [
        many(":not(", 20_000), many(":host(", 20_000), many("<![CDATA[:not(]]>", 2000), many(":not(<!-- ) -->", 2000),
        many("&n;", 2000), many(":not([a='&#41;&#93;']", 2000), many("<![CDATA[:not([a='&apos;])']]]>", 2000),
    ])
    func nestedSelectorsAreRefused(_ selector: String) {
        let style = "<style>\(selector){fill:red}</style><rect width='9' height='9'/>"
        #expect(Self.limit(of: Self.document(style, "<!ENTITY n ':not('>")) == .elements)
    }

    @Test func nestedBracketsInAStyleAttributeAreRefused() {
        let rect = "<rect width='9' height='9' style='fill:\(Self.many(":not(", 2000))'/>"
        #expect(Self.limit(of: Self.document(rect)) == .elements)
    }

    /// librsvg joins the parts of a style sheet, so a comment of XML hides nothing.
    @Test(arguments: [
        "<style>@imp<!-- -->ort url(data:text/css,a{});</style>",
        "<style>a{fill:url(da<![CDATA[ta:]]>;base64,AAAA#f)}</style>",
    ])
    func dividedStyleSheetsAreReadAsAWhole(_ style: String) {
        #expect(Self.limit(of: Self.document(style)) == .elements)
    }

    @Test func dividedReferencesCountAsDepth() {
        let chain = (1..<400).map { index in
            "<pattern id='a\(index)' width='9' height='9'><g><rect class='c\(index)'/></g></pattern>"
                + "<style>.c\(index){fill:url(#a<!-- -->\(index - 1))}</style>"
        }
        #expect(Self.limit(of: Self.document(chain.joined() + "<rect fill='url(#a399)'/>")) == .elements)
    }

    // MARK: Attributes

    /// librsvg takes the attribute without a namespace, wherever it stands.
    @Test(arguments: [
        "<feTurbulence x:numOctaves='1' numOctaves='3000000'/>",
        "<feTurbulence numOctaves='3000000' x:numOctaves='1'/>",
        "<feConvolveMatrix x:order='3' order='21 21'/>", "<feConvolveMatrix order='21 21' x:order='3'/>",
        "<feOffset x:kernelUnitLength='1'/>",
    ])
    func attributesOfEveryNamespaceCount(_ step: String) {
        let filter = "<filter id='f'>\(step)</filter><rect width='100' height='100' filter='url(#f)'/>"
        let limit = Self.limit(of: Self.document(filter))
        #expect(limit == .library || limit == .filteredPixels)
    }

    /// librsvg would overrun its stack.
    @Test(arguments: ["xml:id='q%' id='a%'", "id='a%' xml:id='q%'", "x:id='q' id='a%'"])
    func elementsAreKnownByEachOfTheirNames(_ names: String) {
        let links = (0..<30).map { index in
            "<g \(names.replacing("%", with: "\(index)"))>\(Self.many("<g>", 200))<use xlink:href='#a\(index + 1)'/>"
                + "\(Self.many("</g>", 200))</g>"
        }
        let body = "<defs>\(links.joined())<rect id='a30'/></defs><use xlink:href='#a0'/>"
        #expect(Self.limit(of: Self.document(body)) == .elements)
    }

    /// libxml2 compares each attribute with all others.
    @Test func tooManyAttributesAreRefused() {
        func element(_ count: Int) -> String { "<g \((0..<count).map { "a\($0)=''" }.joined(separator: " "))/>" }
        #expect(Self.limit(of: Self.document(element(2000))) == .elements)
        #expect(Self.limit(of: Self.document(Self.many(element(900), 40))) { $0.elements = 2000 } == .elements)
        #expect(throws: Never.self) { try SVGDecoder().decode(Self.document(element(900)), context: DecodeContext()) }
    }

    // MARK: Text

    @Test(arguments: [
        ("&t;<g></g>", "<!ENTITY t '<text>\(many("a ", 30_000))</text>'>"),
        ("&t;<g></g>", "<!ENTITY t '<x:text>aaa</x:text>'>"),
        ("&s;", "<!ENTITY s '<style>a b,c{fill:red}</style>'>"),
        ("<filter>&k;</filter>", "<!ENTITY k '<feConvolveMatrix order=\"21 21\"/>'>"),
        ("<text>&r;</text>", "<!ENTITY r '<tref/>'>"),
        ("<g id='a'>a</g><text><tref xlink:href='#a'/></text>", ""),
    ])
    func textAndStylesHiddenFromTheSurveyAreRefused(_ body: String, _ declaration: String) {
        let limit = Self.limit(of: Self.document(body, declaration))
        #expect(limit == .elements || limit == .library)
    }

    @Test func theLongestTextCountsWhateverFollows() throws {
        var survey = SVGSurvey(Array(Self.document("&t;<g></g>", "<!ENTITY t '\(Self.many("a", 5000))'>")))
        try survey.check(DecodeLimits())
        #expect(survey.cost.longestTexts == 5000)
    }

    // MARK: Images

    /// librsvg keeps every image that it decoded.
    @Test func allEmbeddedImagesCount() throws {
        // A GIF of 3000 × 3000 pixels.
        let image = "<image href='data:image/gif;base64,R0lGODlhuAu4CwAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=='/>"
        let data = Self.document(Self.many(image, 20))
        var survey = SVGSurvey(Array(data))
        try survey.check(DecodeLimits())
        #expect(survey.embeddedPixels == 9_000_000 && survey.totalEmbeddedPixels == 180_000_000)
        #expect(Self.limit(of: data) { $0.memoryBytes = 800_000_000 } == .memoryBytes)
    }

    // MARK: Time

    /// Read once for each URL or rule, they would take hours.
    @Test(arguments: [
        "<g class='\(many("data:", 20_000))'/>", "<g class=\"'\(many("data:'", 20_000))\"/>",
        "<style>\(many("@import/*;", 20_000))*/</style>", "<style>\(many("@import;data:;", 20_000))</style>",
    ])
    func repeatedURLsAreSurveyedOnce(_ body: String) {
        var survey = SVGSurvey(Array(Self.document(body)))
        _ = try? survey.check(DecodeLimits())
        #expect(survey.cost.elements > 1)
    }

    @Test func anAbandonedSurveyEnds() {
        let checks = CancellationChecks(passing: 0)
        var survey = SVGSurvey(Array(Self.document(Self.many("<g/>", 10_000))), isAbandoned: checks.isCancelled)
        let error = #expect(throws: TintypeError.self) { try survey.check(DecodeLimits()) }
        #expect(error?.code == .cancelled && checks.count == 1)
    }
}
