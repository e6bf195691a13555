/// How a display presents a load. No part of it reaches the pipeline.
public struct Presentation: Sendable {
    /// The content of the display until the image is available.
    public var whileLoading: WhileLoading
    /// The image to show if the load fails; `nil` leaves the display as it is.
    public var failureImage: Image?
    /// Whether the display or the receiver shows the image.
    public var delivery: Delivery
    /// The treatment of the display's former load.
    public var replacement: Replacement
    /// Whether the request or the display determines the size of the image.
    public var sizing: Sizing
    /// The transition to the new image; `nil` shows it at once.
    public var transition: ImageTransition?
    /// When the receiver gets the end of the load.
    public var completion: Completion

    /// Creates a presentation; by default it shows the image at once and cancels the former load.
    public init(
        whileLoading: WhileLoading = .nothing, failureImage: Image? = nil, delivery: Delivery = .automatic,
        replacement: Replacement = .cancelsFormer, sizing: Sizing = .asRequested, transition: ImageTransition? = nil,
        completion: Completion = .whenShown
    ) {
        self.whileLoading = whileLoading
        self.failureImage = failureImage
        self.delivery = delivery
        self.replacement = replacement
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

    /// Whether the request or the display determines the size of the image.
    public enum Sizing: Hashable, Sendable {
        /// The size of the request.
        case asRequested
        /// A request for the full size is decoded to the display's ``ImageDisplay/wantedSize``, if it is known, and
        /// gets the display's ``ImageDisplay/scale``.
        case fitsDisplay
    }

    /// When the receiver gets the end of the load.
    public enum Completion: Hashable, Sendable {
        /// When the image has been passed to the display.
        case whenShown
        /// When the display has finished its transition; without a transition, as ``whenShown``.
        case afterTransition
    }
}

// MARK: - Transitions

/// How one image replaces another.
public struct ImageTransition: Hashable, Sendable {
    /// The visual effect of a transition.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The new image fades in over the old one.
        case fade
        /// The new image slides in from the left.
        case slideFromLeft
        /// The new image slides in from the right.
        case slideFromRight
        /// The new image slides in from the top.
        case slideFromTop
        /// The new image slides in from the bottom.
        case slideFromBottom
    }

    /// The images that a transition applies to.
    public enum When: Hashable, Sendable {
        /// Images that had to be loaded. An image from memory appears without a transition.
        case waitedFor
        /// All images, from memory as well.
        case always
    }

    /// The visual effect.
    public var kind: Kind
    /// The duration of the transition.
    public var duration: Duration
    /// The images that the transition applies to.
    public var when: When

    /// Creates a transition; by default of half a second, for images that had to be loaded.
    public init(_ kind: Kind, duration: Duration = .milliseconds(500), when: When = .waitedFor) {
        self.kind = kind
        self.duration = duration
        self.when = when
    }

    /// A fade of half a second, for images that had to be loaded.
    public static let fade = ImageTransition(.fade)
}
