import Dispatch

/// Several caches as one; the last is the highest and is asked first.
public struct ImageCacheChain: ImageCaching {
    /// The first is the lowest, the last the highest.
    public let caches: [any ImageCaching]
    /// Which of them each operation reaches.
    public let policies: Policies

    public init(_ caches: [any ImageCaching], policies: Policies = Policies()) {
        self.caches = caches
        self.policies = policies
    }

    /// Which caches an operation reaches.
    public enum Policy: Hashable, Sendable, CaseIterable {
        /// One after another from the highest on; what asks stops at the first that answers.
        case serial
        /// All at the same time; of several answers the highest counts.
        case concurrent
        case highestOnly
        case lowestOnly
    }

    /// The policy of each operation.
    public struct Policies: Hashable, Sendable {
        public var query: Policy
        public var store: Policy
        public var remove: Policy
        public var contains: Policy
        public var clear: Policy

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

    public var tiers: CacheTiers { caches.reduce(into: []) { $0.formUnion($1.tiers) } }

    public func image(for key: CacheKey) -> Image? {
        // Memory answers at once, so asking at the same time is asking one after another.
        for cache in reached(policies.query) {
            if let image = cache.image(for: key) { return image }
        }
        return nil
    }

    @discardableResult
    public func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int {
        reached(policies.store).reduce(0) { $0 + $1.store(image, for: key, timeToLive: timeToLive) }
    }

    public func entry(for key: CacheKey) -> CacheEntry? {
        first(policies.query) { $0.entry(for: key) }
    }

    public func store(_ entry: CacheEntry, for key: CacheKey) {
        for cache in reached(policies.store) { cache.store(entry, for: key) }
    }

    public func pixels(for key: CacheKey) -> Image? {
        first(policies.query) { $0.pixels(for: key) }
    }

    @discardableResult
    public func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        reached(policies.store).reduce(false) { $1.storePixels(image, for: key, timeToLive: timeToLive) || $0 }
    }

    public func remove(_ key: CacheKey, from tiers: CacheTiers) {
        // Memory answers at once: no threads for that.
        guard tiers != .memory else { return reached(policies.remove).forEach { $0.remove(key, from: tiers) } }
        _ = all(policies.remove) { $0.remove(key, from: tiers) }
    }

    public func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers {
        first(policies.contains) { cache in
            let found = cache.tiers(holding: key, among: tiers)
            return found.isEmpty ? nil : found
        } ?? []
    }

    public func clear(_ tiers: CacheTiers) async throws(TintypeError) {
        try await each(policies.clear) { cache throws(TintypeError) in try await cache.clear(tiers) }
    }

    public func flush() async throws(TintypeError) {
        try await each(.serial) { cache throws(TintypeError) in try await cache.flush() }
    }

    // MARK: Reaching them

    /// The highest first.
    private func reached(_ policy: Policy) -> [any ImageCaching] {
        switch policy {
        case .serial, .concurrent: caches.reversed()
        case .highestOnly: caches.last.map { [$0] } ?? []
        case .lowestOnly: caches.first.map { [$0] } ?? []
        }
    }

    private func first<Answer: Sendable>(
        _ policy: Policy, _ ask: @Sendable (any ImageCaching) -> Answer?
    ) -> Answer? {
        guard policy != .concurrent else { return all(policy, ask).lazy.compactMap(\.self).first }
        for cache in reached(policy) {
            if let answer = ask(cache) { return answer }
        }
        return nil
    }

    /// The answers in the order of the caches. Blocks as long as the slowest.
    private func all<Answer: Sendable>(
        _ policy: Policy, _ ask: @Sendable (any ImageCaching) -> Answer
    ) -> [Answer] {
        let caches = reached(policy)
        guard policy == .concurrent, caches.count > 1 else { return caches.map(ask) }
        let answers = Locked<[Int: Answer]>([:])
        DispatchQueue.concurrentPerform(iterations: caches.count) { place in
            let answer = ask(caches[place])
            answers.withLock { $0[place] = answer }
        }
        return answers.withLock { answers in caches.indices.compactMap { answers[$0] } }
    }

    /// Reaches every one of them, even if one fails.
    ///
    /// - Throws: the first error.
    private func each(
        _ policy: Policy, _ body: @escaping @Sendable (any ImageCaching) async throws(TintypeError) -> Void
    ) async throws(TintypeError) {
        let caches = reached(policy)
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
