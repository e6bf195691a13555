import Dispatch

extension ImageCache {
    /// Returns several caches used as one. The last cache has the highest rank and is asked first.
    ///
    /// The defaults of the rules are those of SDWebImage.
    ///
    /// - Parameters:
    ///   - caches: The caches, from the lowest to the highest rank.
    ///   - query: The caches that reads reach.
    ///   - store: The caches that writes reach.
    ///   - remove: The caches from which one key is removed.
    ///   - contains: The caches that are asked which tiers hold a key.
    ///   - clear: The caches of which tiers are cleared.
    public static func chain(
        _ caches: [any ImageCaching], query: ChainRule = .serial, store: ChainRule = .highestOnly,
        remove: ChainRule = .concurrent, contains: ChainRule = .serial, clear: ChainRule = .concurrent
    ) -> any ImageCaching {
        ImageCacheChain(
            caches,
            rules: ImageCacheChain.Rules(
                query: query, store: store, remove: remove, contains: contains, clear: clear))
    }

    /// The caches of a chain that an operation reaches.
    public enum ChainRule: Hashable, Sendable, CaseIterable {
        /// All caches, one after another from the highest; a query stops at the first hit.
        case serial
        /// All caches at the same time; a query returns the hit of the highest rank.
        case concurrent
        /// Only the highest cache.
        case highestOnly
        /// Only the lowest cache.
        case lowestOnly
    }
}

/// Several caches used as one: see ``ImageCache/chain(_:query:store:remove:contains:clear:)``.
struct ImageCacheChain: ImageCaching {
    /// The caches, from the lowest to the highest rank.
    let caches: [any ImageCaching]
    /// The caches that each operation reaches.
    let rules: Rules

    /// - Parameters:
    ///   - caches: The caches, from the lowest to the highest rank.
    ///   - rules: The caches that each operation reaches.
    init(_ caches: [any ImageCaching], rules: Rules) {
        self.caches = caches
        self.rules = rules
    }

    /// The rule of each operation.
    struct Rules: Hashable, Sendable {
        let query: ImageCache.ChainRule
        let store: ImageCache.ChainRule
        let remove: ImageCache.ChainRule
        let contains: ImageCache.ChainRule
        let clear: ImageCache.ChainRule
    }

    /// The tiers that at least one of the caches has.
    var tiers: CacheTiers { caches.reduce(into: []) { $0.formUnion($1.tiers) } }

    /// Returns the decoded image from the memory tier of the highest cache that has it, or `nil` for a miss. Never
    /// blocks.
    func image(for key: CacheKey) -> Image? {
        // Memory answers at once, so the concurrent rule needs no threads.
        for cache in caches(reachedBy: rules.query) {
            if let image = cache.image(for: key) { return image }
        }
        return nil
    }

    /// Tells all caches.
    func setHidden(_ isHidden: Bool) {
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
    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int {
        caches(reachedBy: rules.store).reduce(0) { $0 + $1.store(image, for: key, timeToLive: timeToLive) }
    }

    /// Returns the verified disk entry of the highest cache that has it, or `nil` for a miss. Blocks.
    func entry(for key: CacheKey) -> CacheEntry? {
        firstResult(rules.query) { $0.entry(for: key) }
    }

    /// Stores an entry on disk. Returns at once.
    func store(_ entry: CacheEntry, for key: CacheKey) {
        for cache in caches(reachedBy: rules.store) { cache.store(entry, for: key) }
    }

    /// Returns the decoded image in the pixel tier of the highest cache that has it, or `nil` for a miss. Blocks.
    func pixels(for key: CacheKey) -> Image? {
        firstResult(rules.query) { $0.pixels(for: key) }
    }

    /// Stores the decoded pixels of an image on disk. Returns at once.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served; `nil` leaves this to the limits of the tiers.
    /// - Returns: Whether at least one cache accepted the image.
    @discardableResult
    func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        caches(reachedBy: rules.store).reduce(false) {
            $1.storePixels(image, for: key, timeToLive: timeToLive) || $0
        }
    }

    /// Removes the entry of a key. Blocks if `tiers` contains the disk or the pixels.
    func remove(_ key: CacheKey, from tiers: CacheTiers) {
        // Memory answers at once, so the concurrent rule needs no threads.
        guard tiers != .memory else {
            return caches(reachedBy: rules.remove).forEach { $0.remove(key, from: tiers) }
        }
        _ = results(rules.remove) { $0.remove(key, from: tiers) }
    }

    /// Finds the highest cache that has an entry for the key, and returns the tiers of that cache that hold it.
    ///
    /// Blocks if `tiers` contains the disk or the pixels.
    func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers {
        firstResult(rules.contains) { cache in
            let holding = cache.tiers(holding: key, among: tiers)
            return holding.isEmpty ? nil : holding
        } ?? []
    }

    /// Removes all entries of some tiers, from every cache even if one fails.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if the files cannot be removed.
    func clear(_ tiers: CacheTiers) async throws(TintypeError) {
        try await forEach(rules.clear) { cache throws(TintypeError) in try await cache.clear(tiers) }
    }

    /// Waits, without blocking, until every cache has written everything stored so far.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if a write has failed since the last call.
    func flush() async throws(TintypeError) {
        try await forEach(.serial) { cache throws(TintypeError) in try await cache.flush() }
    }

    // MARK: Policies

    /// Returns the caches that a rule reaches, the highest first.
    private func caches(reachedBy rule: ImageCache.ChainRule) -> [any ImageCaching] {
        switch rule {
        case .serial, .concurrent: caches.reversed()
        case .highestOnly: caches.last.map { [$0] } ?? []
        case .lowestOnly: caches.first.map { [$0] } ?? []
        }
    }

    /// Returns the result of the highest cache that has one.
    private func firstResult<Value: Sendable>(
        _ rule: ImageCache.ChainRule, of query: @Sendable (any ImageCaching) -> Value?
    ) -> Value? {
        guard rule != .concurrent else { return results(rule, of: query).first { $0 != nil } ?? nil }
        for cache in caches(reachedBy: rule) {
            if let result = query(cache) { return result }
        }
        return nil
    }

    /// Returns the results of all caches that a rule reaches, the highest first. Blocks until the slowest has
    /// answered.
    private func results<Value: Sendable>(
        _ rule: ImageCache.ChainRule, of query: @Sendable (any ImageCaching) -> Value
    ) -> [Value] {
        let caches = caches(reachedBy: rule)
        guard rule == .concurrent, caches.count > 1 else { return caches.map(query) }
        let results = Locked<[Int: Value]>([:])
        DispatchQueue.concurrentPerform(iterations: caches.count) { index in
            let result = query(caches[index])
            results.withLock { $0[index] = result }
        }
        return results.withLock { results in caches.indices.compactMap { results[$0] } }
    }

    /// Calls `body` with every cache that a rule reaches, even if it throws for one of them.
    ///
    /// - Throws: The first error.
    private func forEach(
        _ rule: ImageCache.ChainRule, _ body: @escaping @Sendable (any ImageCaching) async throws(TintypeError) -> Void
    ) async throws(TintypeError) {
        let caches = caches(reachedBy: rule)
        let errors = await withTaskGroup(of: TintypeError?.self) { group in
            var errors: [TintypeError] = []
            for cache in caches {
                group.addTask { await .thrown { () throws(TintypeError) in try await body(cache) } }
                if rule != .concurrent, let error = await group.next() ?? nil { errors.append(error) }
            }
            for await error in group { if let error { errors.append(error) } }
            return errors
        }
        if let error = errors.first { throw error }
    }
}
