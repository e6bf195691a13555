/// How far a batch of a prefetcher is.
public struct PrefetchProgress: Hashable, Sendable {
    /// Pictures that are where they were wanted.
    public internal(set) var finished = 0
    /// Pictures that failed, or were cancelled.
    public internal(set) var skipped = 0
    /// Pictures of the batch in all.
    public let total: Int

    init(total: Int) {
        self.total = total
    }

    /// Whether nothing is left to do. True of an empty batch from the beginning.
    public var isComplete: Bool { ended == total }

    var ended: Int { finished + skipped }
}
