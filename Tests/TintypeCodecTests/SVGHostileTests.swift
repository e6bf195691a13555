import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeSVG

/// SVGs that would end the process, fill its memory or escape the survey.
@Suite(.timeLimit(.minutes(15))) struct SVGHostileTests {
    private static func document(_ body: String, _ side: Int = 100) -> String {
        let spaces = """
            xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
            xmlns:xi='http://www.w3.org/2001/XInclude'
            """
        return "<svg \(spaces) width='\(side)' height='\(side)'>\(body)</svg>"
    }

    private static func filtered(_ filter: String) -> String {
        document("<filter id='f'>\(filter)</filter><rect width='100' height='100' filter='url(#f)'/>")
    }

    private static func kernel(_ order: String, count: Int) -> String {
        let numbers = Array(repeating: "1", count: count).joined(separator: " ")
        return filtered("<feConvolveMatrix order='\(order)' kernelMatrix='\(numbers)'/>")
    }

    private static func error(
        _ data: Data, _ change: (inout DecodeLimits) -> Void = { _ in }, size: DecodeOptions.Size = .full
    ) -> TintypeError? {
        var context = DecodeContext(options: DecodeOptions(size: size))
        change(&context.limits)
        return #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: context) }
    }

    private static func isDrawn(_ text: String) throws -> Bool {
        try SVGDecoder().decode(Data(text.utf8), context: DecodeContext()).pixels[20, 20].alpha == 255
    }

    // MARK: Assertions of librsvg

    @Test(arguments: [("21 21", 441), ("21", 441), ("100,5", 500), ("1 401", 401), ("&#50;1", 441), ("2e1 21", 420)])
    func aKernelOfMoreThan400NumbersIsRefused(_ order: String, _ count: Int) {
        #expect(Self.error(Data(Self.kernel(order, count: count).utf8))?.limit == .library)
    }

    @Test(arguments: [("3", 9), ("20 20", 400), ("1 400", 400)])
    func aSmallKernelIsDrawn(_ order: String, _ count: Int) throws {
        let data = Data(Self.kernel(order, count: count).utf8)
        #expect(try SVGDecoder().decode(data, context: DecodeContext()).pixels[50, 50].alpha > 0)
    }

    /// Found by fuzzing attributes with extreme values. Other versions of librsvg may draw them.
    @Test(arguments: [
        document("<text font-size='4294967295'>\u{202E}\u{600}\u{5D0}</text>"),
        filtered("<feFlood/><feTile/><feDiffuseLighting><feDistantLight/></feDiffuseLighting>")
            .replacing("<rect ", with: "<rect x='114' "),
    ])
    func afterAFailedAssertionOtherImagesAreDrawn(_ text: String) throws {
        for _ in 0..<3 { _ = try? SVGDecoder().decode(Data(text.utf8), context: DecodeContext()) }
        #expect(try Self.isDrawn(Self.document("<rect width='100' height='100'/>")))
    }

    /// cairo 1.16 crashes if it cannot create an image like a surface that observes another.
    @Test(arguments: [
        "<pattern id='p' width='1' height='1' patternTransform='scale(99999)'><rect width='1' height='1'/></pattern>"
            + "<rect width='100' height='100' fill='url(#p)'/><use href='#p'/>",
        "<g opacity='0.5'><rect id='p' width='9' height='9'/></g><use href='#p'/>",
    ])
    func hugeOffScreenImagesAreDrawnOrRefused(_ body: String) {
        let part = PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
        let wide = Data(Self.document(body).replacing("height='100'>", with: "height='1'>").utf8)
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 400, height: 1)] {
            let options = DecodeOptions(crop: part, size: .shrink(size))
            do throws(TintypeError) {
                let image = try SVGDecoder().decode(wide, context: DecodeContext(options: options))
                #expect(image.size == size)
            } catch {
                // The document is intact.
                #expect(error.code == .limitExceeded, "\(error)")
            }
        }
    }

    /// cairo cannot draw it. Its error named a good document damaged.
    @Test func aSideThatCairoCannotDrawExceedsALimit() {
        let line = Data(Self.document("<rect/>").replacing("height='100'>", with: "height='1'>").utf8)
        let error = Self.error(line, size: .fit(PixelSize(width: 40_000, height: 400)))
        #expect(error?.limit == .library && error?.message.contains("32767") == true)
    }

    // MARK: Markup hidden from the survey

    private static let bad = kernel("21 21", count: 441)
    private static let percents = ["<", "'", "#"].reduce(bad) { text, sign in
        text.replacing(sign, with: "%\(String(Character(sign).asciiValue ?? 0, radix: 16))")
    }
    private static let encoded = Data(bad.utf8).base64EncodedString()

    static let hidden: [(name: String, data: Data)] = [
        ("UTF-16", Data("\u{FEFF}\(bad)".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })),
        ("UTF-7", Data("<?xml version='1.0' encoding='UTF-7'?>\(bad.replacing("<fe", with: "+ADw-fe"))".utf8)),
        ("EBCDIC", Data("<?xml version='1.0' encoding='IBM037'?>\(bad)".utf8)),
        ("gzip", SVGSourceTests.gzip(Data(bad.utf8))),
        ("UTF-16 in gzip", SVGSourceTests.gzip(SVGSourceTests.utf16("\u{FEFF}\(bad)", bigEndian: true))),
        ("gzip in gzip", SVGSourceTests.gzip(SVGSourceTests.gzip(Data(bad.utf8)))),
        ("image", Data(document("<image href='data:image/svg+xml;base64,\(encoded)'/>").utf8)),
        ("capitals", Data(document("<image xlink:href=' DATA:image/svg+xml; BASE64 ,\(encoded)'/>").utf8)),
        ("references", Data(document("<image href='da&#9;t&#97;:;base64,\(encoded)'/>").utf8)),
        ("percents", Data(document("<image href='data:,\(percents)'/>").utf8)),
        ("another format", Data(document("<image href='data:image/tiff,II*%00'/>").utf8)),
        ("use", Data(document("<use href='data:image/svg+xml;base64,\(encoded)#f'/>").utf8)),
        ("fill", Data(document("<rect style='fill:url(\"data:;base64,\(encoded)#f\")'/>").utf8)),
        ("escape", Data(document("<style>a{fill:url('\\64 ata:;base64,\(encoded)\\23 f')}</style>").utf8)),
        ("filter image", Data(filtered("<feImage href='data:;base64,\(encoded)#f'/>").utf8)),
        ("inclusion", Data(document("<xi:include href='data:;base64,\(encoded)' parse='xml'/>").utf8)),
        ("import", Data(document("<style>@import url(data:text/css,a{});</style>").utf8)),
        ("instruction", Data("<?xml-stylesheet href='data:text/css,a{}'?>\(document(""))".utf8)),
        (
            "default", Data("<!DOCTYPE svg [<!ATTLIST feConvolveMatrix order CDATA '21 21'>]>\(document(""))".utf8)
        ),
        ("parameter entity", Data("<!DOCTYPE svg [<!ENTITY % a '<!ENTITY b \"c\">'>%a;]>\(document(""))".utf8)),
        ("quote in a comment", Data("<!DOCTYPE svg [<!-- ' -->]>\(bad)<!-- ' -->".utf8)),
        (
            "entity",
            Data("<!DOCTYPE svg [<!ENTITY d 'data:'>]>\(document("<image href='&d;;base64,\(encoded)'/>"))".utf8)
        ),
    ]

    @Test(arguments: hidden.indices) func hiddenMarkupIsRefused(_ index: Int) {
        let error = Self.error(Self.hidden[index].data)
        let isRefused = error?.code == .limitExceeded || error?.code == .undecodable
        #expect(isRefused && error?.message.contains("damaged") == false, "\(Self.hidden[index].name): \(error as Any)")
    }

    static let honest: [String] = [
        document("<image width='100' height='100' href='data:image/svg+xml;base64,\(square)'/>"),
        document(
            "<image width='100' height='100' xlink:href='data:image/svg+xml;base64,\(square.prefix(9))&#10;\(square.dropFirst(9))'/>"
        ),
        document(
            "<style>@import url('https://fonts.example/css?a=b&amp;c');@font-face{src:url(data:font/woff2;base64,AAAA)} a{fill:url(#a)}</style><rect width='100' height='100'/>"
        ),
        "<!DOCTYPE svg [<!ENTITY st0 'fill:#f00;'><!ENTITY ns 'http://www.w3.org/2000/svg'>]>"
            + "<svg xmlns='&ns;' width='100' height='100'><rect width='100' height='100' style='&st0;'/></svg>",
        "<?xml version='1.0' encoding='ISO-8859-1'?>\(document("<a href='https://a?b=1&amp;c=#d'><rect width='100' height='100'/></a>"))",
        document("<rect width='100' height='100' style='font-family:&quot;A:B&quot;;fill:red'/>"),
    ]

    private static let square = Data(document("<rect width='100' height='100'/>").utf8).base64EncodedString()

    @Test(arguments: honest.indices) func normalDocumentsAreDrawn(_ index: Int) throws {
        #expect(try Self.isDrawn(Self.honest[index]))
    }

    // MARK: Cost

    /// An attribute whose name contains that of another is not the other.
    @Test func onlyTheWholeNameOfAnAttributeCounts() {
        let filter = "<filter id='f'><feTurbulence xnumOctaves='1' numOctaves='9999'/></filter>"
        let error = Self.error(Data(Self.document("\(filter)<rect filter='url(#f)'/>", 2000).utf8))
        #expect(error?.limit == .filteredPixels)
    }

    @Test(arguments: [
        "<text>\(String(repeating: "x", count: 30_000))</text>",
        "<path d='M0 0\(String(repeating: "h1v1", count: 400_000))'/>",
        "<path d='M0 0\(String(repeating: "z", count: 400_000))'/>",
        "<image href='data:image/gif;base64,R0lGODlhuAu4CwAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=='/>",
        String(repeating: "<g opacity='0.5'>", count: 200) + String(repeating: "</g>", count: 200),
        (1...60).map { "<mask id='m\($0)'><rect mask='url(#m\($0 - 1))'/></mask>" }.joined(),
        "<filter id='f'>\(String(repeating: "<feOffset/>", count: 200))</filter><rect filter='url(#f)'/>",
        "<style>a{opacity:0.5}</style>" + String(repeating: "<g>", count: 200) + String(repeating: "</g>", count: 200),
    ])
    func memoryIsLimited(_ body: String) {
        let data = Data(Self.document(body, 400).utf8)
        #expect(Self.error(data) { $0.memoryBytes = 50 << 20 }?.limit == .memoryBytes)
    }

    /// librsvg draws an embedded document at the size that it states or, without one, at the size of its contents.
    @Test(arguments: [
        "width='9000' height='9000'", "viewBox='0 0 9000 9000'", "style='width:9000px;height:9000px'", "",
    ])
    func embeddedDocumentsAreLimited(_ attributes: String) {
        let inner = "<svg xmlns='http://www.w3.org/2000/svg' \(attributes)><rect width='9' height='9'/></svg>"
        let encoded = Data(inner.utf8).base64EncodedString()
        let data = Data(Self.document("<image width='9' height='9' href='data:;base64,\(encoded)'/>").utf8)
        let limit = Self.error(data) { $0.memoryBytes = 500 << 20 }?.limit
        #expect(limit == (attributes.isEmpty ? .library : .memoryBytes))
    }

    @Test func aFilterThatEnlargesItsInputIsRefused() {
        let filter = "<feConvolveMatrix order='1' kernelMatrix='1' kernelUnitLength='0.005'/>"
        #expect(Self.error(Data(Self.filtered(filter).utf8))?.limit == .library)
    }

    /// Off-screen images have the size of the whole document, however small the part that is drawn.
    @Test func memoryGrowsWithTheWholeDocument() {
        let data = Data(Self.document("<g opacity='0.5'><rect width='9' height='9'/></g>").utf8)
        var options = DecodeOptions(crop: PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1)))
        options.size = .shrink(PixelSize(width: 300, height: 300))
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(data, context: DecodeContext(options: options))
        }
        #expect(error?.limit == .memoryBytes)
    }

    @Test(arguments: ["a{fill:red}", "a~b{fill:red}", "a:nth-child(2n+1){fill:red}"])
    func styleSheetsAreLimited(_ rule: String) {
        let style = "<style>\(String(repeating: rule, count: 4000))</style>"
        let data = Data(Self.document(style + String(repeating: "<g/>", count: 30_000)).utf8)
        #expect(Self.error(data)?.limit == .styleMatches)
    }

    @Test func manyEqualNamesAreSurveyedQuickly() {
        let body = String(repeating: "<g id='a'><use href='#a'/></g>", count: 40_000)
        #expect(Self.error(Data(Self.document(body).utf8))?.limit == .elements)
    }

    /// A program's limits and its cancellation, which apply before an image is cropped or resized.
    @Test func theLimitsOfTheDecodeApplyToReadingTheSize() throws {
        let data = Data(Self.document("<g/><g/>").utf8)
        var context = DecodeContext()
        #expect(try SVGDecoder().info(of: data, context: context) != nil)
        context.limits.elements = 2
        let limited = context
        let error = #expect(throws: TintypeError.self) { _ = try SVGDecoder().info(of: data, context: limited) }
        #expect(error?.limit == .elements)
        let cancelled = #expect(throws: TintypeError.self) {
            _ = try SVGDecoder().info(of: data, context: DecodeContext(isCancelled: { true }))
        }
        #expect(cancelled?.code == .cancelled)
    }

    // MARK: Threads

    /// No caller waits for an abandoned drawing.
    @Test func tooManyAbandonedThreadsFailTheNextAtOnce() async throws {
        let threads = SVGThreads()
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<SVGThreads.maximumAbandoned {
            let error = #expect(throws: TintypeError.self) {
                try threads.run(isCancelled: { true }) { _ throws(TintypeError) in gate.wait() }
            }
            #expect(error?.code == .cancelled)
        }
        let error = #expect(throws: TintypeError.self) {
            try threads.run(isCancelled: { false }) { _ throws(TintypeError) in () }
        }
        #expect(error?.code == .outOfMemory && error?.isLasting == false)
        for _ in 0..<SVGThreads.maximumAbandoned { gate.signal() }
        while threads.abandonedCount > 0 { await Task.yield() }
        #expect(try threads.run(isCancelled: { false }) { _ throws(TintypeError) in 7 } == 7)
    }
}
