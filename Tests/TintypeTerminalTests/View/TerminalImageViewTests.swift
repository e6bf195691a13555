import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypePNG
import TintypeTesting
import TintypeViews

@testable import TintypeTerminal

/// Views on a pseudoterminal.
@Suite(.timeLimited) @MainActor struct TerminalImageViewTests {
    private let loader = FakeLoader()
    private let terminal: PseudoTerminal
    private let session: TerminalSession
    private let pipeline: ImagePipeline
    private let rect = CellRect(column: 2, row: 1, columns: 8, rows: 4)

    init() throws {
        terminal = try PseudoTerminal()
        session = try TerminalSession(Self.capabilities(.blocks), screen: .alternate, device: terminal.device)
        var configuration = PipelineConfiguration()
        configuration.coders = ImageCoderRegistry(decoders: [PNGDecoder()])
        configuration.loaders = [loader]
        configuration.cache = ImageCache(memory: MemoryCache(), disk: nil)
        pipeline = ImagePipeline(configuration)
    }

    private static func capabilities(_ graphics: GraphicsProtocol) -> TerminalCapabilities {
        var capabilities = TerminalCapabilities(
            size: TerminalSize(columns: 80, rows: 24, cell: PixelSize(width: 10, height: 20)), colors: .trueColor)
        capabilities.protocols = [graphics]
        return capabilities
    }

    private func request(_ level: UInt8) throws -> ImageRequest {
        let source = ImageSource.url(try #require(URL(string: "https://example.org/\(level).png")))
        let pixels = try PixelBuffer.filled(
            Pixel(red: level, green: 7, blue: 7), size: PixelSize(width: 64, height: 64))
        loader.setAnswer(
            .data(try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())), for: source.identity)
        return ImageRequest(source: source)
    }

    /// Reads what the view writes until it contains a text, and answers like a terminal.
    private func read(until text: String) async -> String {
        var bytes: [UInt8] = []
        while true {
            let new = terminal.written()
            bytes += new
            if String(decoding: new, as: UTF8.self).contains("\u{1B}[5n") { terminal.send("\u{1B}[0n") }
            let all = String(decoding: bytes, as: UTF8.self)
            if all.contains(text) { return all }
            await Task.yield()
        }
    }

    private func load(_ view: TerminalImageView, _ request: ImageRequest) async -> ImageResponse? {
        await withCheckedContinuation { continuation in
            view.load(request) { event in
                if case .finished(let result) = event { continuation.resume(returning: try? result.get()) }
            }
        }
    }

    /// The pixels of characters: eight columns, and two rows in each of the four lines.
    @Test func imagesAreDecodedToTheCellsOfTheView() async throws {
        let view = TerminalImageView(session, in: rect, pipeline: pipeline)
        let response = await load(view, try request(9))
        #expect(response?.image.size == PixelSize(width: 8, height: 8))
        let output = await read(until: "48;2;9;7;7m")
        // The first of its rows; the second row of the screen.
        #expect(output.contains("\u{1B}[2;3H"))
        session.end()
    }

    @Test func anImageInMemoryIsShownByTheSameCall() async throws {
        let first = TerminalImageView(session, in: rect, pipeline: pipeline)
        let request = try request(11)
        _ = await load(first, request)
        let second = TerminalImageView(session, in: CellRect(column: 20, row: 0, span: rect.span), pipeline: pipeline)
        second.load(request)
        #expect(second.binding.content.kind == .image)
        _ = await read(until: "\u{1B}[1;21H")
        session.end()
    }

