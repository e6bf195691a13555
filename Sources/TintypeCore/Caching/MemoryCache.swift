/// A cache of decoded images in memory, within a budget of bytes.
///
/// All methods are synchronous and may be called from any thread. A hit allocates nothing and reorders nothing; it
/// takes one of several locks for one lookup. Stores are serialised by one lock.
public final class MemoryCache: Sendable {
    private let shards = MemoryShards()
    private let state: Locked<State>
    private let findsLivingImages: Bool
    private let time: TimeSource

    private struct State: Sendable {
        var queue: EvictionQueue<CacheKey, MemoryEntry>
        /// The limits of the program, of which the queue has a part while it is hidden.
        var limits: CacheLimits
        var isHidden = false
        var living = LivingImages()
        /// Called once, when the cache holds its first image.
        var whenUsed: [@Sendable () -> Void] = []

        /// Returns the actions that are due, and forgets them.
        mutating func takeWhenUsed() -> [@Sendable () -> Void] {
            guard !whenUsed.isEmpty, queue.count > 0 else { return [] }
            defer { whenUsed = [] }
            return whenUsed
        }
    }

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limits: The limits of the cache.
    ///   - findsLivingImages: Whether a lookup also finds an image that was evicted, or was too large to store, while
    ///     the program still holds it. This saves a second decode. The image is stored again and keeps its expiry.
    ///   - time: The clock for expiry.
    public init(limits: CacheLimits = .standard, findsLivingImages: Bool = false, time: TimeSource = .system) {
        state = Locked(State(queue: EvictionQueue(limits: limits), limits: limits))
        self.findsLivingImages = findsLivingImages
        self.time = time
    }

    /// The limits of the cache.
    ///
    /// Setting them evicts images at once until the new limits hold, in O(n). A new ``CacheLimits/age`` applies to
    /// later stores only.
    public var limits: CacheLimits {
        get { state.withLock { $0.limits } }
        set { changeLimits { $0.limits = newValue } }
    }

    /// Whether the program shows no image at the moment. While it is set, the cache has only
    /// ``CacheLimits/hiddenShare`` of its cost: setting it evicts images at once until that holds, in O(n).
    public var isHidden: Bool {
        get { state.withLock { $0.isHidden } }
        set { changeLimits { $0.isHidden = newValue } }
    }

    private func changeLimits(_ change: (inout State) -> Void) {
        _ = state.withLock { state in
            change(&state)
            let limits = state.isHidden ? state.limits.whileHidden : state.limits
            state.queue.limits = limits
            let evicted =
                state.queue.removeAll(costlierThan: limits.entryCost)
                + state.queue.trim(toCost: limits.cost, count: limits.count) { $0.takeUsedMark() }
            for entry in evicted { shards.remove(entry.key) }
            return Released(evicted: evicted, images: noteLiving(evicted, &state))
        }
    }

    /// The bytes of memory that the images in the cache need, in the terms of ``CacheLimits/cost``.
    public var totalCost: Int { state.withLock { $0.queue.cost } }
    /// The number of images in the cache.
    public var totalCount: Int { state.withLock { $0.queue.count } }

    /// Returns the image of a key, or `nil` if there is none or it has expired.
    public func image(for key: CacheKey) -> Image? {
        guard let hit = shards.lookUp(key) else { return findsLivingImages ? livingImage(for: key) : nil }
        guard let expires = hit.expires, expires <= time.uptime() else { return hit.image }
        removeExpired(key)
        return nil
    }

    /// Returns whether the cache holds an unexpired image for a key. Does not count as a use.
    public func contains(_ key: CacheKey) -> Bool {
        shards.entry(for: key).map { $0.expires == nil || !$0.isExpired(at: time.uptime()) } ?? false
    }

