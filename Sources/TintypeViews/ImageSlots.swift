public import TintypeCore

/// The bindings of a view with several images, such as an image, a background and a highlighted image, or an image for
/// each state of a button: one for each slot, created when it is first used. The loads of one slot do not affect those
/// of another.
///
/// The view owns its slots, and they own the displays, which must not own the view.
@MainActor public final class ImageSlots<Slot: Hashable & Sendable> {
    private let pipeline: ImagePipeline
    private let makeTimer: (@MainActor () -> any PlaybackTimer)?
    private let makeDisplay: @MainActor (Slot) -> any ImageDisplay
    private var slots: [Slot: (display: any ImageDisplay, binding: ImageBinding)] = [:]

    /// Creates the slots of a view, without any binding.
    ///
    /// - Parameters:
    ///   - pipeline: What loads the images.
    ///   - makeTimer: Returns a timer for one binding: see ``ImageBinding/init(_:pipeline:makeTimer:)``.
    ///   - makeDisplay: Returns what shows the images of a slot. Called once for each slot.
    public init(
        pipeline: ImagePipeline, makeTimer: (@MainActor () -> any PlaybackTimer)? = nil,
        makeDisplay: @escaping @MainActor (_ slot: Slot) -> any ImageDisplay
    ) {
        self.pipeline = pipeline
        self.makeTimer = makeTimer
        self.makeDisplay = makeDisplay
    }

    /// The binding of a slot.
    public subscript(slot: Slot) -> ImageBinding {
        if let existing = slots[slot] { return existing.binding }
        let display = makeDisplay(slot)
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
