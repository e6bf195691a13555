public import TintypeCore

/// A view with several images, such as an image, a background and a highlighted image, or an image for each state of a
/// button.
///
/// All methods except ``show(_:in:)`` have defaults, which are those of ``ImageDisplay``.
@MainActor public protocol SlottedImageDisplay: AnyObject {
    /// The name of an image of the view, usually an enumeration.
    associatedtype Slot: Hashable & Sendable

    /// Shows content in a slot, in place of what was shown there before.
    func show(_ content: ImageContent, in slot: Slot)
    /// Shows the new content of a transition in a slot: see ``ImageDisplay/show(with:)``.
    func show(with transition: RunningTransition, in slot: Slot)
    /// Called when the size of the next image of a slot becomes known: see ``ImageDisplay/expect(_:)``.
    func expect(_ size: ExpectedSize?, in slot: Slot)
    /// The number of pixels per point.
    var scale: Double { get }
    /// Returns the size in pixels at which the image of a slot will be shown; `nil` while it is unknown.
    func wantedSize(in slot: Slot) -> PixelSize?
    /// Returns how an image is placed in a slot whose aspect ratio differs from its own: see ``ImageDisplay/fit``.
    func fit(in slot: Slot) -> ImageFit
}

extension SlottedImageDisplay {
    /// Shows the new content without a transition.
    public func show(with transition: RunningTransition, in slot: Slot) {
        show(transition.new, in: slot)
        transition.finish()
    }

    /// Does nothing: by default, the view does not reserve space.
    public func expect(_ size: ExpectedSize?, in slot: Slot) {}
    /// The default scale, 1.
    public var scale: Double { 1 }
    /// Returns the default, `nil`: the size is unknown.
    public func wantedSize(in slot: Slot) -> PixelSize? { nil }
    /// Returns the default, ``ImageFit/contain``.
    public func fit(in slot: Slot) -> ImageFit { .contain }
}

/// The bindings of a view with several images: one for each slot, created when it is first used. The loads of one slot
/// do not affect those of another.
///
/// The view owns its slots. They do not own the view.
@MainActor public final class ImageSlots<View: SlottedImageDisplay> {
    /// The pipeline that loads the images.
    public let pipeline: ImagePipeline

    private weak var view: View?
    private let makeTimer: @MainActor () -> any PlaybackTimer
    private var slots: [View.Slot: (display: SlotDisplay<View>, binding: ImageBinding)] = [:]

    /// Creates the slots of a view, without any binding.
    ///
    /// - Parameters:
    ///   - view: What shows the images; it is not retained.
    ///   - pipeline: What loads the images.
    ///   - makeTimer: Returns a timer for one binding: see ``ImageBinding/init(_:pipeline:makeTimer:)``.
    public init(
        _ view: View, pipeline: ImagePipeline,
        makeTimer: @escaping @MainActor () -> any PlaybackTimer = { SystemPlaybackTimer() }
    ) {
        self.view = view
        self.pipeline = pipeline
        self.makeTimer = makeTimer
    }

    /// The binding of a slot.
    public subscript(slot: View.Slot) -> ImageBinding {
        if let existing = slots[slot] { return existing.binding }
        let display = SlotDisplay(view, slot)
        let binding = ImageBinding(display, pipeline: pipeline, makeTimer: makeTimer)
        binding.isVisible = isVisible
        slots[slot] = (display, binding)
        return binding
    }

    /// Whether the view is visible: see ``ImageBinding/isVisible``. Applies to all slots.
    public var isVisible = true {
        didSet { for slot in slots.values { slot.binding.isVisible = isVisible } }
    }

    /// Starts the deferred loads of all slots: see ``ImageBinding/begin()``.
    public func begin() {
        for slot in slots.values { slot.binding.begin() }
    }

    /// Cancels the loads of all slots. The view keeps its images.
    public func cancel() {
        for slot in slots.values { slot.binding.cancel() }
    }
}

/// The display of one slot.
private final class SlotDisplay<View: SlottedImageDisplay>: ImageDisplay {
    private weak var view: View?
    private let slot: View.Slot

    init(_ view: View?, _ slot: View.Slot) {
        self.view = view
        self.slot = slot
    }

    func show(_ content: ImageContent) { view?.show(content, in: slot) }
    func show(with transition: RunningTransition) { view?.show(with: transition, in: slot) }
    func expect(_ size: ExpectedSize?) { view?.expect(size, in: slot) }
    var scale: Double { view?.scale ?? 1 }
    var wantedSize: PixelSize? { view?.wantedSize(in: slot) }
    var fit: ImageFit { view?.fit(in: slot) ?? .contain }
}
