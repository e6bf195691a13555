public import TintypeCore

// The calls that block, for those who may not: on a thread for disks.

extension DiskCache {
    /// The entry of a key, verified; `nil` is a miss.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func entry(for key: CacheKey) async throws(TintypeError) -> CacheEntry? {
        try await onDisk { () throws(TintypeError) in self.entry(for: key) }
    }

    /// Whether there is an entry; does not look whether it is whole.
    public func contains(_ key: CacheKey) async throws(TintypeError) -> Bool {
        try await onDisk { () throws(TintypeError) in self.contains(key) }
    }

    /// Forgets an entry.
    public func remove(_ key: CacheKey) async throws(TintypeError) {
        try await onDisk { () throws(TintypeError) in self.remove(key) }
    }

    /// Changes what is kept beside the bytes of an entry: its extended data, metadata or expiry.
    ///
    /// - Returns: whether there was an entry.
    @discardableResult
    public func amend(
        _ key: CacheKey, _ change: @escaping @Sendable (inout CacheEntry) -> Void
    ) async throws(TintypeError) -> Bool {
        try await onDisk { () throws(TintypeError) in self.amend(key, change) }
    }

    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal), body)
    }
}
