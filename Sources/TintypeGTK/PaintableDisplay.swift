import CTintypeGTK
import TintypeCore
import TintypeViews

/// Shows images in one paintable: the display behind an ``ImagePaintable`` and each slot of an ``ImageView``.
///
/// The paintable owns the display, which does not retain the paintable. A load that is not in memory begins when the
/// paintable has been drawn where it is visible, because lists bind and map many rows that are not visible.
@MainActor final class PaintableDisplay: ImageDisplay {
    let paintable: OpaquePointer
    private let pipeline: ImagePipeline
    private(set) lazy var binding = ImageBinding(self, pipeline: pipeline, makeTimer: { MainLoopTimer() })
    private let player = ContentPlayer(timer: MainLoopTimer())
    /// All displays of the pipeline.
    private let views: VisibleViews
    /// The widget in which the paintable is drawn; `nil` if it is unknown.
    var watch: WidgetWatch? {
        didSet { follow(watch, insteadOf: oldValue) }
    }
    /// Whether the widget draws the paintable: `false` while the widget is in a state for which it shows another image.
    var isDrawn = true {
        didSet { updatePlayer() }
    }
    /// Called when other content is shown.
    var onContent: (@MainActor (ImageContent) -> Void)?
    var motion = MotionPolicy.automatic {
        didSet { updateMotion() }
    }

    private var isVisible = false
    private var sizes = SizeSteps()
    /// The size of the paintable in points when it was drawn last.
    private var drawnSize = (width: 0.0, height: 0.0)
    private var isUpdatePending = false
    /// The size in the layout, in pixels, and the aspect ratio; each 0 while it is unknown.
    private var naturalSize = (width: 0.0, height: 0.0, ratio: 0.0)
    /// The animation frames shown since the paintable was drawn.
    private var undrawnFrames = 0
    private var transition: RunningTransition?
    private let transitionTimer = MainLoopTimer()
    private let refitTimer = MainLoopTimer()
    private var clearTimer: MainLoopTimer?

    /// Creates a display for a new paintable, which owns it from now on.
    init(paintable: OpaquePointer, pipeline: ImagePipeline) {
        (self.paintable, self.pipeline) = (paintable, pipeline)
        views = Desktop.shared.views(of: pipeline)
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
        if isVisible { views.viewDisappeared() }
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
        if binding.expectedSize == nil { setNaturalSize(0, 0, ratio: 0) }
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
        // A placeholder has few pixels, so only its aspect ratio is used.
        let pixels = size.basis == .placeholder ? PixelSize(width: 0, height: 0) : size.unscaled
        setNaturalSize(Double(pixels.width), Double(pixels.height), ratio: size.aspectRatio)
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
        setNaturalSize(Double(size.width), Double(size.height), ratio: ratio)
    }

    private func setNaturalSize(_ width: Double, _ height: Double, ratio: Double) {
        naturalSize = (width, height, ratio)
        updateNaturalSize()
    }

    private func updateNaturalSize() {
        tintype_paintable_set_size(
            paintable, naturalSize.width / scale, naturalSize.height / scale, naturalSize.ratio)
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
        if isVisible != self.isVisible { isVisible ? views.viewAppeared() : views.viewDisappeared() }
        self.isVisible = isVisible
        if binding.isVisible != isVisible { binding.isVisible = isVisible }
        updatePlayer()
        if isVisible { beginLoad() }
    }

    /// Begins a deferred load, at the exact size that the view has now.
    private func beginLoad() {
        if binding.activity == .deferred { sizes.startLoad() }
        binding.begin()
    }

    /// Plays an animation only where it can be seen, whatever else the widget shows.
    private func updatePlayer() {
        let isSeen = isVisible && isDrawn
        if player.isVisible != isSeen { player.isVisible = isSeen }
        if !isSeen { transition?.finish() }
    }

    func updateMotion() {
        player.allowsMotion = motion.allowsMotion
        if !motion.allowsMotion { transition?.finish() }
    }

    /// Notes that the paintable is being drawn. Nothing may change before the frame is complete.
    private func noteDraw(_ width: Double, _ height: Double) {
        drawnSize = (width, height)
        updateSoon()
    }

    /// Begins the load, if the paintable can be seen, when the current frame is complete.
    func updateSoon() {
        guard !isUpdatePending else { return }
        isUpdatePending = true
        // The paintable owns the display, and may otherwise be gone by then.
        tintype_object_hold(UnsafeMutableRawPointer(paintable))
        tintype_after_frame(
            { owner in
                withOwner(owner) { (display: PaintableDisplay) in
                    display.update()
                    tintype_object_drop(UnsafeMutableRawPointer(display.paintable))
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func update() {
        isUpdatePending = false
        undrawnFrames = 0
        updateSize()
        watch?.update()
        // Without a widget, a paintable that is drawn counts as visible.
        if watch?.isVisible ?? true { setVisible(true) }
    }

    /// Hides an animation whose frames are not drawn, if there is no widget whose visibility is known.
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

    /// Handles a change of the number of pixels per point.
    func updateScale() {
        updateNaturalSize()
        updateSize()
    }

    /// Requests a larger image if the size in pixels has grown.
    func updateSize() {
        if sizes.setSize(PixelSize(points: drawnSize, scale: scale)) { refitSoon() }
    }

    /// Requests a larger image if one is needed, once the size has been stable for 150 ms.
    func refitSoon() {
        refitTimer.set(for: refitTimer.now + .milliseconds(150)) { [weak self] in self?.binding.refit() }
    }
}

// MARK: - Transitions

extension PaintableDisplay {
    /// Draws the running transition as it is at a time.
    func tick(_ now: Duration) {
        guard let transition else { return }
        let frame = transition.frame(at: now)
        // The last frame ends the transition, and its receiver may begin another one.
        guard self.transition === transition else { return }
        tintype_paintable_pose(paintable, TintypePose(frame.old), TintypePose(frame.new))
        if watch == nil { startFrames() }
    }

    private func follow(_ new: WidgetWatch?, insteadOf old: WidgetWatch?) {
        old?.stopTicks(for: self)
        transitionTimer.cancel()
        new?.add(self)
        updateScale()
        if transition != nil { startFrames() }
    }

    private func startFrames() {
        if let watch { return watch.startTicks(for: self) }
        // Without a widget, there is no frame clock.
        transitionTimer.set(for: transitionTimer.now + .milliseconds(16)) { [weak self] in
            if let self { tick(transitionTimer.now) }
        }
    }

    private func endTransition() {
        guard let former = transition else { return }
        transition = nil
        watch?.stopTicks(for: self)
        transitionTimer.cancel()
        tintype_paintable_end_transition(paintable)
        // Released last: that may report its end, and the receiver may begin another transition.
        withExtendedLifetime(former) {}
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
