/// Estimates how long a caller should wait for a store, by how long earlier calls have taken.
///
/// A caller can do its work without the store, so it should not wait much longer than a call usually takes: twice the
/// 90th percentile of the last calls. Single slow calls do not count, as the mean and the deviation of TCP's time-out
/// would let them. Calls that end after their caller has left do: a store that has become slower is waited for again.
///
/// A pure value.
struct WaitEstimate: Sendable {
    /// The number of calls that count.
    static let windowSize = 20

    /// The times of the last calls; the oldest is replaced.
    private var times: [Duration] = []
    private var next = 0

    /// Learns how long a call has taken.
    mutating func record(_ time: Duration) {
        if times.count < Self.windowSize {
            times.append(time)
        } else {
            times[next] = time
            next = (next + 1) % Self.windowSize
        }
    }

    /// Returns the longest wait for the next call, within bounds; the upper one before the first call has ended.
    func wait(in bounds: ClosedRange<Duration>) -> Duration {
        guard !times.isEmpty else { return bounds.upperBound }
        let high = times.sorted()[times.count - 1 - times.count / 10]
        return min(max(high * 2, bounds.lowerBound), bounds.upperBound)
    }
}
