/// A cache of decoded images on disk: the pixel tier of an ``ImageCache``.
///
/// A hit needs no decoding. Calls that read or remove block; the pipeline makes them on threads reserved for the disk.
/// Async code gets overloads of the same names that do not block its thread.
public protocol PixelCaching: Sendable {
    /// Returns the verified image of a key, or `nil` for a miss. Blocks.
    ///
    /// The image's ``Image/expires`` is the time at which its entry expires, so that a copy in memory expires with it.
    func image(for key: CacheKey) -> Image?

    /// Stores the pixels of an image.
    ///
    /// Returns at once. Reads see the image from then on; it is on disk after ``flush()``.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served; `nil` leaves this to the limits of the tier.
    /// - Returns: Whether the tier accepted the image. It refuses animated images, partial images, images with more
    ///   than 8 bits per channel, and images that are larger than the tier allows.
    @discardableResult
    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool

    /// Removes the image of a key. Blocks.
    func remove(_ key: CacheKey)

    /// Returns whether there is an image for a key, without verifying it. Blocks.
    func contains(_ key: CacheKey) -> Bool

    /// Removes all images, without blocking.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if the files cannot be removed.
    func removeAll() async throws(TintypeError)

    /// Waits, without blocking, until everything stored so far is written.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if a write has failed since the last call.
    func flush() async throws(TintypeError)
}

extension PixelCaching {
    /// Stores the pixels of an image without a time to live.
    ///
    /// - Returns: Whether the tier accepted the image.
    @discardableResult
    package func store(_ image: Image, for key: CacheKey) -> Bool { store(image, for: key, timeToLive: nil) }
}

// MARK: - Overloads for async code

// The closures are synchronous, so the calls inside them pick the protocol's blocking requirements, not these
// overloads.
extension PixelCaching {
    /// Returns the verified image of a key, or `nil` for a miss, without blocking the calling thread.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the read starts.
    package func image(for key: CacheKey) async throws(TintypeError) -> Image? {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.image(for: key)
        }
    }

    /// Returns whether there is an image for a key, without verifying it and without blocking the calling thread.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the lookup starts.
    package func contains(_ key: CacheKey) async throws(TintypeError) -> Bool {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.contains(key)
        }
    }

    /// Removes the image of a key, without blocking the calling thread.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the removal starts.
    package func remove(_ key: CacheKey) async throws(TintypeError) {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.remove(key)
        }
    }
}
