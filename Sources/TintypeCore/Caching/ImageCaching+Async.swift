// The calls that block, for those who may not: on a thread for disks.

extension ImageCaching {
    /// The entry on disk, verified; `nil` is a miss.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func entry(for key: CacheKey) async throws(TintypeError) -> CacheEntry? {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.entry(for: key)
        }
    }

    /// The decoded picture on disk, ready to show.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func pixels(for key: CacheKey) async throws(TintypeError) -> Image? {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.pixels(for: key)
        }
    }

    /// The tiers that have something under a key.
    public func tiers(holding key: CacheKey, among tiers: CacheTiers = .all) async throws(TintypeError) -> CacheTiers {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.tiers(holding: key, among: tiers)
        }
    }

    /// Forgets what is kept under a key.
    public func remove(_ key: CacheKey, from tiers: CacheTiers = .all) async throws(TintypeError) {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.remove(key, from: tiers)
        }
    }
}
