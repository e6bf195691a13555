import Foundation
import Testing
import TintypeCore
import TintypePNG
import TintypeTesting

@testable import TintypeTerminal

/// Views on a pseudoterminal.
@Suite(.timeLimit(.minutes(15))) @MainActor struct TerminalImageViewTests {
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
        let output = await read(until: "\u{1B}[5n")
        #expect(output.contains("✗") && output.contains("https://example.org/none.png"))
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

    @Test func theWantedSizeIsThatOfTheProtocol() throws {
        #expect(TerminalImageView(session, in: rect, pipeline: pipeline).wantedSize == PixelSize(width: 8, height: 8))
        session.end()
        let other = try PseudoTerminal()
        let kitty = try TerminalSession(Self.capabilities(.kitty), screen: .main, device: other.device)
        #expect(TerminalImageView(kitty, in: rect, pipeline: pipeline).wantedSize == PixelSize(width: 80, height: 80))
        kitty.end()
    }
}
