/// The progress of loading the original bytes, as a snapshot of the total.
public struct LoadProgress: Hashable, Sendable {
    /// The number of bytes received so far.
    public var received: Int
    /// The number of bytes expected in all, or `nil` if it is unknown.
    public var expected: Int?
    /// Whether the load has succeeded, even if no byte was received, as from memory. Only an `ImageBinding` sets it.
    public var isComplete: Bool

    /// Creates a snapshot.
    public init(received: Int = 0, expected: Int? = nil, isComplete: Bool = false) {
        self.received = received
        self.expected = expected
        self.isComplete = isComplete
    }

    /// The fraction of the bytes that has arrived, from 0 to 1; `nil` if the total is unknown. It is 1 after a
    /// successful load.
    public var fraction: Double? {
        if isComplete { return 1 }
        guard let expected, expected > 0 else { return nil }
        return min(1, Double(received) / Double(expected))
    }

    /// Whether this snapshot is newer than `other`. Two snapshots may arrive in either order.
    func isNewer(than other: LoadProgress) -> Bool {
        guard received == other.received else { return received > other.received }
        return expected != nil && expected != other.expected
    }
}
