import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

// BEGIN VIEW
/// An image view over a widget of some toolkit, which is called `Canvas` here.
@MainActor final class CanvasImageView: ImageDisplay {
    private let (canvas, pipeline): (Canvas, ImagePipeline)
    private let player = ContentPlayer()
    private var transition: RunningTransition?
    private var frame = TransitionFrame.end
    private(set) lazy var binding = ImageBinding(self, pipeline: pipeline)

    init(_ canvas: Canvas, pipeline: ImagePipeline = .shared) {
        (self.canvas, self.pipeline) = (canvas, pipeline)
        player.onPixels = { [weak canvas] _ in canvas?.redraw() }
        canvas.onDraw = { [weak self] in self?.draw() }
        canvas.onDrawn = { [weak self] in self?.binding.begin() }
        canvas.onVisibility = { [weak self] isVisible in
            self?.binding.isVisible = isVisible
            self?.player.isVisible = isVisible
        }
        canvas.onClick = { [weak self] in self?.binding.retry() }
    }

    func show(_ content: ImageContent) {
        frame = .end
        canvas.caption = content.error?.description
        player.show(content)
    }

    func show(with transition: RunningTransition) {
        (self.transition, frame, canvas.caption) = (transition, .start, nil)
        player.show(transition.new)
        canvas.onFrame = { [weak self, weak transition] now in
            if let next = transition?.frame(at: now), self?.transition === transition { self?.frame = next }
        }
        transition.onEnd = { [weak canvas] in canvas?.onFrame = nil }
    }

    private func draw() {
        if frame != .end, let old = transition?.old.image { canvas.draw(old.pixels, frame.old) }
        if let pixels = player.pixels { canvas.draw(pixels, frame.new) }
    }

    func expect(_ size: ExpectedSize?) { canvas.aspectRatio = size?.aspectRatio }
    var wantedSize: PixelSize? { canvas.size }
    var scale: Double { canvas.pixelsPerPoint }
}
// END VIEW

// BEGIN USE
extension CanvasImageView {
    /// Shows the image at a URL. An image in memory is shown before this returns; any other is loaded when the view has
    /// been drawn, at the size of the view, and fades in.
    func load(_ url: URL) {
        binding.load(
            ImageRequest(url: url).with { $0.policy.delivery.previews = .progressive },
            presentation: Presentation(start: .deferred, sizing: .fitsDisplay, transition: .fade))
        canvas.redraw()
    }
}
// END USE

extension CustomTransition {
    /// A page that comes down over the old image: it hangs from its upper edge, stands out towards the viewer, and lies
    /// flat at the end. A shadow of the page dims the old image.
    static let curlDown = CustomTransition(name: "curl-down") { _, progress in
        let rest = 1 - progress
        // The page turns by less than 90°, at which only its edge would be visible.
        let page = TransitionFrame.Layer(
            opacity: min(1, 4 * progress), y: -rest, scale: 1 + 0.1 * rest,
            turn: .init(.horizontal, degrees: -75 * rest))
        return TransitionFrame(old: .init(opacity: 1 - 0.4 * progress), new: page)
    }
}

/// A widget as toolkits have them, which records what is drawn.
@MainActor final class Canvas {
    var onDraw: (() -> Void)?
    /// Called when the widget has been drawn.
    var onDrawn: (() -> Void)?
    var onVisibility: ((Bool) -> Void)?
    var onClick: (() -> Void)?
    /// Called for each frame of the screen, if set.
    var onFrame: ((Duration) -> Void)?
    var caption: String?
    var aspectRatio: Double?
    var size: PixelSize?
    var pixelsPerPoint = 2.0
    private(set) var drawn: [(size: PixelSize, opacity: Double)] = []

    func redraw() {
        drawn = []
        onDraw?()
        onDrawn?()
    }

    func draw(_ pixels: PixelBuffer, _ layer: TransitionFrame.Layer) {
        if layer.opacity > 0 { drawn.append((pixels.size, layer.opacity)) }
    }

    /// Lets the time of one frame of the screen pass.
    func tick(_ now: Duration) {
        onFrame?(now)
        redraw()
    }
}

