import NIOCore

/// How fast a body goes out: so many bytes, at such an interval.
struct OriginPace {
    /// The bytes of a slice.
    let slice: Int

    /// The time a slice takes.
    let interval: TimeAmount

    /// - Parameter bandwidth: The bytes a second, at least 1.
    init(bandwidth: Int) {
        let bandwidth = max(1, bandwidth)
        // 10 ms, but for bodies so slow that not a byte is due in 10 ms.
        slice = max(1, bandwidth / 100)
        interval = .nanoseconds(Int64(Double(slice) / Double(bandwidth) * 1e9))
    }
}