    @Test func aFailureIsALineOfText() async throws {
        let view = TerminalImageView(session, in: CellRect(column: 0, row: 0, columns: 70, rows: 4), pipeline: pipeline)
        let response = await load(view, ImageRequest(url: try #require(URL(string: "https://example.org/none.png"))))
        #expect(response == nil)
        // Frames before it may show that the view loads.
        let output = await read(until: "https://example.org/none.png")
        #expect(output.contains("✗"))
        session.end()
    }

    @Test func aViewThatMovesOrHidesIsErased() async throws {
        let view = TerminalImageView(session, in: rect, pipeline: pipeline)
        _ = await load(view, try request(13))
        _ = await read(until: "48;2;13;7;7m")
        view.rect = CellRect(column: 40, row: 10, span: rect.span)
        let moved = await read(until: "\u{1B}[11;41H")
        #expect(moved.contains("\u{1B}[2;3H\u{1B}[8X"))
        view.isVisible = false
        _ = await read(until: "\u{1B}[11;41H\u{1B}[8X")
        session.end()
    }

    // MARK: Transitions

    private func fade(_ when: ImageTransition.When = .always) -> Presentation {
        Presentation(
            transition: ImageTransition(.fade, duration: .seconds(1), when: when), completion: .afterTransition)
    }

    @Test func aViewThatIsHiddenDuringATransitionStaysHidden() async throws {
        let timer = ManualPlaybackTimer()
        let view = TerminalImageView(session, in: rect, pipeline: pipeline, transitionTimer: timer)
        _ = await load(view, try request(15))
        let (second, ends) = (try request(16), Shared(0))
        _ = try await pipeline.image(for: sized(second))
        view.load(second, presentation: fade()) { if case .finished = $0 { ends.withLock { $0 += 1 } } }
        timer.advance(by: .milliseconds(300))
        #expect(timer.ringTime != nil && ends.now == 0)
        view.isVisible = false
        #expect(timer.ringTime == nil && ends.now == 1)
        view.isVisible = true
        #expect(timer.ringTime == nil)
        _ = await read(until: "48;2;16;7;7m")
        session.end()
    }

    /// As in a slide show whose images are in memory.
    @Test func theReceiverAtTheEndOfATransitionMayBeginTheNext() async throws {
        let timer = ManualPlaybackTimer()
        let view = TerminalImageView(session, in: rect, pipeline: pipeline, transitionTimer: timer)
        let requests = try (20...23).map { try request($0) }
        for request in requests { _ = try await pipeline.image(for: sized(request)) }
        let ends = Shared(0)
        @MainActor func show(_ index: Int) {
            view.load(requests[index], presentation: fade()) { event in
                guard case .finished = event else { return }
                ends.withLock { $0 += 1 }
                if index < 3 { show(index + 1) }
            }
        }
        show(0)
        for count in 1...4 {
            #expect(timer.ringTime != nil)
            timer.advance(by: .milliseconds(1100))
            #expect(ends.now == count)
        }
        #expect(timer.ringTime == nil)
        _ = await read(until: "48;2;23;7;7m")
        session.end()
    }

    /// The request as a view loads it.
    private func sized(_ request: ImageRequest) -> ImageRequest {
        request.with {
            $0.rendition.decode.size = .fit(PixelSize(width: 8, height: 8))
            $0.rendition.decode.scale = 1
        }
    }

    @Test func aViewWithoutCellsShowsNothing() async throws {
        let view = TerminalImageView(
            session, in: CellRect(column: 90, row: 0, columns: -10, rows: 4), pipeline: pipeline)
        #expect(view.wantedSize == PixelSize(width: 1, height: 8))
        view.load(try request(17), presentation: fade(.waitedFor))
        while view.binding.activity != .idle { await Task.yield() }
        #expect(view.binding.content.kind == .image)
        // Its frame has been drawn when that of another view is.
        let other = TerminalImageView(session, in: rect, pipeline: pipeline)
        _ = await load(other, try request(18))
        _ = await read(until: "48;2;18;7;7m")
        session.end()
    }

    @Test func theWantedSizeIsThatOfTheProtocol() throws {
        #expect(TerminalImageView(session, in: rect, pipeline: pipeline).wantedSize == PixelSize(width: 8, height: 8))
        session.end()
        let other = try PseudoTerminal()
        let kitty = try TerminalSession(Self.capabilities(.kitty), screen: .main, device: other.device)
        #expect(TerminalImageView(kitty, in: rect, pipeline: pipeline).wantedSize == PixelSize(width: 80, height: 80))
        kitty.end()
    }
}
