public import TintypeCore

/// How a display presents a load. No part of it reaches the pipeline.
public struct Presentation: Sendable {
    /// The content of the display until the image is available.
    public var whileLoading: WhileLoading
    /// The image to show if the load fails, unless a preview of the requested image is shown. `nil` keeps what is
    /// shown.
    public var failureImage: Image?
    /// Whether the display or the receiver shows the image.
    public var delivery: Delivery
    /// The treatment of the display's former load.
    public var replacement: Replacement
    /// When the load begins, if its image is not in memory.
    public var start: Start
    /// The treatment of the load while the display is hidden: see ``ImageBinding/isVisible``.
    public var whenHidden: WhenHidden
    /// The size of the image in pixels, if the program knows it. `nil` takes it from the placeholder, or from the
    /// header if no transformer may change the size.
    public var expectedSize: PixelSize?
    /// Whether the request or the display determines the size of the image.
    public var sizing: Sizing
    /// The transition to the new image; `nil` shows it at once.
    public var transition: ImageTransition?
    /// When the receiver is notified of the end of the load.
    public var completion: Completion

    /// Creates a presentation; by default it shows the image at once and cancels the former load.
    public init(
        whileLoading: WhileLoading = .nothing, failureImage: Image? = nil, delivery: Delivery = .automatic,
        replacement: Replacement = .cancelsFormer, start: Start = .immediate,
        whenHidden: WhenHidden = .pauses(after: .seconds(2)),
        expectedSize: PixelSize? = nil, sizing: Sizing = .asRequested, transition: ImageTransition? = nil,
        completion: Completion = .whenShown
    ) {
        self.whileLoading = whileLoading
        self.failureImage = failureImage
        self.delivery = delivery
        self.replacement = replacement
        self.start = start
        self.whenHidden = whenHidden
        self.expectedSize = expectedSize
        self.sizing = sizing
        self.transition = transition
        self.completion = completion
    }
}

extension Presentation {
    /// The content of a display while an image is being loaded.
    public enum WhileLoading: Sendable {
        /// Nothing. The former image is removed.
        case nothing
        /// This image, in place of the former one.
        case placeholder(Image)
        /// The former image.
        case current
    }

    /// Whether the display or the receiver shows the image.
    public enum Delivery: Hashable, Sendable {
        /// The display shows the image.
        case automatic
        /// The receiver gets the image and shows it itself. The display still shows the placeholder and the failure
        /// image.
        case manual
    }

    /// The treatment of a display's former load.
    public enum Replacement: Hashable, Sendable {
        /// The former load is cancelled.
        case cancelsFormer
        /// The former load continues, and its image is shown if it is available before the new one.
        case besideFormer
    }

    /// When a load begins. An image in memory is shown at once in any case.
    public enum Start: Hashable, Sendable {
        /// At once.
        case immediate
        /// At ``ImageBinding/begin()``. A list calls that after it has drawn a row, because it may prepare many more
        /// rows than it shows.
        case deferred
    }

    /// The treatment of a load while its display is hidden.
    public enum WhenHidden: Hashable, Sendable {
        /// The load continues unchanged.
        case continues
        /// The load continues with the lowest priority.
        case yields
        /// The load continues with the lowest priority, and stops after this time unless more than half of its bytes
        /// have arrived. It starts again when the display is visible. The receiver is not notified of the pause.
        ///
        /// By default after two seconds, so that a short look at another page does not restart the load.
        case pauses(after: Duration)
    }

    /// Whether the request or the display determines the size of the image.
    public enum Sizing: Hashable, Sendable {
        /// The size of the request.
        case asRequested
        /// A request for the full size is decoded to the display's ``ImageDisplay/wantedSize``, if it is known when the
        /// load begins, and gets the display's ``ImageDisplay/scale``.
        case fitsDisplay
    }

    /// When the receiver is notified of the end of the load.
    public enum Completion: Hashable, Sendable {
        /// When the image has been passed to the display.
        case whenShown
        /// When the transition has ended, whether it was shown to its end or interrupted; without a transition, as
        /// ``whenShown``.
        case afterTransition
    }
}
