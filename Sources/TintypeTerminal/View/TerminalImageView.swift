public import TintypeCore
public import TintypeViews

/// Shows images in a rectangle of a terminal.
///
///     let view = TerminalImageView(session, in: CellRect(column: 0, row: 0, columns: 40, rows: 20), pipeline: .shared)
///     view.load(ImageRequest(url: url))
///
/// Images are decoded to the size of the rectangle. Animations play; a terminal that is slow gets fewer frames.
@MainActor public final class TerminalImageView {
    /// The session that shows the view.
    package let session: TerminalSession
    /// The loads of the view.
    public private(set) lazy var binding = ImageBinding(display, pipeline: pipeline)

    private lazy var display = TerminalDisplay(self)
    private let pipeline: ImagePipeline
    private let region: TerminalRegion
    private let player = ContentPlayer()
    private let transitionTimer: any PlaybackTimer
    private var content = ImageContent.nothing
    private var transition: RunningTransition?
    /// The image that the transition starts from.
    private var formerImage: TransitionImage?
    /// The progress of a load that takes long, while there is nothing else to show.
    private var progressLine: String?

    /// The time between the frames of a transition.
    private static let frameTime = Duration.milliseconds(60)

    /// Creates a view that shows nothing.
    public convenience init(_ session: TerminalSession, in rect: CellRect, pipeline: ImagePipeline) {
        self.init(session, in: rect, pipeline: pipeline, transitionTimer: SystemPlaybackTimer())
    }

    /// Creates a view with the timer of its transitions.
    init(_ session: TerminalSession, in rect: CellRect, pipeline: ImagePipeline, transitionTimer: any PlaybackTimer) {
        self.session = session
        self.pipeline = pipeline
        self.transitionTimer = transitionTimer
        region = session.makeRegion(rect)
        // The first pixels of a content are drawn again by show(_:), because they must not be left out.
        player.onPixels = { [weak self] _ in self?.draw(.animation) }
        let bar = TerminalProgressBar { [weak self] in self?.showProgress($0) }
        binding.indicator = bar.delayed()
    }

    /// Loads and shows an image, decoded to the size of the view.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - presentation: The presentation of the load. Its `Presentation.sizing` is always that of the view.
    ///   - receive: Receives progress, previews, and the end exactly once, on the main actor.
    public func load(
        _ request: ImageRequest, presentation: Presentation = Presentation(), receive: ImageBinding.Receiver? = nil
    ) {
        var presentation = presentation
        presentation.sizing = .fitsDisplay
        binding.load(request, presentation: presentation, receive: receive)
    }

    /// The cells of the view. Parts beyond the edges of the screen are not drawn.
    public var rect: CellRect {
        get { region.rect }
        set {
            guard newValue != region.rect else { return }
            region.rect = newValue
            redraw()
            binding.refit()
        }
    }

    /// Whether the view is visible; `true` at first. The animation of a hidden view stands still, and
    /// `Presentation.whenHidden` decides about its load.
    public var isVisible: Bool {
        get { player.isVisible }
        set {
            player.isVisible = newValue
            binding.isVisible = newValue
            if !newValue, let former = transition {
                endTransition()
                former.finish()
            }
            redraw()
        }
    }

    /// Draws the view again, after the size of the terminal has changed.
    public func redraw() {
        isVisible ? draw(.content) : region.show(.nothing)
    }

    // MARK: What the binding shows

    /// Shows content in place of what was shown before.
    fileprivate func show(_ content: ImageContent) {
        endTransition()
        self.content = content
        player.show(content)
        draw(.content)
    }

    /// Shows the new content of a transition, frame by frame. Over `ssh`, and while the view is hidden, it is shown at
    /// once.
    fileprivate func show(with transition: RunningTransition) {
        guard !session.capabilities.isRemote, isVisible else {
            show(transition.new)
            return transition.finish()
        }
        formerImage = player.pixels.map(placed)
        content = transition.new
        self.transition = transition
        player.show(transition.new)
        advanceTransition()
    }

