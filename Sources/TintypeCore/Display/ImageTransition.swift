/// How one picture takes the place of another.
public struct ImageTransition: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case fade
        case slideFromLeft
        case slideFromRight
        case slideFromTop
        case slideFromBottom
    }

    public enum When: Hashable, Sendable {
        /// For pictures that had to be waited for. One from memory is simply there.
        case waitedFor
        case always
    }

    public var kind: Kind
    public var duration: Duration
    public var when: When

    public init(_ kind: Kind, duration: Duration = .milliseconds(500), when: When = .waitedFor) {
        self.kind = kind
        self.duration = duration
        self.when = when
    }

    /// Half a second of fading, for pictures that had to be waited for.
    public static let fade = ImageTransition(.fade)
}
