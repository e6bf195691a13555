/// Decoded pictures within a budget of memory.
///
/// Every call is synchronous and may come from any thread. A hit allocates nothing, reorders nothing, and takes one of
/// several locks for one look-up; stores take turns.
public final class MemoryCache: Sendable {
    private let shards = MemoryShards()
    private let queue: Locked<EvictionQueue<CacheKey, MemoryEntry>>
    /// `nil` where pictures that fall out are not looked for.
    private let living: Locked<LivingImages>?
    private let time: TimeSource

    /// - Parameter findsLivingImages: whether a picture that was evicted, and that the program still has, is found again
    ///   instead of being decoded a second time. It then counts as kept anew.
    public init(limits: CacheLimits = .standard, findsLivingImages: Bool = false, time: TimeSource = .system) {
        queue = Locked(EvictionQueue(limits: limits))
        living = findsLivingImages ? Locked(LivingImages()) : nil
        self.time = time
    }

    /// What is beyond new ones goes at once.
    public var limits: CacheLimits {
        get { queue.withLock { $0.limits } }
        set {
            evict { queue in
                queue.limits = newValue
                return queue.trim(toCost: newValue.cost, count: newValue.count) { $0.takeMark() }
            }
        }
    }

    /// Bytes of decoded pixels that are kept.
    public var totalCost: Int { queue.withLock { $0.cost } }
    /// Pictures that it holds. O(1).
    public var totalCount: Int { queue.withLock { $0.count } }

    public func image(for key: CacheKey) -> Image? {
        guard let found = shards.find(key) else { return livingImage(for: key) }
        guard let expires = found.expires, expires <= time.uptime() else { return found.image }
        remove(key)
        removeExpired()
        return nil
    }

    public func contains(_ key: CacheKey) -> Bool {
        shards.entry(for: key).map { $0.expires == nil || !$0.isOver(at: time.uptime()) } ?? false
    }

    /// Keeps a picture, unless it is too large on its own.
    ///
    /// - Parameter lifetime: how long it may be used, where that is less than ``CacheLimits/age``.
    /// - Returns: how many others were evicted for it.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey, lifetime: Duration? = nil) -> Int {
        let now = time.uptime()
        living?.withLock { $0.remove(key) }
        let (insertion, _) = queue.withLock { queue in
            let age = [queue.limits.age, lifetime].compactMap(\.self).min()
            let entry = MemoryEntry(image, for: key, expires: age.map { now + $0 })
            let expired = removeExpired(&queue, now)
            let insertion = queue.insert(entry, for: key, cost: image.memoryCost) { $0.takeMark() }
            for evicted in insertion.evicted { shards.remove(evicted.key) }
            if insertion.isKept { shards.insert(entry) } else { shards.remove(key) }
            return (insertion, expired)
        }
        noteLiving(insertion.evicted)
        return insertion.evicted.count
    }

    public func remove(_ key: CacheKey) {
        _ = queue.withLock { queue in
            shards.remove(key)
            return queue.remove(key)
        }
        living?.withLock { $0.remove(key) }
    }

    /// Evicts until at most `cost` bytes are left.
    public func trim(to cost: Int) {
        evict { $0.trim(toCost: cost, count: .max) { $0.takeMark() } }
    }

    /// Makes room for others: what a toolkit's own warning, or a ``MemoryPressureMonitor``, calls.
    public func shrink(for pressure: MemoryPressure) {
        trim(to: pressure.remainder(of: totalCost))
    }

    /// Lets everything go.
    public func clear() {
        evict { $0.trim(toCost: 0, count: 0) { _ in false } }
        living?.withLock { $0.removeAll() }
    }

    // MARK: Inside

    /// Pictures that fall out give their memory back here, when the lock is free: that can take milliseconds.
    private func evict(_ change: (inout EvictionQueue<CacheKey, MemoryEntry>) -> [MemoryEntry]) {
        let evicted = queue.withLock { queue in
            let evicted = change(&queue)
            for entry in evicted { shards.remove(entry.key) }
            return evicted
        }
        noteLiving(evicted)
    }

    private func removeExpired() {
        let now = time.uptime()
        _ = queue.withLock { removeExpired(&$0, now) }
    }

    /// From the oldest on, which are the first whose time is over unless some were given less; those go when they are
    /// asked for, or have become the oldest.
    private func removeExpired(
        _ queue: inout EvictionQueue<CacheKey, MemoryEntry>, _ now: Duration
    ) -> [MemoryEntry] {
        let expired = queue.removeOldest { $0.isOver(at: now) }
        for entry in expired { shards.remove(entry.key) }
        return expired
    }

    private func noteLiving(_ evicted: [MemoryEntry]) {
        guard !evicted.isEmpty else { return }
        living?.withLock { living in
            for entry in evicted { living.add(entry.image, for: entry.key) }
        }
    }

    private func livingImage(for key: CacheKey) -> Image? {
        guard let image = living?.withLock({ $0.take(key) }) else { return nil }
        store(image, for: key)
        return image
    }
}
