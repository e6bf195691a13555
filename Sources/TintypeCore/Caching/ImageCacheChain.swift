import Dispatch

/// Several caches used as one. The last cache has the highest rank and is asked first.
public struct ImageCacheChain: ImageCaching {
    /// The caches, from the lowest to the highest rank.
    package let caches: [any ImageCaching]
    /// The caches that each operation reaches.
    package let policies: Policies

    /// Creates a chain of caches.
    ///
    /// - Parameters:
    ///   - caches: The caches, from the lowest to the highest rank.
    ///   - policies: The caches that each operation reaches. The defaults are those of SDWebImage.
    public init(_ caches: [any ImageCaching], policies: Policies = Policies()) {
        self.caches = caches
        self.policies = policies
    }

    /// The caches that an operation reaches.
    public enum Policy: Hashable, Sendable, CaseIterable {
        /// All caches, one after another from the highest; a query stops at the first hit.
        case serial
        /// All caches at the same time; a query returns the hit of the highest rank.
        case concurrent
        /// Only the highest cache.
        case highestOnly
        /// Only the lowest cache.
        case lowestOnly
    }

    /// The policy of each operation.
    public struct Policies: Hashable, Sendable {
        /// The policy of reads.
        package var query: Policy
        /// The policy of writes.
        package var store: Policy
        /// The policy of removing one key.
        package var remove: Policy
        /// The policy of asking which tiers hold a key.
        package var contains: Policy
        /// The policy of clearing tiers.
        package var clear: Policy

        /// Creates policies; the defaults are those of SDWebImage.
        public init(
            query: Policy = .serial, store: Policy = .highestOnly, remove: Policy = .concurrent,
            contains: Policy = .serial, clear: Policy = .concurrent
        ) {
            self.query = query
            self.store = store
            self.remove = remove
            self.contains = contains
            self.clear = clear
        }
    }

    /// The tiers that at least one of the caches has.
    public var tiers: CacheTiers { caches.reduce(into: []) { $0.formUnion($1.tiers) } }

    /// Returns the decoded image from the memory tier of the highest cache that has it, or `nil` for a miss. Never
    /// blocks.
    public func image(for key: CacheKey) -> Image? {
        // Memory answers at once, so the concurrent policy needs no threads.
        for cache in caches(reachedBy: policies.query) {
            if let image = cache.image(for: key) { return image }
        }
        return nil
    }

    /// Tells all caches.
    public func setHidden(_ isHidden: Bool) {
        for cache in caches { cache.setHidden(isHidden) }
    }

    /// Stores a decoded image in memory. Never blocks.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served; `nil` sets no limit of its own.
    /// - Returns: The number of images that all caches evicted to make room.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int {
        caches(reachedBy: policies.store).reduce(0) { $0 + $1.store(image, for: key, timeToLive: timeToLive) }
    }

    /// Returns the verified disk entry of the highest cache that has it, or `nil` for a miss. Blocks.
    public func entry(for key: CacheKey) -> CacheEntry? {
        firstResult(policies.query) { $0.entry(for: key) }
    }

    /// Stores an entry on disk. Returns at once.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        for cache in caches(reachedBy: policies.store) { cache.store(entry, for: key) }
    }

    /// Returns the decoded image in the pixel tier of the highest cache that has it, or `nil` for a miss. Blocks.
    public func pixels(for key: CacheKey) -> Image? {
        firstResult(policies.query) { $0.pixels(for: key) }
    }

    /// Stores the decoded pixels of an image on disk. Returns at once.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served; `nil` leaves this to the limits of the tiers.
    /// - Returns: Whether at least one cache accepted the image.
    @discardableResult
    public func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        caches(reachedBy: policies.store).reduce(false) {
            $1.storePixels(image, for: key, timeToLive: timeToLive) || $0
        }
    }

    /// Removes the entry of a key. Blocks if `tiers` contains the disk or the pixels.
    public func remove(_ key: CacheKey, from tiers: CacheTiers) {
        // Memory answers at once, so the concurrent policy needs no threads.
        guard tiers != .memory else {
            return caches(reachedBy: policies.remove).forEach { $0.remove(key, from: tiers) }
        }
        _ = results(policies.remove) { $0.remove(key, from: tiers) }
    }

    /// Finds the highest cache that has an entry for the key, and returns the tiers of that cache that hold it.
    ///
    /// Blocks if `tiers` contains the disk or the pixels.
    public func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers {
        firstResult(policies.contains) { cache in
            let holding = cache.tiers(holding: key, among: tiers)
            return holding.isEmpty ? nil : holding
        } ?? []
    }

    /// Removes all entries of some tiers, from every cache even if one fails.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if the files cannot be removed.
    public func clear(_ tiers: CacheTiers) async throws(TintypeError) {
        try await forEach(policies.clear) { cache throws(TintypeError) in try await cache.clear(tiers) }
    }

    /// Waits, without blocking, until every cache has written everything stored so far.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if a write has failed since the last call.
    public func flush() async throws(TintypeError) {
        try await forEach(.serial) { cache throws(TintypeError) in try await cache.flush() }
    }

    // MARK: Policies

    /// Returns the caches that a policy reaches, the highest first.
    private func caches(reachedBy policy: Policy) -> [any ImageCaching] {
        switch policy {
        case .serial, .concurrent: caches.reversed()
        case .highestOnly: caches.last.map { [$0] } ?? []
        case .lowestOnly: caches.first.map { [$0] } ?? []
        }
    }

    /// Returns the result of the highest cache that has one.
    private func firstResult<Value: Sendable>(
        _ policy: Policy, of query: @Sendable (any ImageCaching) -> Value?
    ) -> Value? {
        guard policy != .concurrent else { return results(policy, of: query).first { $0 != nil } ?? nil }
        for cache in caches(reachedBy: policy) {
            if let result = query(cache) { return result }
        }
        return nil
    }

    /// Returns the results of all caches that a policy reaches, the highest first. Blocks until the slowest has
    /// answered.
    private func results<Value: Sendable>(
        _ policy: Policy, of query: @Sendable (any ImageCaching) -> Value
    ) -> [Value] {
        let caches = caches(reachedBy: policy)
        guard policy == .concurrent, caches.count > 1 else { return caches.map(query) }
        let results = Locked<[Int: Value]>([:])
        DispatchQueue.concurrentPerform(iterations: caches.count) { index in
            let result = query(caches[index])
            results.withLock { $0[index] = result }
        }
        return results.withLock { results in caches.indices.compactMap { results[$0] } }
    }

    /// Calls `body` with every cache that a policy reaches, even if it throws for one of them.
    ///
    /// - Throws: The first error.
    private func forEach(
        _ policy: Policy, _ body: @escaping @Sendable (any ImageCaching) async throws(TintypeError) -> Void
    ) async throws(TintypeError) {
        let caches = caches(reachedBy: policy)
        let errors = await withTaskGroup(of: TintypeError?.self) { group in
            var errors: [TintypeError] = []
            for cache in caches {
                group.addTask { await .thrown { () throws(TintypeError) in try await body(cache) } }
                if policy != .concurrent, let error = await group.next() ?? nil { errors.append(error) }
            }
            for await error in group { if let error { errors.append(error) } }
            return errors
        }
        if let error = errors.first { throw error }
    }
}
