/// How one picture takes the place of another.
public struct ImageTransition: Hashable, Sendable {
    /// What the change looks like.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The new picture appears over the old one.
        case fade
        case slideFromLeft
        case slideFromRight
        case slideFromTop
        case slideFromBottom
    }

    /// Which pictures have the transition.
    public enum When: Hashable, Sendable {
        /// For pictures that had to be waited for. One from memory is simply there.
        case waitedFor
        /// For pictures from memory as well.
        case always
    }

    /// What the change looks like.
    public var kind: Kind
    /// How long the change takes.
    public var duration: Duration
    /// Which pictures have it.
    public var when: When

    /// Half a second, for pictures that had to be waited for, unless said otherwise.
    public init(_ kind: Kind, duration: Duration = .milliseconds(500), when: When = .waitedFor) {
        self.kind = kind
        self.duration = duration
        self.when = when
    }

    /// Half a second of fading, for pictures that had to be waited for.
    public static let fade = ImageTransition(.fade)
}
