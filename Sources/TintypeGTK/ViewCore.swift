import CTintypeGTK
import TintypeCore
import TintypeViews

/// The state of an ``ImageView``. The widget owns it; it does not retain the widget.
@MainActor final class ViewCore {
    private let widget: OpaquePointer
    private let pipeline: ImagePipeline
    private let watch: WidgetWatch
    private var slots: [ImageSlot: Slot] = [:]
    private var state = ImageSlot.State.normal
    private var size = (width: 0.0, height: 0.0)
    private var indicatorWidget: IndicatorWidget?

    var presentation = Presentation.inView
    var retriesOnActivation = true { didSet { updateButton() } }
    var contentFit = ContentFit.contain { didSet { forEachDisplay { $0.set(contentFit) } } }
    var motion = MotionPolicy.automatic { didSet { forEachDisplay { $0.motion = motion } } }
    var indicator = ViewIndicator.none { didSet { if indicator != oldValue { replaceIndicator() } } }
    var accessibleName: String? { didSet { describe() } }
    var accessibleDescription: String? { didSet { describe() } }

    /// One image of the view.
    private struct Slot {
        /// Retained.
        let display: PaintableDisplay
        var kind = ImageContent.Kind.nothing
    }

    /// Creates the state of a new widget, which owns it from now on.
    init(_ widget: OpaquePointer, pipeline: ImagePipeline) {
        (self.widget, self.pipeline) = (widget, pipeline)
        watch = WidgetWatch(widget)
        var events = TintypeViewEvents(
            allocated: { owner, width, height in
                withOwner(owner) { (core: ViewCore) in core.setSize(Double(width), Double(height)) }
            },
            state: { owner, state in withOwner(owner) { (core: ViewCore) in core.setState(ImageSlot.State(state)) } },
            activated: { owner in withOwner(owner) { (core: ViewCore) in core.retry() } },
            release: { release($0, ViewCore.self) })
        tintype_view_set_owner(widget, &events, Unmanaged.passRetained(self).toOpaque())
        _ = display(.image)
    }

    isolated deinit {
        for slot in slots.values { tintype_object_drop(UnsafeMutableRawPointer(slot.display.paintable)) }
    }

    // MARK: Slots

    /// Returns the display of a slot, which is made when it is first used.
    func display(_ slot: ImageSlot) -> PaintableDisplay {
        if let known = slots[slot] { return known.display }
        let display = PaintableDisplay(paintable: tintype_paintable_new(), pipeline: pipeline)
        slots[slot] = Slot(display: display)
        display.watch = watch
        display.motion = motion
        display.set(contentFit)
        display.setSize(width: size.width, height: size.height)
        display.onContent = { [weak self] in self?.handle($0, slot) }
        display.binding.ownIndicator = LoadNotice { [weak self] in self?.update(slot, $0) }
        showLayers()
        return display
    }

    func load(
        _ request: ImageRequest, in slot: ImageSlot, presentation: Presentation, receive: ImageBinding.Receiver?
    ) {
        if size.width == 0 { useSizeRequest() }
        let display = display(slot)
        display.load(request, presentation: presentation, receive: receive)
        // The image of another state begins to load without being drawn, so that it is there when the state changes.
        if watch.isVisible, !display.isDrawn { display.updateSoon() }
    }

    func recycle() {
        forEachDisplay { $0.clearSoon() }
    }

    private func forEachDisplay(_ body: (PaintableDisplay) -> Void) {
        for slot in slots.values { body(slot.display) }
    }

    /// Draws the images of the current state, or of the normal state where it has none.
    private func showLayers() {
        tintype_view_set_layers(widget, shown(.background)?.paintable, shown(.image)?.paintable)
        // Looked up for each, because an end of a transition may load another image.
        forEachDisplay { $0.isDrawn = $0 === shown(.background) || $0 === shown(.image) }
    }

    private func shown(_ layer: ImageSlot.Layer) -> PaintableDisplay? {
        if let slot = slots[ImageSlot(layer, state: state)], slot.kind != .nothing { return slot.display }
        return slots[ImageSlot(layer)]?.display
    }

    private func handle(_ content: ImageContent, _ slot: ImageSlot) {
        slots[slot]?.kind = content.kind
        if slot.state != .normal { showLayers() }
        guard slot == .image else { return }
        for kind in ImageContent.Kind.allCases where kind != .nothing {
            tintype_widget_set_class(widget, kind.rawValue, content.kind == kind)
        }
        updateButton()
    }

    private func updateButton() {
        let hasFailed = slots[.image]?.kind == .failure
        tintype_view_set_button(widget, retriesOnActivation && hasFailed)
    }

    // MARK: Events

    private func setSize(_ width: Double, _ height: Double) {
        size = (width, height)
        forEachDisplay { $0.setSize(width: width, height: height) }
    }

    /// Before the first layout, the size that the program requested is the best guess.
    private func useSizeRequest() {
        var (width, height) = (Int32(), Int32())
        tintype_widget_size_request(widget, &width, &height)
        if width > 0, height > 0 { setSize(Double(width), Double(height)) }
    }

    private func setState(_ new: ImageSlot.State) {
        state = new
        showLayers()
    }

    private func retry() {
        forEachDisplay { $0.binding.retry() }
    }

    // MARK: Indicator

    private func update(_ slot: ImageSlot, _ event: LoadNotice.Event) {
        guard slot == .image else { return }
        switch event {
        case .start: setBusy(true)
        case .stop: setBusy(false)
        case .progress: break
        }
        indicatorWidget?.handle(event)
    }

    private func setBusy(_ isBusy: Bool) {
        tintype_widget_set_class(widget, "loading", isBusy)
        tintype_view_set_busy(widget, isBusy)
    }

    private func replaceIndicator() {
        indicatorWidget = IndicatorWidget(indicator)
        tintype_view_set_overlay(widget, indicatorWidget?.pointer)
        if display(.image).binding.activity == .loading { indicatorWidget?.handle(.start) }
    }

    // MARK: Accessibility

    private func describe() {
        tintype_view_describe(widget, accessibleName, accessibleDescription)
    }
}
