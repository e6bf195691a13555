/// How a load is shown in its display. None of it reaches the pipeline.
public struct Presentation: Sendable {
    /// What is shown until there is a picture.
    public var whileLoading: WhileLoading
    /// What is shown when there will be none; `nil` leaves what is shown.
    public var failureImage: Image?
    public var delivery: Delivery
    public var replacement: Replacement
    public var sizing: Sizing
    /// How the picture takes the place of what was shown; `nil` for at once.
    public var transition: ImageTransition?
    public var completion: Completion

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
    public enum WhileLoading: Sendable {
        case nothing
        case placeholder(Image)
        /// What was shown before stays.
        case current
    }

    public enum Delivery: Hashable, Sendable {
        /// The display shows the picture.
        case automatic
        /// The picture is handed to whoever asked, who shows it. Placeholder and failure image are shown all the same.
        case manual
    }

    public enum Replacement: Hashable, Sendable {
        /// The load that the display had before is given up.
        case cancelsFormer
        /// It goes on, and shows its picture if it is there before this one's.
        case besideFormer
    }

    public enum Sizing: Hashable, Sendable {
        case asRequested
        /// A request for the full size is decoded to what the display wants, when that is known, and has its scale.
        case fitsDisplay
    }

    /// When the end is told.
    public enum Completion: Hashable, Sendable {
        case whenShown
        case afterTransition
    }
}
