/// The settings of an ``AnimationPlayer``.
public struct PlaybackSettings: Hashable, Sendable {
    /// The order of the frames.
    public var mode = PlaybackMode.normal

    /// The playback speed: 2 is twice as fast. 0 and negative values pause playback; other values are clamped to
    /// 0.001...1000.
    public var rate = 1.0

    /// The total number of plays, 0 for forever; `nil` uses the file's value.
    public var loopCount: Int?

    /// The reaction to a frame that is not decoded in time.
    public var lateness = Lateness.skip

    /// The memory limit for decoded frames.
    public var budget = FrameBudget.automatic

    /// Whether ``AnimationPlayer/stop()`` also rewinds.
    public var rewindsWhenStopped = false

    /// Creates the default settings.
    public init() {}

    /// The reaction to a frame that is not decoded in time.
    public enum Lateness: Hashable, Sendable {
        /// Time continues, and late frames are skipped.
        case skip
        /// Time waits: every frame is shown for at least its duration.
        case wait
    }
}

/// The order in which frames are shown. One pass in this order is a loop.
public enum PlaybackMode: String, Hashable, Sendable, CaseIterable {
    /// From the first frame to the last.
    case normal
    /// From the last frame to the first.
    case reverse
    /// From the first frame to the last and back. Neither is shown twice in a row, so a loop ends with the second
    /// frame.
    case bounce
    /// From the last frame to the first and back. A loop ends with the last frame but one.
    case reversedBounce

    /// Whether a loop begins with the last frame.
    var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
    /// Whether a loop goes there and back.
    var returns: Bool { self == .bounce || self == .reversedBounce }
}

/// The state of an ``AnimationPlayer``.
public enum PlaybackStatus: Hashable, Sendable {
    /// Playback is stopped, and only the shown frame is held.
    case stopped
    /// Playback is running.
    case playing
    /// Playback is paused, and the following frames are held.
    case paused
    /// All loops have been shown.
    case ended
}
