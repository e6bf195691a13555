/// Decoded pictures on disk, ready to show: what the pipeline asks of its tier of pixels.
///
/// Calls that read block; the pipeline makes them on an executor that may be blocked.
public protocol PixelCaching: Sendable {
    /// The picture of a key, verified; `nil` is a miss. Blocks.
    func image(for key: CacheKey) -> Image?

    /// Keeps a picture. Returns at once; reads see it from then on, and the disk has it after ``flush()``.
    ///
    /// - Parameter timeToLive: how long it may be used; `nil` leaves that to the limits of the tier.
    /// - Returns: whether it takes such a picture; not when it is animated, has more than 8 bits or is not whole, or is larger
    ///   than the tier is for.
    @discardableResult
    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool

    /// Forgets a picture. Blocks.
    func remove(_ key: CacheKey)

    /// Whether there is a picture; does not look whether it is whole. Blocks.
    func contains(_ key: CacheKey) -> Bool

    /// Forgets everything, without blocking.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when it cannot be removed.
    func removeAll() async throws(TintypeError)

    /// Waits until everything that was stored is written, without blocking.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when something could not be written since the last call.
    func flush() async throws(TintypeError)
}

extension PixelCaching {
    /// Keeps a picture as long as there is room.
    ///
    /// - Returns: whether it takes such a picture.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey) -> Bool { store(image, for: key, timeToLive: nil) }
}

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
