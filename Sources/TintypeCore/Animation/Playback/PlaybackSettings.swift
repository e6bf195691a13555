/// How an animation is played.
public struct PlaybackSettings: Hashable, Sendable {
    /// The order of the frames.
    public var mode = PlaybackMode.normal

    /// How fast: 2 is twice as fast. At 0 and below, time stands still; otherwise it is held between 0.001 and 1000.
    public var rate = 1.0

    /// The total number of plays, 0 is forever; `nil` as the file says.
    public var loopCount: Int?

    /// What becomes of frames whose time has passed.
    public var lateness = Lateness.skip

    /// How much memory decoded frames may take.
    public var budget = FrameBudget.automatic

    /// Whether it begins anew after it was stopped.
    public var rewindsWhenStopped = false

    public init() {}

    /// What becomes of a frame that is not there when its time comes.
    public enum Lateness: Hashable, Sendable {
        /// Time goes on: what is late is skipped.
        case skip
        /// Time waits: every frame is shown, for as long as it should be at least.
        case wait
    }
}

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

/// What a player does.
public enum PlaybackStatus: Hashable, Sendable {
    /// It holds no frames but the one that is shown.
    case stopped
    case playing
    /// Time stands; the frames that come next are held.
    case paused
    /// All loops have been shown.
    case ended
}
