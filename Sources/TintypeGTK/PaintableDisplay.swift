import CTintypeGTK
import TintypeCore

/// Shows images in one paintable: the display behind an ``ImagePaintable`` and each slot of an ``ImageView``.
///
/// The paintable owns the display, which does not retain the paintable. A load that is not in memory begins when the
/// paintable has been drawn where it can be seen, because lists bind and map many rows that nobody sees.
@MainActor final class PaintableDisplay: ImageDisplay {
    let paintable: OpaquePointer
    private let pipeline: ImagePipeline
    private(set) lazy var binding = ImageBinding(self, pipeline: pipeline, makeTimer: { MainLoopTimer() })
    private let player = ContentPlayer(timer: MainLoopTimer())
    /// The widget in which the paintable is drawn; `nil` if nobody said.
    var watch: WidgetWatch? {
        didSet { watch?.add(self) }
    }
    /// Called when other content is shown.
    var onContent: (@MainActor (ImageContent) -> Void)?
    var motion = MotionPolicy.automatic {
        didSet { updateMotion() }
    }

    private var sizes = SizeSteps()
    /// The size of the paintable in points when it was drawn last.
    private var drawnSize = (width: 0.0, height: 0.0)
    private var isDrawPending = false
    /// The animation frames shown since the paintable was drawn.
    private var undrawnFrames = 0
    private var transition: RunningTransition?
    private let transitionTimer = MainLoopTimer()
    private let refitTimer = MainLoopTimer()
    private var clearTimer: MainLoopTimer?

    /// Creates a display for a new paintable, which owns it from now on.
    init(paintable: OpaquePointer, pipeline: ImagePipeline) {
        (self.paintable, self.pipeline) = (paintable, pipeline)
        player.isVisible = false
        player.onPixels = { [weak self] in self?.draw($0) }
        var events = TintypePaintableEvents(
            drawn: { owner, width, height in
                withOwner(owner) { (display: PaintableDisplay) in display.noteDraw(width, height) }
            },
            release: { release($0, PaintableDisplay.self) })
        tintype_paintable_set_owner(paintable, &events, Unmanaged.passRetained(self).toOpaque())
        Desktop.shared.add(self)
        updateMotion()
    }

    isolated deinit {
        Desktop.shared.remove(ObjectIdentifier(self))
    }

    // MARK: Requests

    func load(_ request: ImageRequest, presentation: Presentation, receive: ImageBinding.Receiver?) {
        clearTimer = nil
        sizes.startLoad()
        binding.load(request, presentation: presentation, receive: receive)
        tintype_paintable_request_draw(paintable)
    }

    func clear(presentation: Presentation) {
        clearTimer = nil
        binding.clear(presentation: presentation)
    }

    /// Removes the image soon, unless another load comes first: lists often bind the row of a former item at once.
    func clearSoon() {
        let timer = MainLoopTimer()
        clearTimer = timer
        timer.set(for: timer.now) { [weak self] in self?.clear(presentation: Presentation()) }
    }

    /// Ends everything, because the widget is being destroyed.
    func end() {
        setVisible(false)
        binding.cancel()
        watch = nil
    }

    // MARK: ImageDisplay

    var fit = ImageFit.contain
    var scale: Double { Double(watch?.scale ?? 1) }
    /// A view without a size gets an image of at most the size of its window.
    var wantedSize: PixelSize? { sizes.wanted ?? (drawnSize.width > 0 ? nil : watch?.windowSize) }

    func show(_ content: ImageContent) {
        endTransition()
        replaceContent(content)
    }

    func show(with transition: RunningTransition) {
        guard motion.allowsMotion, player.isVisible else {
            show(transition.new)
            return transition.finish()
        }
        endTransition()
        self.transition = transition
        transition.onEnd = { [weak self, weak transition] in
            if let transition, self?.transition === transition { self?.endTransition() }
        }
        tintype_paintable_begin_transition(paintable)
        replaceContent(transition.new)
        startFrames()
        tick(transitionTimer.now)
    }

    func expect(_ size: ExpectedSize?) {
        guard let size else { return }
        let points =
            size.basis == .placeholder ? (0, 0) : (Double(size.size.width) / scale, Double(size.size.height) / scale)
        tintype_paintable_set_size(paintable, points.0, points.1, size.aspectRatio)
    }

    private func replaceContent(_ content: ImageContent) {
        if case .image(let image) = content { setNaturalSize(of: image) }
        player.show(content)
        onContent?(content)
    }

