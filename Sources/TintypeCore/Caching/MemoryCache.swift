/// Decoded pictures within a budget of memory.
///
/// Every call is synchronous and may come from any thread. A hit allocates nothing, reorders nothing, and takes one of
/// several locks for one look-up; stores take turns.
public final class MemoryCache: Sendable {
    private let shards = MemoryShards()
    private let state: Locked<State>
    private let findsLivingImages: Bool
    private let time: TimeSource

    private struct State: Sendable {
        var queue: EvictionQueue<CacheKey, MemoryEntry>
        var living = LivingImages()
    }

    /// - Parameter findsLivingImages: whether a picture that was evicted, or was too large to be kept, and that the program
    ///   still has, is found again instead of being decoded a second time. It then counts as kept anew, for as long as it
    ///   was given.
    public init(limits: CacheLimits = .standard, findsLivingImages: Bool = false, time: TimeSource = .system) {
        state = Locked(State(queue: EvictionQueue(limits: limits)))
        self.findsLivingImages = findsLivingImages
        self.time = time
    }

    /// What is beyond new ones goes at once; but a new age is that of what is stored from then on.
    public var limits: CacheLimits {
        get { state.withLock { $0.queue.limits } }
        set {
            evict { queue in
                queue.limits = newValue
                return queue.removeAll(costlierThan: newValue.entryCost)
                    + queue.trim(toCost: newValue.cost, count: newValue.count) { $0.takeMark() }
            }
        }
    }

    /// Bytes of decoded pixels that are kept.
    public var totalCost: Int { state.withLock { $0.queue.cost } }
    /// Pictures that it holds. O(1).
    public var totalCount: Int { state.withLock { $0.queue.count } }

    public func image(for key: CacheKey) -> Image? {
        guard let found = shards.find(key) else { return findsLivingImages ? livingImage(for: key) : nil }
        guard let expires = found.expires, expires <= time.uptime() else { return found.image }
        removeExpired(key)
        return nil
    }

    public func contains(_ key: CacheKey) -> Bool {
        shards.entry(for: key).map { $0.expires == nil || !$0.isOver(at: time.uptime()) } ?? false
    }

    /// Keeps a picture, unless it is too large on its own.
    ///
    /// - Parameter timeToLive: how long it may be used, where that is less than ``CacheLimits/age``.
    /// - Returns: how many others were evicted for it.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey, timeToLive: Duration? = nil) -> Int {
        let (now, cost) = (time.uptime(), image.memoryCost)
        let released = state.withLock { state in
            let age = [state.queue.limits.age, timeToLive].compactMap(\.self).min()
            return put(MemoryEntry(image, for: key, cost: cost, expires: age.map { now + $0 }), &state, at: now)
        }
        return released.evicted.count
    }

    public func remove(_ key: CacheKey) {
        _ = state.withLock { state in
            state.living.remove(key)
            shards.remove(key)
            return state.queue.remove(key)
        }
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
        _ = state.withLock { state in
            let all = state.queue.trim(toCost: 0, count: 0) { _ in false }
            for entry in all { shards.remove(entry.key) }
            state.living.removeAll()
            return all
        }
    }

    // MARK: Inside

    /// What was let go under the lock, to give its memory back when the lock is free: that can take milliseconds.
    private struct Released: Sendable {
        var evicted: [MemoryEntry]
        var others: [MemoryEntry] = []
        var images: [Image] = []
    }

    private func put(_ entry: MemoryEntry, _ state: inout State, at now: Duration) -> Released {
        let expired = removeExpired(&state.queue, now)
        let insertion = state.queue.insert(entry, for: entry.key, cost: entry.cost) { $0.takeMark() }
        for evicted in insertion.evicted { shards.remove(evicted.key) }
        if insertion.isKept { shards.insert(entry) } else { shards.remove(entry.key) }
        state.living.remove(entry.key)
        let fallen = insertion.isKept ? insertion.evicted : insertion.evicted + [entry]
        return Released(
            evicted: insertion.evicted, others: expired + (insertion.replaced.map { [$0] } ?? []),
            images: noteLiving(fallen, &state))
    }

    private func evict(_ change: (inout EvictionQueue<CacheKey, MemoryEntry>) -> [MemoryEntry]) {
        _ = state.withLock { state in
            let evicted = change(&state.queue)
            for entry in evicted { shards.remove(entry.key) }
            return Released(evicted: evicted, images: noteLiving(evicted, &state))
        }
    }

    /// Unless it was stored anew meanwhile.
    private func removeExpired(_ key: CacheKey) {
        let now = time.uptime()
        _ = state.withLock { state -> [MemoryEntry] in
            var removed = removeExpired(&state.queue, now)
            guard let entry = shards.entry(for: key), entry.isOver(at: now) else { return removed }
            shards.remove(key)
            removed += state.queue.remove(key).map { [$0] } ?? []
            return removed
        }
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

    private func noteLiving(_ entries: [MemoryEntry], _ state: inout State) -> [Image] {
        findsLivingImages ? state.living.add(entries) : []
    }

    private func livingImage(for key: CacheKey) -> Image? {
        let now = time.uptime()
        let (found, _) = state.withLock { state -> (MemoryEntry?, Released?) in
            // Another may have stored a newer one, or taken this one, meanwhile.
            if let stored = shards.entry(for: key) { return (stored, nil) }
            guard let entry = state.living.take(key), !entry.isOver(at: now) else { return (nil, nil) }
            return (entry, put(entry, &state, at: now))
        }
        return found.flatMap { $0.isOver(at: now) ? nil : $0.image }
    }
}

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
