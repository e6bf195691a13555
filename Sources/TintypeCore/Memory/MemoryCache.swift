/// Decoded pictures within a budget of memory.
///
/// Every call is synchronous and may come from any thread. A hit allocates nothing and takes the lock for one look-up.
public final class MemoryCache: Sendable {
    private let shard: Locked<CacheShard<CacheKey, Image>>

    public init(limits: CacheLimits = .standard) {
        shard = Locked(CacheShard(limits: limits))
    }

    public var limits: CacheLimits {
        get { shard.withLock { $0.limits } }
        set {
            discard { shard in
                shard.limits = newValue
                return shard.trim(toCost: newValue.cost, count: newValue.count)
            }
        }
    }

    /// Bytes of decoded pixels that are kept.
    public var totalCost: Int { shard.withLock { $0.cost } }
    public var totalCount: Int { shard.withLock { $0.count } }

    public func image(for key: CacheKey) -> Image? {
        shard.withLock { $0.value(for: key) }
    }

    public func contains(_ key: CacheKey) -> Bool {
        shard.withLock { $0.contains(key) }
    }

    /// Keeps a picture, unless it is too large on its own.
    ///
    /// - Returns: how many others were evicted for it.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey) -> Int {
        discard { $0.insert(image, for: key, cost: image.memoryCost) }
    }

    public func remove(_ key: CacheKey) {
        discard { $0.remove(key).map { [$0] } ?? [] }
    }

    /// Evicts until at most `cost` bytes are left.
    public func trim(to cost: Int) {
        discard { $0.trim(toCost: cost, count: .max) }
    }

    public func clear() {
        discard { $0.trim(toCost: 0, count: 0) }
    }

    /// Pictures that fall out give their memory back here, when the lock is free: that can take milliseconds.
    @discardableResult
    private func discard(_ change: (inout CacheShard<CacheKey, Image>) -> [Image]) -> Int {
        shard.withLock(change).count
    }
}
