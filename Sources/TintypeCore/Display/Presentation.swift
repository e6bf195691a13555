/// How a load is shown in its display. None of it reaches the pipeline.
public struct Presentation: Sendable {
    /// What is shown until there is a picture.
    public var whileLoading: WhileLoading
    /// What is shown when there will be none; `nil` leaves what is shown.
    public var failureImage: Image?
    /// Who shows the picture.
    public var delivery: Delivery
    /// What becomes of the load before.
    public var replacement: Replacement
    /// Who says how large the picture is to be.
    public var sizing: Sizing
    /// How the picture takes the place of what was shown; `nil` for at once.
    public var transition: ImageTransition?
    /// When the end is told.
    public var completion: Completion

    /// By default the picture is shown at once when it is there, and the former load is cancelled.
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
    /// What a display shows while it waits.
    public enum WhileLoading: Sendable {
        /// No picture; what was shown before goes.
        case nothing
        /// This picture in place of what was shown before.
        case placeholder(Image)
        /// What was shown before stays.
        case current
    }

    /// Who shows the picture.
    public enum Delivery: Hashable, Sendable {
        /// The display shows the picture.
        case automatic
        /// The picture is handed to whoever asked, who shows it. Placeholder and failure image are shown all the same.
        case manual
    }

    /// What becomes of the load that a display had before.
    public enum Replacement: Hashable, Sendable {
        /// The load that the display had before is given up.
        case cancelsFormer
        /// It goes on, and shows its picture if it is there before this one's.
        case besideFormer
    }

    /// Who says how large a picture is to be.
    public enum Sizing: Hashable, Sendable {
        /// The request alone.
        case asRequested
        /// A request for the full size is decoded to what the display wants, when that is known, and has its scale.
        case fitsDisplay
    }

    /// When the end is told.
    public enum Completion: Hashable, Sendable {
        /// When the picture has been handed to the display.
        case whenShown
        /// When the display says that its transition is over; as ``whenShown`` where there is none.
        case afterTransition
    }
}
