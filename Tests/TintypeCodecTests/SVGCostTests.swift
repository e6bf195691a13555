import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeSVG

/// The limits of an SVG's cost: time, and the depth of librsvg's recursion.
@Suite(.timeLimit(.minutes(15))) struct SVGCostTests {
    private static func document(_ body: String, _ side: Int = 100) -> Data {
        let spaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        return Data("<svg \(spaces) width='\(side)' height='\(side)'>\(body)</svg>".utf8)
    }

    // MARK: Time

    /// Each shape takes milliseconds, all together half a minute.
    private static let slow = document(
        String(repeating: "<circle cx='1000' cy='1000' r='900' fill='#123' fill-opacity='0.5'/>", count: 10_000), 2000)

    /// The same where librsvg does not check for cancellation: the group is drawn off-screen because it is translucent.
    private static let slowGroup = document(
        "<g opacity='0.5'>"
            + String(repeating: "<circle cx='500' cy='500' r='400' fill='#123' fill-opacity='0.5'/>", count: 1000)
            + "</g>", 1000)

    private func waitForAbandonedDrawings() async throws {
        while SVGThreads.shared.abandonedCount > 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test(arguments: [slow, slowGroup]) func overlappingShapesEndAtTheTimeLimit(_ data: Data) async throws {
        let clock = ManualClock()
        var context = DecodeContext(isCancelled: {
            clock.advance(by: .seconds(1))
            return false
        })
        context.limits.time = .seconds(4)
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decodeChecked(data, context: context, time: clock.timeSource)
        }
        #expect(error?.limit == .time)
        try await waitForAbandonedDrawings()
    }

    @Test func aCancelledCallerDoesNotWaitForTheDrawing() async throws {
        let context = DecodeContext(isCancelled: CancellationChecks(passing: 3).isCancelled)
        let error = #expect(throws: TintypeError.self) { try SVGDecoder().decode(Self.slow, context: context) }
        #expect(error?.code == .cancelled)
        try await waitForAbandonedDrawings()
        // Other drawings still run.
        let image = try SVGDecoder().decode(Self.document("<rect width='100' height='100'/>"), context: DecodeContext())
        #expect(image.pixels[50, 50].alpha == 255)
    }

    /// cairo leaks a little memory per cancellable drawing: found by `make fuzz`.
    @Test func onlyASlowDrawingChecksForCancellation() throws {
        func isSlow(_ data: Data, _ side: Int) throws -> Bool {
            var survey = SVGSurvey(Array(data))
            try survey.check(DecodeLimits())
            return survey.cost.isSlow(drawing: PixelSize(width: side, height: side))
        }
        let icon = Self.document(String(repeating: "<rect width='9' height='9'/>", count: 99))
        #expect(try !isSlow(icon, 500) && isSlow(icon, 2000))
        #expect(try isSlow(Self.slow, 2000) && isSlow(Self.slowGroup, 1000))
        for name in ["use", "marker", "pattern", "x:use", "image", "feImage"] {
            #expect(try isSlow(Self.document("<\(name)/>"), 10))
        }
        // Each shape draws the contents of the element that it refers to.
        for hidden in ["<mask/>", "<clipPath/>", "<filter/>"] {
            let shapes = String(repeating: "<rect/>", count: 99)
            #expect(try isSlow(Self.document(hidden + shapes), 200) && !isSlow(Self.document(hidden + "<rect/>"), 200))
        }
        let filter = "<filter>" + String(repeating: "<feGaussianBlur/>", count: 30) + "</filter>"
        #expect(try isSlow(Self.document(filter), 400))
        let entity = Data("<!DOCTYPE svg [<!ENTITY a '<g/><use/>'>]><svg>&a;</svg>".utf8)
        #expect(try isSlow(entity, 10))
    }

    // MARK: Depth

    static let chains: [(name: String, link: @Sendable (Int) -> String)] = [
        ("use", { "<use id='a\($0)' xlink:href='#a\($0 - 1)'/>" }),
        ("symbol", { "<symbol id='a\($0)'><g><use href=\"#a\($0 - 1)\"/></g></symbol>" }),
        (
            "pattern",
            {
                "<pattern id='a\($0)' width='9' height='9'><rect width='9' height='9' fill='url(#a\($0 - 1))'/></pattern>"
            }
        ),
        ("mask", { "<mask id='a\($0)'><rect width='9' height='9' style='mask: url( \"#a\($0 - 1)\" )'/></mask>" }),
        ("marker", { "<marker id='a\($0)'><path d='M0 0 L5 5' marker-end='url(#a\($0 - 1))'/></marker>" }),
        ("numbered", { "<use id='a\($0)' href='&#35;a\($0 - 1)'/>" }),
        (
            "nested",
            {
                "<g id='a\($0)'>\(String(repeating: "<g>", count: 40))<use href='#a\($0 - 1)'/>\(String(repeating: "</g>", count: 40))</g>"
            }
        ),
        (
            "styled",
            {
                "<pattern id='a\($0)' width='9' height='9'><rect class='c\($0)'/></pattern><style>.c\($0){fill:url(#a\($0 - 1))}</style>"
            }
        ),
        ("escaped", { "<pattern id='a\($0)' width='9' height='9'><rect fill='url(\\23 a\($0 - 1))'/></pattern>" }),
    ]

    private static func chain(_ index: Int, length: Int) -> Data {
        let links = (1..<length).map(chains[index].link).joined()
        let end = "<use href='#a\(length - 1)'/><rect width='9' height='9' fill='url(#a\(length - 1))'/>"
        return document("<defs><rect id='a0' width='50' height='50'/>\(links)</defs>\(end)")
    }

    private static func depth(_ document: Data) -> Int {
        (try? SVGDepth.depth(of: SVGStructure(Array(document)[...]), DecodeLimits())) ?? .max
    }

    /// librsvg would overrun any stack.
    @Test(arguments: chains.indices) func aLongChainOfReferencesIsRefused(_ index: Int) {
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(Self.chain(index, length: 2000), context: DecodeContext())
        }
        #expect(error?.limit == .elements, "\(Self.chains[index].name): \(String(describing: error))")
    }

    @Test(arguments: chains.indices) func aShortChainIsDrawn(_ index: Int) throws {
        let image = try SVGDecoder().decode(Self.chain(index, length: 10), context: DecodeContext())
        #expect(image.size.width == 100)
    }

    /// The deepest document accepted does not overrun the stack.
    @Test(arguments: chains.indices) func theLongestAllowedChainIsDrawn(_ index: Int) throws {
        var length = 1
        while length < 1500,
            Self.depth(Self.chain(index, length: length * 2)) <= SVGDepth.maximum
        {
            length *= 2
        }
        _ = try? SVGDecoder().decode(Self.chain(index, length: length), context: DecodeContext())
        #expect(length >= 8)
    }

    @Test func manyShallowReferencesAreDrawn() throws {
        let uses = (0..<3000).map { "<use href='#a' x='\($0 % 90)'/>" }.joined()
        let gradients = (1..<100).map { "<linearGradient id='g\($0)' href='#g\($0 - 1)'/>" }.joined()
        let styled = "<style>.a{fill:url(#g99)} .b{clip-path:url(#c)}</style>"
        let clip = "<clipPath id='c'><rect width='9' height='9'/></clipPath>"
        let defined = "<linearGradient id='g0'><stop stop-color='#abcdef'/></linearGradient>\(gradients)\(clip)"
        let body = "\(styled)<defs>\(defined)<rect id='a' class='a b' width='9' height='9'/></defs>\(uses)"
        let image = try SVGDecoder().decode(Self.document(body), context: DecodeContext())
        #expect(image.pixels[4, 4].alpha == 255)
    }

    /// A link to an enclosing element does not add depth.
    @Test func aCyclicReferenceIsDrawn() throws {
        let body = "<g id='top'><a xlink:href='#top'><rect width='50' height='50'/></a></g>"
        #expect(try SVGDecoder().decode(Self.document(body), context: DecodeContext()).pixels[5, 5].alpha == 255)
    }

    @Test func entitiesWithReferencingElementsAreRefused() {
        let entity = "<!ENTITY e \"<use href='#a'/>\">"
        let text = "<!DOCTYPE svg [\(entity)]><svg xmlns='http://www.w3.org/2000/svg'><rect id='a'/>&e;</svg>"
        let error = #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(Data(text.utf8), context: DecodeContext())
        }
        #expect(error?.limit == .elements)
    }

    @Test func markupIsParsedCorrectly() {
        var markup = SVGMarkup(
            Array(
                "<?x <a?><!DOCTYPE a [<!-- ' --><!ENTITY b '>'>]><!-- <b> --><svg:g a='>' b=\"/\"><h/>t<![CDATA[<c>]]></g>"
                    .utf8)[...])
        var pieces: [String] = []
        while let piece = markup.next() {
            switch piece {
            case .open(let name, _, let isClosed):
                pieces.append(String(decoding: name, as: UTF8.self) + (isClosed ? "/" : ""))
            case .close: pieces.append("end")
            case .text(let text): pieces.append("'\(String(decoding: text, as: UTF8.self))'")
            case .literal(let text): pieces.append("[\(String(decoding: text, as: UTF8.self))]")
            case .declaration(let text): pieces.append(String(decoding: text, as: UTF8.self))
            case .instruction(let text): pieces.append("?\(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(
            pieces == ["?x <a", "!DOCTYPE a ", "!ENTITY b '>'", "']>'", "g", "h/", "'t'", "[<c>]", "end"])
    }

    @Test func anyTextIsParsedWithoutACrash() {
        var random = SeededRandom.printed("SVG markup")
        let signs = Array("<>/!-[]CDAT&#;x2'\"= aid?url()style\\".utf8)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in signs.randomElement(using: &random) ?? 0
            }
            var survey = SVGSurvey(Array("<".utf8) + bytes)
            _ = try? survey.check(DecodeLimits())
        }
    }
}
