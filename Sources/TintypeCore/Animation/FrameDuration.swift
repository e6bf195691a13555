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

    /// Durations in whole ticks of the clock of a format to be written.
    ///
    /// What rounding takes from a frame is given to the next one, so that a long animation keeps its time. What is out of
    /// bounds is not made up for.
    ///
    /// - Parameters:
    ///   - seconds: as they are played.
    ///   - bounds: the ticks that the format can say, and that are played as they are.
    package static func ticks(_ seconds: [Double], perSecond: Double, in bounds: ClosedRange<Int>) -> [Int] {
        var left = 0.0
        return seconds.map { duration in
            let wanted = min(duration * perSecond, Double(bounds.upperBound)) + left
            let rounded = wanted.rounded()
            left = wanted - rounded
            return min(max(Int(rounded), bounds.lowerBound), bounds.upperBound)
        }
    }
}