    /// The size of the rectangle in pixels; for characters, the pixels that they show.
    var wantedSize: PixelSize? {
        let capabilities = session.capabilities
        let symbols = capabilities.bestProtocol.symbols(capabilities.colors)
        let span = CellSpan(columns: max(1, rect.span.columns), rows: max(1, rect.span.rows))
        return span.pixels(cell: symbols?.pixels ?? session.size.cell)
    }

    // MARK: Drawing

    private func draw(_ kind: FrameKind) {
        guard isVisible, transition == nil else { return }
        if let pixels = player.pixels {
            let image = placed(pixels)
            region.show(.image(image.pixels, image.layout), kind)
        } else {
            let text = content.error.map { ["✗", "\($0)"] } ?? progressLine.map { [$0] }
            region.show(text.map(RegionContent.text) ?? .nothing, kind)
        }
    }

    private func showProgress(_ progress: LoadProgress?) {
        progressLine = progress.map { TerminalProgressBar.line($0, columns: rect.span.columns) }
        if player.pixels == nil { draw(.animation) }
    }

    private func placed(_ pixels: PixelBuffer) -> TransitionImage {
        let capabilities = session.capabilities
        let layout = CellLayout(
            pixels.size, within: rect.span, cell: session.size.cell,
            symbols: capabilities.bestProtocol.symbols(capabilities.colors),
            // A placeholder has few pixels, and stands for an image that has more.
            scaling: content.kind == .placeholder ? .toFit : .down)
        return TransitionImage(pixels: pixels, layout: layout)
    }

    // MARK: Transitions

    private func advanceTransition() {
        guard let transition else { return }
        let frame = transition.frame(at: transitionTimer.now)
        // The last frame ends the transition, and its receiver may begin another one.
        guard self.transition === transition else { return }
        guard !transition.isOver else {
            endTransition()
            return draw(.content)
        }
        region.show(.transition(formerImage, player.pixels.map(placed), frame), .animation)
        transitionTimer.set(for: transitionTimer.now + Self.frameTime) { [weak self] in self?.advanceTransition() }
    }

    private func endTransition() {
        transitionTimer.cancel()
        let former = transition
        (transition, formerImage) = (nil, nil)
        // Released last: that may report its end, and the receiver may begin another transition.
        withExtendedLifetime(former) {}
    }
}

/// The view as its binding sees it.
private final class TerminalDisplay: ImageDisplay {
    private weak var view: TerminalImageView?

    init(_ view: TerminalImageView) { self.view = view }

    func show(_ content: ImageContent) { view?.show(content) }
    func show(with transition: RunningTransition) { view?.show(with: transition) }
    var wantedSize: PixelSize? { view?.wantedSize }
}

/// Passes the progress of a load to a view.
@MainActor final class TerminalProgressBar: LoadIndicator {
    private let show: @MainActor (LoadProgress?) -> Void

    /// - Parameter show: Receives the progress, and `nil` at the end.
    init(_ show: @escaping @MainActor (LoadProgress?) -> Void) {
        self.show = show
    }

    func start() { show(LoadProgress()) }
    func update(_ progress: LoadProgress) { show(progress) }
    func stop() { show(nil) }

    /// Returns a bar such as `━━━━━━━━╌╌╌╌╌╌╌╌ 50 %`, with at most `columns` characters.
    nonisolated static func line(_ progress: LoadProgress, columns: Int) -> String {
        let width = max(1, min(16, columns - 6))
        guard let fraction = progress.fraction else { return String(repeating: "·", count: width) }
        let full = Int((fraction * Double(width)).rounded(.down))
        let bar = String(repeating: "━", count: full) + String(repeating: "╌", count: width - full)
        return columns < width + 6 ? bar : "\(bar) \(Int(fraction * 100)) %"
    }
}
