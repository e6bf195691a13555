// The calls that block, for those who may not: on a thread for disks.

extension PixelCaching {
    /// The picture of a key, verified; `nil` is a miss.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func image(for key: CacheKey) async throws(TintypeError) -> Image? {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.image(for: key)
        }
    }

    /// Whether there is a picture; does not look whether it is whole.
    public func contains(_ key: CacheKey) async throws(TintypeError) -> Bool {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.contains(key)
        }
    }

    /// Forgets a picture.
    public func remove(_ key: CacheKey) async throws(TintypeError) {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.remove(key)
        }
    }
}
