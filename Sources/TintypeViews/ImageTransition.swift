import TintypeCore

/// How one image replaces another.
public struct ImageTransition: Hashable, Sendable {
    /// The visual effect of a transition.
    public enum Kind: Hashable, Sendable {
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
        /// The image turns about its vertical axis, with its left edge towards the viewer. The new image is on the
        /// reverse side.
        case flipFromLeft
        /// The image turns about its vertical axis, its right edge towards the viewer.
        case flipFromRight
        /// The image turns about its horizontal axis, its top edge towards the viewer.
        case flipFromTop
        /// The image turns about its horizontal axis, its bottom edge towards the viewer.
        case flipFromBottom
        /// A transition that the program defines.
        case custom(CustomTransition)

        /// All kinds except ``custom(_:)``.
        package static let standard: [Kind] = [
            .fade, .slideFromLeft, .slideFromRight, .slideFromTop, .slideFromBottom, .flipFromLeft, .flipFromRight,
            .flipFromTop, .flipFromBottom,
        ]
    }

    /// The images that a transition applies to.
    public enum When: Hashable, Sendable {
        /// Images that had to be loaded. An image from memory appears without a transition.
        case waitedFor
        /// All images, from memory as well.
        case always
    }

    /// How the progress of a transition depends on time.
    public enum Easing: Hashable, Sendable, CaseIterable {
        /// At constant speed.
        case linear
        /// Fast at first, slower towards the end.
        case easeOut
        /// Slow at both ends.
        case easeInOut

        /// Returns the progress at a fraction of the duration, both from 0 to 1.
        package func progress(_ part: Double) -> Double {
            let part = min(max(part, 0), 1)
            return switch self {
            case .linear: part
            case .easeOut: 1 - (1 - part) * (1 - part)
            case .easeInOut: part * part * (3 - 2 * part)
            }
        }
    }

    /// The visual effect.
    public var kind: Kind
    /// The duration of the transition.
    public var duration: Duration
    /// The images that the transition applies to.
    public var when: When
    /// How the progress depends on time.
    public var easing: Easing

    /// Creates a transition; by default of half a second, for images that had to be loaded.
    public init(
        _ kind: Kind, duration: Duration = .milliseconds(500), when: When = .waitedFor, easing: Easing = .easeInOut
    ) {
        self.kind = kind
        self.duration = duration
        self.when = when
        self.easing = easing
    }

    /// A fade of half a second, for images that had to be loaded.
    public static let fade = ImageTransition(.fade)
}

// MARK: - A program's own

/// A transition that the program defines, in three steps: prepare, animate and complete. Any number of displays may
/// share one value.
///
/// Two custom transitions are equal if their names are.
public struct CustomTransition: Hashable, Sendable {
    /// The name that distinguishes this transition from others.
    public let name: String
    @Uncompared private(set) var prepare: @MainActor @Sendable (TransitionContext) -> Void
    @Uncompared private(set) var animate: @MainActor @Sendable (TransitionContext, Double) -> TransitionFrame
    @Uncompared private(set) var complete: @MainActor @Sendable (TransitionContext, Bool) -> Void

    /// Creates a transition.
    ///
    /// - Parameters:
    ///   - name: A name that differs from those of the program's other transitions.
    ///   - prepare: Called once before the first frame.
    ///   - animate: Returns how both images are drawn at a progress from 0 to 1, to which the easing has been applied.
    ///   - complete: Called exactly once after `prepare`, with whether the transition was shown to its end. It was not
    ///     if the display showed something else first, or has been released. May request another image.
    public init(
        name: String, prepare: @escaping @MainActor @Sendable (TransitionContext) -> Void = { _ in },
        animate: @escaping @MainActor @Sendable (_ context: TransitionContext, _ progress: Double) -> TransitionFrame,
        complete: @escaping @MainActor @Sendable (_ context: TransitionContext, _ isFinished: Bool) -> Void = { _, _ in
        }
    ) {
        self.name = name
        self.prepare = prepare
        self.animate = animate
        self.complete = complete
    }
}

/// The contents that a transition leads from and to.
@MainActor public struct TransitionContext {
    /// The transition.
    package let transition: ImageTransition
    /// The content that the display showed before.
    public let old: ImageContent
    /// The content that the display will show.
    public let new: ImageContent
    /// The display; `nil` once it has been released.
    public private(set) weak var display: (any ImageDisplay)?

    init(_ transition: ImageTransition, from old: ImageContent, to new: ImageContent, on display: any ImageDisplay) {
        self.transition = transition
        self.old = old
        self.new = new
        self.display = display
    }

    /// Whether the new image probably hides the old one: its header declares no alpha, and both have the same aspect
    /// ratio. It does not if a transformer has made pixels transparent.
    var mayHideOld: Bool {
        guard let new = new.image, !new.info.hasAlpha else { return false }
        return old.image?.hasShape(of: new) ?? true
    }
}

extension Image {
    fileprivate func hasShape(of other: Image) -> Bool {
        let ratio = Double(size.width * other.size.height) / Double(max(1, size.height * other.size.width))
        return abs(ratio - 1) < 0.02
    }
}
