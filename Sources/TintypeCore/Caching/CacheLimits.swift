/// How much a memory cache may keep.
public struct CacheLimits: Hashable, Sendable {
    /// Bytes of decoded pixels in all.
    public var cost: Int
    /// Pictures in all.
    public var count: Int
    /// Bytes of decoded pixels of one picture; a larger one is not kept.
    public var entryCost: Int
    /// How long a picture is kept since it was stored; `nil`, the default, is as long as there is room.
    public var age: Duration?

    public init(cost: Int, count: Int = .max, entryCost: Int = .max, age: Duration? = nil) {
        self.cost = cost
        self.count = count
        self.entryCost = entryCost
        self.age = age
    }

    /// 15 % of the memory that this process may use, the limits of its cgroups respected; at most a quarter of that for one
    /// picture, so that none drives out all others.
    public static var standard: CacheLimits {
        let cost = SystemMemory.available / 100 * 15
        return CacheLimits(cost: cost, entryCost: cost / 4)
    }
}