    /// Stores an image, unless it exceeds ``CacheLimits/entryCost`` or ``CacheLimits/cost`` on its own.
    ///
    /// An older image of the same key is removed in either case.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served, if less than ``CacheLimits/age``.
    /// - Returns: The number of other images that were evicted to make room.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey, timeToLive: Duration? = nil) -> Int {
        let (now, cost) = (time.uptime(), MemoryEntry.cost(of: image, for: key))
        let (released, whenUsed) = state.withLock { state in
            let age = [state.queue.limits.age, timeToLive].compactMap(\.self).min()
            let entry = MemoryEntry(image, for: key, cost: cost, expires: age.map { now + $0 })
            return (insert(entry, &state, at: now), state.takeWhenUsed())
        }
        for action in whenUsed { action() }
        return released.evicted.count
    }

    /// Calls `action` once, when the cache holds an image: at once, or on the thread that stores the first one.
    func whenUsed(_ action: @escaping @Sendable () -> Void) {
        let due = state.withLock { state in
            state.whenUsed.append(action)
            return state.takeWhenUsed()
        }
        for action in due { action() }
    }

    /// Removes the image of a key.
    public func remove(_ key: CacheKey) {
        _ = state.withLock { state in
            state.living.remove(key)
            shards.remove(key)
            return state.queue.remove(key)
        }
    }

    /// Evicts images until at most `cost` bytes remain.
    public func trim(to cost: Int) {
        evict { $0.trim(toCost: cost, count: .max) { $0.takeUsedMark() } }
    }

    /// Evicts half of the cached bytes or all of them: see `MemoryPressure.remainder(of:)`.
    ///
    /// A `MemoryPressureMonitor` calls it; a program may call it too.
    public func shrink(for pressure: MemoryPressure) {
        trim(to: pressure.remainder(of: totalCost))
    }

    /// Removes all images.
    public func clear() {
        _ = state.withLock { state in
            let all = state.queue.trim(toCost: 0, count: 0) { _ in false }
            for entry in all { shards.remove(entry.key) }
            state.living.removeAll()
            return all
        }
    }

    // MARK: Under the lock

    /// Objects that were released under the lock. The caller frees them after unlocking, which can take milliseconds.
    private struct Released: Sendable {
        var evicted: [MemoryEntry]
        var others: [MemoryEntry] = []
        var images: [Image] = []
    }

    private func insert(_ entry: MemoryEntry, _ state: inout State, at now: Duration) -> Released {
        let expired = removeExpired(&state.queue, at: now)
        let insertion = state.queue.insert(entry, for: entry.key, cost: entry.cost) { $0.takeUsedMark() }
        for evicted in insertion.evicted { shards.remove(evicted.key) }
        if insertion.isInserted { shards.insert(entry) } else { shards.remove(entry.key) }
        state.living.remove(entry.key)
        let dropped = insertion.isInserted ? insertion.evicted : insertion.evicted + [entry]
        return Released(
            evicted: insertion.evicted, others: expired + (insertion.replaced.map { [$0] } ?? []),
            images: noteLiving(dropped, &state))
    }

    private func evict(_ change: (inout EvictionQueue<CacheKey, MemoryEntry>) -> [MemoryEntry]) {
        _ = state.withLock { state in
            let evicted = change(&state.queue)
            for entry in evicted { shards.remove(entry.key) }
            return Released(evicted: evicted, images: noteLiving(evicted, &state))
        }
    }

    /// Removes an entry that has expired, unless it was replaced in the meantime.
    private func removeExpired(_ key: CacheKey) {
        let now = time.uptime()
        _ = state.withLock { state -> [MemoryEntry] in
            var removed = removeExpired(&state.queue, at: now)
            guard let entry = shards.entry(for: key), entry.isExpired(at: now) else { return removed }
            shards.remove(key)
            removed += state.queue.remove(key).map { [$0] } ?? []
            return removed
        }
    }

    /// Removes expired entries from the old end of the queue, up to the first that has not expired.
    ///
    /// With equal ages the oldest expire first. An entry with a shorter time to live goes when it is looked up or
    /// becomes the oldest.
    private func removeExpired(
        _ queue: inout EvictionQueue<CacheKey, MemoryEntry>, at now: Duration
    ) -> [MemoryEntry] {
        let expired = queue.removeOldest { $0.isExpired(at: now) }
        for entry in expired { shards.remove(entry.key) }
        return expired
    }

    private func noteLiving(_ entries: [MemoryEntry], _ state: inout State) -> [Image] {
        findsLivingImages ? state.living.add(entries) : []
    }

    /// Returns an image that the program still holds, and stores it again.
    private func livingImage(for key: CacheKey) -> Image? {
        let now = time.uptime()
        let (entry, _) = state.withLock { state -> (MemoryEntry?, Released?) in
            // Another thread may have stored a newer image, or taken this one, in the meantime.
            if let stored = shards.entry(for: key) { return (stored, nil) }
            guard let entry = state.living.take(key), !entry.isExpired(at: now) else { return (nil, nil) }
            return (entry, insert(entry, &state, at: now))
        }
        return entry.flatMap { $0.isExpired(at: now) ? nil : $0.image }
    }
}

/// The limits of a memory cache.
public struct CacheLimits: Hashable, Sendable {
    /// The largest total cost of all images, in bytes.
    ///
    /// The cost of an image is its ``Image/memoryCost``, the length of its key, and 512 bytes for its entry.
    public var cost: Int
    /// The largest number of images.
    public var count: Int
    /// The largest cost of an image that is stored, in bytes. See ``cost``.
    public var entryCost: Int
    /// How long an image is stored; `nil`, the default, sets no limit.
    public var age: Duration?
    /// The share of ``cost`` that remains while the program shows no image (``MemoryCache/isHidden``), from 0 to 1; 1
    /// by default.
    public var hiddenShare = 1.0

    /// The limits while the program shows no image.
    var whileHidden: CacheLimits {
        var limits = self
        // NaN compares as false and becomes 0.
        limits.cost = Int(Double(cost) * (hiddenShare > 0 ? min(hiddenShare, 1) : 0))
        return hiddenShare >= 1 ? self : limits
    }

    /// Creates limits; only the total cost, in bytes, has no default.
    public init(cost: Int, count: Int = .max, entryCost: Int = .max, age: Duration? = nil) {
        self.cost = cost
        self.count = count
        self.entryCost = entryCost
        self.age = age
    }

    /// 15 % of the memory that this process may use, including the limits of its cgroups, but at most 512 MB.
    ///
    /// A single image may use at most a quarter of this total, so that it cannot evict all others. A program that needs
    /// more sets ``cost`` itself.
    public static var standard: CacheLimits { standard(memory: SystemMemory.available) }

    /// The standard limits for a number of bytes of memory.
    static func standard(memory: Int) -> CacheLimits {
        let cost = min(memory / 100 * 15, 512 << 20)
        return CacheLimits(cost: cost, entryCost: cost / 4)
    }
}
