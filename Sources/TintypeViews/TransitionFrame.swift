import TintypeCore

/// How a transition draws two images at one moment. A toolkit needs one routine, which draws two layers.
public struct TransitionFrame: Hashable, Sendable {
    /// The old image.
    public var old: Layer
    /// The new image, which is drawn above the old one.
    public var new: Layer

    /// Creates a frame.
    public init(old: Layer, new: Layer) {
        self.old = old
        self.new = new
    }

    /// The frame that shows only the old image, as before the first frame of a transition.
    public static let start = TransitionFrame(old: .shown, new: .hidden)
    /// The frame that shows only the new image, as after the transition.
    public static let end = TransitionFrame(old: .hidden, new: .shown)

    /// How one of the images is drawn. The view clips what leaves its bounds.
    public struct Layer: Hashable, Sendable {
        /// The opacity, from 0, at which the image is not drawn at all, to 1.
        public var opacity: Double
        /// The distance to the right, in widths of the view.
        public var x: Double
        /// The distance downwards, in heights of the view.
        public var y: Double
        /// The magnification about the centre.
        public var scale: Double
        /// The rotation in space, if there is one.
        public var turn: Turn?

        /// Creates a layer; by default an image in its place.
        public init(opacity: Double = 1, x: Double = 0, y: Double = 0, scale: Double = 1, turn: Turn? = nil) {
            self.opacity = opacity
            self.x = x
            self.y = y
            self.scale = scale
            self.turn = turn
        }

        /// An image in its place.
        package static let shown = Layer()
        /// An image that is not drawn.
        package static let hidden = Layer(opacity: 0)
    }

    /// A rotation about an axis through the centre of the view.
    public struct Turn: Hashable, Sendable {
        /// The axis of a rotation.
        public enum Axis: Hashable, Sendable {
            /// From left to right.
            case horizontal
            /// From top to bottom.
            case vertical
        }

        /// The axis.
        public var axis: Axis
        /// The angle, from -90 to 90. A positive angle moves the right edge (vertical axis) or the bottom edge
        /// (horizontal axis) away from the viewer.
        public var degrees: Double

        /// Creates a rotation.
        public init(_ axis: Axis, degrees: Double) {
            self.axis = axis
            self.degrees = degrees
        }
    }
}

// MARK: - Standard transitions

extension ImageTransition.Kind {
    /// Returns the frame of a standard transition.
    ///
    /// - Parameters:
    ///   - progress: From 0 to 1.
    ///   - start: The progress at which a fade also begins to fade out the old image; `nil` if the new image, once
    ///     opaque, hides it.
    func frame(at progress: Double, oldFadesFrom start: Double? = nil) -> TransitionFrame {
        let rest = 1 - progress
        return switch self {
        case .fade, .custom:
            // The last frame shows nothing of the old image, wherever it began to fade out.
            TransitionFrame(
                old: .init(opacity: start.map { rest > 0 ? min(1, rest / (1 - $0)) : 0 } ?? 1),
                new: .init(opacity: progress))
        case .slideFromLeft: TransitionFrame(old: .shown, new: .init(x: -rest))
        case .slideFromRight: TransitionFrame(old: .shown, new: .init(x: rest))
        case .slideFromTop: TransitionFrame(old: .shown, new: .init(y: -rest))
        case .slideFromBottom: TransitionFrame(old: .shown, new: .init(y: rest))
        case .flipFromLeft: .flip(.vertical, 180, at: progress)
        case .flipFromRight: .flip(.vertical, -180, at: progress)
        case .flipFromTop: .flip(.horizontal, 180, at: progress)
        case .flipFromBottom: .flip(.horizontal, -180, at: progress)
        }
    }
}

extension TransitionFrame {
    /// Turns the old image by 90° until only its edge is visible, then the new one from its edge to the front.
    fileprivate static func flip(_ axis: Turn.Axis, _ degrees: Double, at progress: Double) -> TransitionFrame {
        progress < 0.5
            ? TransitionFrame(old: Layer(turn: Turn(axis, degrees: degrees * progress)), new: .hidden)
            : TransitionFrame(old: .hidden, new: Layer(turn: Turn(axis, degrees: degrees * (progress - 1))))
    }
}