/// The code in `Views.md`.
@Suite(.timeLimited) @MainActor struct ViewsDocumentTests {
    private let canvas = Canvas()
    private let pipeline = ImagePipeline(
        .standard(
            memory: MemoryCache(),
            disk: DiskCache(directory: FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID())"))))

    @Test(arguments: [("BEGIN VIEW", "END VIEW"), ("BEGIN USE", "END USE")])
    func theCodeInTheDocumentEqualsThisFile(_ begin: String, _ end: String) throws {
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let document = try String(
            contentsOf: root.appending(path: "Sources/Tintype/Tintype.docc/Views.md"), encoding: .utf8)
        let code = try #require(here.between("// \(begin)\n", "// \(end)"))
        #expect(document.contains("```swift\n\(code.trimmingCharacters(in: .newlines))\n```"))
        if begin == "BEGIN VIEW" { #expect(code.split(separator: "\n").count <= 40) }
    }

    private func view(_ name: String) throws -> (view: CanvasImageView, request: ImageRequest) {
        let size = PixelSize(width: 40, height: 30)
        let png = try PNGEncoder().encode(
            try PixelBuffer.filled(Pixel(red: 9, green: 9, blue: 9), size: size), as: .png, options: EncodeOptions())
        return (
            CanvasImageView(canvas, pipeline: pipeline),
            ImageRequest(source: .bytes(png, id: "views-\(name)-\(UUID())"))
        )
    }

    @Test func theViewLoadsWhenItIsDrawnAndFadesTheImageIn() async throws {
        let (view, request) = try view("fade")
        canvas.size = PixelSize(width: 20, height: 20)
        let end = Gate()
        view.binding.load(
            request, presentation: Presentation(start: .deferred, sizing: .fitsDisplay, transition: .fade)
        ) { event in
            if case .finished = event { end.open() }
        }
        #expect(view.binding.activity == .deferred && canvas.drawn.isEmpty)
        canvas.redraw()
        _ = await end.wait()
        canvas.tick(.zero)
        #expect(canvas.drawn.isEmpty)
        canvas.tick(.milliseconds(250))
        #expect(canvas.drawn.map(\.opacity) == [0.5])
        #expect(canvas.drawn.map(\.size) == [PixelSize(width: 20, height: 15)])
        canvas.tick(.milliseconds(500))
        #expect(canvas.drawn.map(\.opacity) == [1] && canvas.onFrame == nil)
    }

    @Test func theViewLoadsOneImageAfterAnother() async throws {
        // The view that is made last has the canvas.
        let second = try self.view("second").request
        let (view, first) = try view("first")
        canvas.size = PixelSize(width: 20, height: 20)
        let failing = ImageRequest(source: .bytes(Data("no image".utf8), id: "views-\(UUID())"))
        for request in [first, failing, second] {
            let end = Gate()
            view.binding.load(request, presentation: Presentation(start: .deferred, sizing: .fitsDisplay)) { event in
                if case .finished = event { end.open() }
            }
            canvas.redraw()
            _ = await end.wait()
        }
        #expect(canvas.drawn.map(\.size) == [PixelSize(width: 20, height: 15)] && canvas.caption == nil)
    }

    /// As in a slide show whose images are in memory.
    @Test func theReceiverAtTheEndOfATransitionMayBeginTheNext() async throws {
        let requests = try ["a", "b"].map { try self.view($0).request }
        let view = CanvasImageView(canvas, pipeline: pipeline)
        for request in requests { _ = try await pipeline.image(for: request) }
        let fade = Presentation(
            transition: ImageTransition(.fade, when: .always, easing: .linear), completion: .afterTransition)
        let binding = view.binding
        binding.load(requests[0], presentation: fade) { event in
            if case .finished = event { binding.load(requests[1], presentation: fade) }
        }
        canvas.tick(.zero)
        canvas.tick(.milliseconds(250))
        #expect(canvas.drawn.map(\.opacity) == [0.5])
        // The end of the first transition: the second has begun, and shows its old image alone.
        canvas.tick(.milliseconds(500))
        #expect(canvas.drawn.map(\.opacity) == [1] && canvas.onFrame != nil)
        canvas.tick(.milliseconds(600))
        canvas.tick(.milliseconds(850))
        #expect(canvas.drawn.map(\.opacity) == [1, 0.5])
        canvas.tick(.milliseconds(1100))
        #expect(canvas.drawn.map(\.opacity) == [1] && canvas.onFrame == nil)
    }

    @Test func theViewShowsAFailureAndRetries() async throws {
        let view = CanvasImageView(canvas, pipeline: pipeline)
        let end = Gate()
        view.binding.load(ImageRequest(source: .bytes(Data("no image".utf8), id: "views-\(UUID())"))) { event in
            if case .finished = event { end.open() }
        }
        _ = await end.wait()
        #expect(canvas.caption?.isEmpty == false && view.binding.failure != nil)
        canvas.onClick?()
        #expect(view.binding.activity == .loading)
        view.binding.cancel()
    }

    @Test func theViewIsReleased() throws {
        weak var released: CanvasImageView?
        do {
            let (view, request) = try view("released")
            view.binding.load(request)
            released = view
        }
        #expect(released == nil)
    }
}
