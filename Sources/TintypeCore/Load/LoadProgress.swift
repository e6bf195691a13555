/// How much of the original bytes has arrived: a snapshot, not a difference.
public struct LoadProgress: Hashable, Sendable {
    /// Bytes received so far.
    public var received: Int
    /// Bytes expected in all, when the other side said so.
    public var expected: Int?

    public init(received: Int = 0, expected: Int? = nil) {
        self.received = received
        self.expected = expected
    }

    /// From 0 to 1; `nil` when the end is unknown.
    public var fraction: Double? {
        guard let expected, expected > 0 else { return nil }
        return min(1, Double(received) / Double(expected))
    }

    /// Whether it says more: two reports may arrive in either order.
    func isNewer(than other: LoadProgress) -> Bool {
        guard received == other.received else { return received > other.received }
        return expected != nil && expected != other.expected
    }
}
