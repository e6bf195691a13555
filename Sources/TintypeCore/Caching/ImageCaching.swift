/// A cache that a pipeline reads and fills: decoded images in memory, encoded images and raw pixels on slower storage.
///
/// ``ImageCache`` is the standard implementation; a program may supply its own. Calls that reach only memory never
/// block. Calls that reach the disk may block, except the `store` methods. The pipeline makes blocking calls on threads
/// reserved for the disk. Async code gets overloads of the same names that do not block its thread.
public protocol ImageCaching: Sendable {
    /// The tiers that this cache has.
    var tiers: CacheTiers { get }

    /// Returns the decoded image in memory, or `nil` for a miss.
    ///
    /// Never blocks. A scrolling list calls this for every row, so it must be fast.
    func image(for key: CacheKey) -> Image?

    /// Tells the cache whether the program shows no image at the moment, so that less memory may suffice: see
    /// ``CacheLimits/hiddenShare``. By default it does nothing.
    func setHidden(_ isHidden: Bool)

    /// Stores a decoded image in memory. Never blocks.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served; `nil` sets no limit of its own.
    /// - Returns: The number of other entries that were evicted to make room.
    @discardableResult
    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int

    /// Returns the verified disk entry, or `nil` for a miss. Blocks.
    func entry(for key: CacheKey) -> CacheEntry?

    /// Stores an entry on disk.
    ///
    /// Returns at once. Reads see the entry from then on; it is on disk after ``flush()``.
    func store(_ entry: CacheEntry, for key: CacheKey)

    /// Returns the decoded image in the pixel tier, or `nil` for a miss. Blocks.
    func pixels(for key: CacheKey) -> Image?

    /// Stores the decoded pixels of an image on disk. Returns at once.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served; `nil` leaves this to the limits of the tier.
    /// - Returns: Whether a tier accepted the image.
    @discardableResult
    func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool

    /// Removes the entry of a key. Blocks if `tiers` contains the disk or the pixels.
    func remove(_ key: CacheKey, from tiers: CacheTiers)

    /// Returns the tiers that hold an entry for a key. Blocks if `tiers` contains the disk or the pixels.
    func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers

    /// Removes all entries of some tiers.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if the files cannot be removed.
    func clear(_ tiers: CacheTiers) async throws(TintypeError)

    /// Waits, without blocking, until everything stored so far is written.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if a write has failed since the last call.
    func flush() async throws(TintypeError)
}

// Defaults for a cache without a pixel tier.
extension ImageCaching {
    /// The disk tier, if it may have entries on other machines.
    package var remote: (any RemoteDataCaching)? { (self as? ImageCache)?.disk?.remote }

    /// Returns the verified entry of a key, or `nil` for a miss, without waiting for another machine. Blocks.
    package func entryOnThisMachine(for key: CacheKey) -> CacheEntry? {
        guard let remote else { return entry(for: key) }
        return remote.localEntry(for: key)
    }

    /// Returns `nil`.
    public func pixels(for key: CacheKey) -> Image? { nil }

    /// Returns `false`.
    @discardableResult
    public func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool { false }

    /// Does nothing, by default.
    public func setHidden(_ isHidden: Bool) {}
}

extension ImageCaching {
    /// Stores a decoded image in memory without a time to live.
    ///
    /// - Returns: The number of other entries that were evicted to make room.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey) -> Int { store(image, for: key, timeToLive: nil) }

    /// Stores the decoded pixels of an image on disk without a time to live.
    ///
    /// - Returns: Whether a tier accepted the image.
    @discardableResult
    package func storePixels(_ image: Image, for key: CacheKey) -> Bool {
        storePixels(image, for: key, timeToLive: nil)
    }
}

// MARK: - Overloads for async code

// The closures are synchronous, so the calls inside them pick the protocol's blocking requirements, not these
// overloads.
extension ImageCaching {
    /// Returns the verified disk entry, or `nil` for a miss, without blocking the calling thread.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the read starts.
    public func entry(for key: CacheKey) async throws(TintypeError) -> CacheEntry? {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.entry(for: key)
        }
    }

    /// Returns the decoded image in the pixel tier, or `nil` for a miss, without blocking the calling thread.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the read starts.
    package func pixels(for key: CacheKey) async throws(TintypeError) -> Image? {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.pixels(for: key)
        }
    }

    /// Returns the tiers that hold an entry for a key, without blocking the calling thread.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the lookup starts.
    public func tiers(holding key: CacheKey, among tiers: CacheTiers = .all) async throws(TintypeError) -> CacheTiers {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.tiers(holding: key, among: tiers)
        }
    }

    /// Removes the entry of a key, without blocking the calling thread.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the removal starts.
    public func remove(_ key: CacheKey, from tiers: CacheTiers = .all) async throws(TintypeError) {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            self.remove(key, from: tiers)
        }
    }
}

// MARK: - Tiers

/// A set of cache tiers.
public struct CacheTiers: OptionSet, Hashable, Sendable {
    /// The bits of the set, one for each tier.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Decoded images in memory.
    public static let memory = CacheTiers(rawValue: 1)
    /// Encoded images on disk: see ``DataCaching``.
    public static let disk = CacheTiers(rawValue: 2)
    /// Decoded images on disk: see ``PixelCaching``. Removing an entry from ``disk`` also removes it from this tier.
    public static let pixels = CacheTiers(rawValue: 4)
    /// All tiers.
    public static let all: CacheTiers = [.memory, .disk, .pixels]
}

extension CacheTiers {
    /// Whether a removal from these tiers includes the pixel tier. A removal from the disk does: nothing of the image
    /// may stay there.
    var reachesPixels: Bool { !isDisjoint(with: [.disk, .pixels]) }
}
