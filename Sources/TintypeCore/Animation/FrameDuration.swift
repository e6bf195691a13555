/// How long a frame is shown.
public enum FrameDuration {
    /// The seconds that a frame is shown whose file says `stored`: below 11 ms it is 100 ms.
    ///
    /// The rule of WebKit, Gecko and the original system: files that say 0 or 10 ms were made for programs that could
    /// not play that fast. What is no number, or below zero, counts as 0.
    public static func played(_ stored: Double) -> Double {
        stored >= least ? stored : replacement
    }

    private static let least = 0.011
    private static let replacement = 0.1
}
