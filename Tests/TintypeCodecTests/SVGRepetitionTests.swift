import Foundation
import Testing
import TintypeCore

@testable import TintypeSVG

/// Work that references and style sheets repeat.
@Suite(.timeLimit(.minutes(5))) struct SVGRepetitionTests {
    private static func document(_ body: String, _ side: Int = 100) -> Data {
        let spaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        return Data("<svg \(spaces) width='\(side)' height='\(side)'>\(body)</svg>".utf8)
    }

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func limit(of data: Data) -> DecodeLimit? {
        #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: DecodeContext()) }?.limit
    }

    private static func isDrawn(_ data: Data) -> Bool {
        (try? SVGDecoder().decode(data, context: DecodeContext())) != nil
    }

    // MARK: Elements

    private static func work(_ body: String) throws(TintypeError) -> SVGWork {
        let bytes = Array(document(body))[...]
        return try SVGRepetition.work(in: SVGStructure(bytes), styledBy: [], SVGElementCounts(bytes, expanded: 0))
    }

    private static let filter = "<filter id='f'><feOffset/><feTurbulence numOctaves='5'/></filter>"

    static let repeated: [(body: String, elements: Double, samples: Double)] = [
        ("<g id='a'><g/><g/></g>", 0, 0),
        ("<g id='a'><g/><g/></g><use href='#a'/>", 3, 0),
        ("<g id='a'><g/></g><g id='b'><use href='#a'/><use href='#a'/></g><use href='#b'/>", 4 + 7, 0),
        ("\(filter)<rect filter='url(#f)'/><rect style='filter:url(#f)'/>", 6, 12),
        ("\(filter)<g id='a'><rect filter='url(#f)'/></g><use href='#a'/>", 3 + 5, 12),
        ("<g id='a'><rect filter='blur(1px) sepia(1)'/></g><use href='#a'/>", 2, 12),
        ("<linearGradient id='a'><stop/></linearGradient><rect fill='url(#a)'/>", 0, 0),
        ("<g id='a'><g/></g><a href='#a'/>", 0, 0),
        ("<g id='a' xml:id='b'><g/></g><use href='#b'/>", 2, 0),
        // Elements inherit paints and markers. A marker stands at each vertex, in numbers and closed subpaths.
        ("<g id='a'><g/></g><g fill='url(#a)'><rect/><rect/><rect/></g>", 2 * 4, 0),
        ("<g id='a'><g/></g><path marker-mid='url(#a)' d='M0 0L1 1 2 2z'/>", 2 * 8, 0),
        ("<g id='a'/><g style='marker:url(#a)'><g><path d='M0 0'/></g></g>", 5, 0),
        ("<g id='a'/><g stroke='url(#a)'><use href='#a'/></g>", 4 + 1, 0),
        ("<g id='a'><g/></g><g mask='url(#a)'><rect/><rect/></g>", 2, 0),
        ("<g id='a'/><g id='a'><g/></g><use href='#a'/>", 2, 0),
    ]

    @Test(arguments: repeated.indices) func referencesRepeatWork(_ index: Int) throws {
        let row = Self.repeated[index]
        #expect(try Self.work(row.body) == SVGWork(elements: row.elements, filterSamples: row.samples), "\(row.body)")
    }

    /// Each of nine groups uses the one before ten times: 200 elements are drawn a billion times.
    @Test(arguments: ["<pattern/>", ""]) func usesOfUsesAreMultiplied(_ other: String) {
        let groups = (1..<10).map { "<g id='a\($0)'>\(Self.many("<use xlink:href='#a\($0 - 1)'/>", 10))</g>" }
        let body = "\(other)<defs><rect id='a0'/>\(groups.joined())</defs><use xlink:href='#a9'/>"
        #expect(Self.limit(of: Self.document(body)) == .elements)
    }

    @Test(arguments: [
        "<g fill='url(#a)'>\(many("<rect/>", 2000))</g>",
        "<style>.c{fill:url(#a)}</style><g class='c'>\(many("<rect/>", 2000))</g>",
        "<style>rect{fill:url(#a)}</style>\(many("<rect/>", 2000))",
        "<style>.c{marker-mid:url(#a)}</style><path class='c' d='M\(many("0 0", 2000))'/>",
        "<style>.c{f\\69ll:url(#a)}</style><g id='b'>\(many("<rect/>", 2000))</g><use href='#b' class='c'/>",
    ])
    func inheritedPaintsAreMultiplied(_ body: String) {
        let pattern = "<pattern id='a' width='9' height='9'>\(Self.many("<rect/>", 6000))</pattern>"
        #expect(Self.limit(of: Self.document(pattern + body)) == .elements)
    }

    @Test func aPaintOfFewElementsCountsForThese() {
        let pattern = "<pattern id='a' width='9' height='9'>\(Self.many("<g/>", 6000))</pattern>"
        let body = "<style>.c{fill:url(#a)}</style>\(Self.many("<g/>", 9000))<g class='c'><rect/></g>"
        #expect(Self.isDrawn(Self.document(pattern + body)))
    }

    @Test func referencesInNestedNamesAreBounded() {
        let groups = (0..<900).map { "<g id='a\($0)'>" }.joined()
        let body = groups + Self.many("<rect fill='url(#b)'/>", 50_000) + Self.many("</g>", 900)
        #expect(Self.limit(of: Self.document(body)) == .elements)
    }

    // MARK: Filters

    @Test(arguments: [
        "<rect filter='\(many("blur(30) ", 65))'/>", "<rect filter='\(many("url(#f) ", 65))'/>",
        "<rect style='fill:red;filter:\(many("blur(30) ", 65))'/>",
        "<rect style='f\\69lter:\(many("blur(30) ", 65))'/>",
        "<style>a{filter:\(many("blur(30) ", 65))}</style>", "<style>a{filter:\(many("url(';') ", 65))}</style>",
        "<style>@media all{a{FILTER:\(many("blur(30)/*;*/", 65))}}</style>",
    ])
    func longListsOfFilterFunctionsAreRefused(_ body: String) {
        #expect(Self.limit(of: Self.document(body)) == .filteredPixels)
    }

    @Test(arguments: [
        filter + many("<rect filter='url(#f)'/>", 2000), many("<rect filter='blur(9px)'/>", 2000),
        "<style>.a{filter:blur(9px)}</style>" + many("<rect class='b a'/>", 2000),
        "<style>g>rect{filter:blur(9px)}</style>" + many("<rect/>", 2000),
        "<style>[a]{filter:url(#f)}</style>" + filter + many("<rect/>", 2000),
        "<pattern/>" + filter + many("<rect filter='url(#f)'/>", 500),
    ])
    func filtersCountForEachElement(_ body: String) {
        #expect(Self.limit(of: Self.document(body, 1000)) == .filteredPixels)
    }

    /// A rule for few elements does not count for all.
    @Test func filtersOfStyleSheetsCountForTheElementsThatTheyMatch() {
        let style = "<style>.a, rect.a:hover, #b{filter:drop-shadow(0 0 2px red);fill:rgb(1,2,3)}</style>"
        let body = style + Self.many("<g/>", 3000) + Self.many("<rect class='a' width='9' height='9'/>", 5)
        #expect(Self.isDrawn(Self.document(body, 1000)))
    }

    @Test(arguments: [
        (".a", [".a"]), ("g .a.b, #c:hover", [".a", "#c"]), ("rect:hover", ["rect"]), ("a>b~c", ["c"]),
    ])
    func selectorsDemandAClassIDOrType(_ selectors: String, _ keys: [String]) {
        let rule = SVGStyleRule.rules(in: Array("\(selectors){a:b}".utf8)[...])[0]
        #expect(rule.keys?.map { String(decoding: $0, as: UTF8.self) } == keys)
    }

    @Test(arguments: ["*", ":hover", "[a]", ":is(.a)", ".a, :not(.b)", "", "@media x", "\\61"])
    func otherSelectorsMayMatchEverything(_ selectors: String) {
        let rules = SVGStyleRule.rules(in: Array("\(selectors){a:b}".utf8)[...])
        #expect(rules.count == 1 && rules[0].keys == nil)
    }

    @Test func declarationsAreDivided() {
        let css = "@import 'a;b'; @media all { a { b: url(;}); c: d } e{f:'}'} } g{}h{i:j}"
        let rules = SVGStyleRule.rules(in: Array(css.utf8)[...]).map {
            String(decoding: SVGText.trimmed($0.selectors) + [0x7C] + SVGText.trimmed($0.declaration), as: UTF8.self)
        }
        #expect(
            rules.filter { !$0.hasSuffix("|") } == ["|@import 'a;b'", "a|b: url(;})", "a|c: d", "e|f:'}'", "h|i:j"])
    }
}
