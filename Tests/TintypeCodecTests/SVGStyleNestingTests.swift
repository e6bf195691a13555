import Testing

@testable import TintypeSVG

/// How brackets of style sheets are counted.
@Suite struct SVGStyleNestingTests {
    private static func isAccepted(_ css: String) -> Bool {
        (try? SVGStyleNesting.check(Array(css.utf8))) != nil
    }

    private static func many(_ css: String, _ count: Int = 80) -> String { String(repeating: css, count: count) }

    @Test(arguments: [
        many(":not("), many(":host("), many("["), many("@media x{"), many(":not(/*)*/"), many(":not([a=')])'"),
        many(":not([a=\")]\""), many(":not(\\)"), many(":not(url( \\) )"), many(":not(']\n"),
        many(":not(/**/*)").replacing(")", with: ""), many(":not(["), many(":not(}"),
        many("url(").replacing("url", with: "curl"), "a{b:url(" + many("(") + ")}", "/*" + many("("), "'" + many("("),
    ])
    func deepNestingIsRefused(_ css: String) {
        #expect(!Self.isAccepted(css))
    }

    @Test(arguments: [
        many(".a:not(.b):is(.c,.d){fill:rgb(1,2,3)}", 3000), many("/* ( */"), many("[a='(']{}"), many("a{b:url(a(b)}"),
        many("a{b:url( \"a(b\" )}"), many("a{content:'\\'('}"), many("a{b:url('data:,<g transform=(1)')}"),
        many("\\("), many("@media print{a{b:calc((1px + 2px) * 3)}}"), many(":not(a)*/*(*/"), many("/*/ ( */"),
    ])
    func ordinaryStyleSheetsAreAccepted(_ css: String) {
        #expect(Self.isAccepted(css))
    }
}
