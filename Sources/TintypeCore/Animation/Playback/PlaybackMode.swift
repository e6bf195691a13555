/// The order in which the frames of an animation are shown. What is shown once through in this order is a loop.
public enum PlaybackMode: String, Hashable, Sendable, CaseIterable {
    /// From the first frame to the last.
    case normal
    /// From the last frame to the first.
    case reverse
    /// From the first to the last and back; neither is shown twice in a row, so a loop ends with the second frame.
    case bounce
    /// From the last to the first and back; a loop ends with the last but one.
    case reversedBounce

    var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
    var returns: Bool { self == .bounce || self == .reversedBounce }
}
