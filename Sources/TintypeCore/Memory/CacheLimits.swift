/// How much a memory cache may keep.
public struct CacheLimits: Hashable, Sendable {
    /// Bytes of decoded pixels in all.
    public var cost: Int
    /// Pictures in all.
    public var count: Int
    /// Bytes of decoded pixels of one picture; a larger one is not kept.
    public var entryCost: Int

    public init(cost: Int, count: Int = .max, entryCost: Int = .max) {
        self.cost = cost
        self.count = count
        self.entryCost = entryCost
    }

    /// 15 % of the memory that this process may use, a cgroup's limit respected.
    public static var standard: CacheLimits {
        CacheLimits(cost: SystemMemory.available / 100 * 15)
    }
}
