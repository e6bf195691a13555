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
