/// What a pipeline asks of its cache: decoded pictures in memory, encoded ones on something slower.
///
/// ``ImageCache`` is one; a program may bring its own. Calls about memory never block. Calls about the disk may, but for
/// ``store(_:for:)-(CacheEntry,_)``; the pipeline makes them on an executor that may be blocked.
public protocol ImageCaching: Sendable {
    /// The tiers that it has.
    var tiers: CacheTiers { get }

    /// The decoded picture in memory. Called for every row of a list while it scrolls: has to be quick.
    func image(for key: CacheKey) -> Image?

    /// Keeps a decoded picture in memory.
    ///
    /// - Parameter timeToLive: how long it may be used; `nil` is as long as it is kept.
    /// - Returns: how many others were evicted for it.
    @discardableResult
    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int

    /// The entry on disk, verified; `nil` is a miss. Blocks.
    func entry(for key: CacheKey) -> CacheEntry?

    /// Keeps an entry on disk. Returns at once; reads see it from then on, and the disk has it after ``flush()``.
    func store(_ entry: CacheEntry, for key: CacheKey)

    /// The decoded picture on disk, ready to show. Blocks.
    func pixels(for key: CacheKey) -> Image?

    /// Keeps a decoded picture on disk as it is. Returns at once.
    ///
    /// - Parameter timeToLive: how long it may be used; `nil` leaves that to the limits of the tier.
    /// - Returns: whether there is a tier that takes it.
    @discardableResult
    func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool

    /// Forgets what is kept under a key. Blocks when `tiers` has the disk or the pixels.
    func remove(_ key: CacheKey, from tiers: CacheTiers)

    /// The tiers that have something under a key. Blocks when `tiers` has the disk or the pixels.
    func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers

    /// Forgets everything in some tiers.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when the disk's cannot be removed.
    func clear(_ tiers: CacheTiers) async throws(TintypeError)

    /// Waits until everything that was stored is written, without blocking.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when something could not be written since the last call.
    func flush() async throws(TintypeError)
}

/// Of a cache without a tier of pixels.
extension ImageCaching {
    public func pixels(for key: CacheKey) -> Image? { nil }

    @discardableResult
    public func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool { false }
}

extension ImageCaching {
    /// Keeps a decoded picture in memory as long as there is room.
    ///
    /// - Returns: how many others were evicted for it.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey) -> Int { store(image, for: key, timeToLive: nil) }

    /// Keeps a decoded picture on disk as it is, as long as there is room.
    ///
    /// - Returns: whether there is a tier that takes it.
    @discardableResult
    public func storePixels(_ image: Image, for key: CacheKey) -> Bool { storePixels(image, for: key, timeToLive: nil) }
}

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

/// The tiers of a cache.
public struct CacheTiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Decoded pictures.
    public static let memory = CacheTiers(rawValue: 1)
    /// Encoded pictures.
    public static let disk = CacheTiers(rawValue: 2)
    /// Decoded pictures on disk: see ``PixelCaching``. What is removed from ``disk`` is removed here, too.
    public static let pixels = CacheTiers(rawValue: 4)
    /// Every tier.
    public static let all: CacheTiers = [.memory, .disk, .pixels]
}

extension CacheTiers {
    /// Whether removing something from these tiers removes its pixels: who wants a picture off the disk wants all of it.
    var reachesPixels: Bool { !isDisjoint(with: [.disk, .pixels]) }
}