    /// Sets the intrinsic size to that of the whole image, whatever size it was decoded to: otherwise the layout would
    /// depend on the decoded size, which depends on the layout.
    private func setNaturalSize(of image: Image) {
        let shown = image.size
        let ratio = Double(shown.width) / Double(shown.height)
        let source = image.info.size
        // Transforms may have given the image another shape.
        let hasShapeOfSource = abs(Double(source.width) / Double(source.height) / ratio - 1) < 0.02
        let size = hasShapeOfSource ? source : shown
        tintype_paintable_set_size(paintable, Double(size.width) / scale, Double(size.height) / scale, ratio)
    }

    private func draw(_ pixels: PixelBuffer?) {
        noteFrame()
        guard let pixels else { return tintype_paintable_show(paintable, nil) }
        let texture = TextureTable.shared.texture(for: pixels)
        tintype_paintable_show(paintable, texture.pointer)
    }
}

// MARK: - Visibility

extension PaintableDisplay {
    func setVisible(_ isVisible: Bool) {
        if binding.isVisible != isVisible { binding.isVisible = isVisible }
        if player.isVisible != isVisible { player.isVisible = isVisible }
        if isVisible { binding.begin() } else { transition?.finish() }
    }

    func updateMotion() {
        player.allowsMotion = motion.allowsMotion
        if !motion.allowsMotion { transition?.finish() }
    }

    /// Notes that the paintable is being drawn. Nothing may change before the frame is complete.
    private func noteDraw(_ width: Double, _ height: Double) {
        drawnSize = (width, height)
        guard !isDrawPending else { return }
        isDrawPending = true
        tintype_after_frame(
            { owner in
                withOwner(owner) { (display: PaintableDisplay) in display.handleDraw() }
                release(owner, PaintableDisplay.self)
            }, Unmanaged.passRetained(self).toOpaque())
    }

    private func handleDraw() {
        isDrawPending = false
        undrawnFrames = 0
        updateSize()
        watch?.update()
        // Without a widget to ask, what is drawn is visible.
        if watch?.isVisible ?? true { setVisible(true) }
    }

    /// Without a widget to ask, an animation whose frames are not drawn is hidden.
    private func noteFrame() {
        guard watch == nil, player.isVisible else { return }
        undrawnFrames += 1
        tintype_paintable_request_draw(paintable)
        if undrawnFrames > 2 { setVisible(false) }
    }
}

// MARK: - Size

extension PaintableDisplay {
    /// Sets the size in points.
    func setSize(width: Double, height: Double) {
        drawnSize = (width, height)
        updateSize()
    }

    /// Requests a larger image if the size in pixels has grown, once it has been stable for 150 ms.
    func updateSize() {
        let pixels = PixelSize(
            width: Int((drawnSize.width * scale).rounded(.up)), height: Int((drawnSize.height * scale).rounded(.up)))
        guard sizes.setSize(pixels) else { return }
        refitTimer.set(for: refitTimer.now + .milliseconds(150)) { [weak self] in self?.binding.refit() }
    }
}

// MARK: - Transitions

extension PaintableDisplay {
    /// Draws the running transition as it is at a time.
    func tick(_ now: Duration) {
        guard let transition else { return }
        let frame = transition.frame(at: now)
        // The last frame has ended the transition.
        guard self.transition === transition, !transition.isOver else { return endTransition() }
        tintype_paintable_pose(paintable, TintypePose(frame.old), TintypePose(frame.new))
        if watch == nil { startFrames() }
    }

    private func startFrames() {
        if let watch { return watch.startTicks(for: self) }
        // Without a widget, there is no frame clock.
        transitionTimer.set(for: transitionTimer.now + .milliseconds(16)) { [weak self] in
            if let self { tick(transitionTimer.now) }
        }
    }

    private func endTransition() {
        guard transition != nil else { return }
        transition = nil
        watch?.stopTicks(for: self)
        transitionTimer.cancel()
        tintype_paintable_end_transition(paintable)
    }
}

extension TintypePose {
    fileprivate init(_ layer: TransitionFrame.Layer) {
        self.init(opacity: layer.opacity, x: layer.x, y: layer.y, scale: layer.scale, turn: 0, tilt: 0)
        switch layer.turn?.axis {
        case .vertical: turn = layer.turn?.degrees ?? 0
        case .horizontal: tilt = layer.turn?.degrees ?? 0
        case nil: break
        }
    }
}
