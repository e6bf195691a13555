public import Foundation

/// Encoded pictures by key, on something slower than memory: what the pipeline asks of a disk cache.
///
/// Calls that read block; the pipeline makes them on an executor that may be blocked.
public protocol DataCaching: Sendable {
    /// The entry of a key, verified; `nil` is a miss, and so is a damaged entry, which is removed. Blocks.
    func entry(for key: CacheKey) -> CacheEntry?

    /// Keeps an entry. Returns at once; reads see it from then on, and the disk has it after ``flush()``.
    func store(_ entry: CacheEntry, for key: CacheKey)

    /// Forgets an entry. Blocks.
    func remove(_ key: CacheKey)

    /// Whether there is an entry; does not look whether it is whole. Blocks.
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

/// One encoded picture with what is kept beside it.
public struct CacheEntry: Sendable {
    /// The encoded bytes.
    public var data: Data { didSet { file = nil } }
    /// The file that ``data`` is a mapping of, where it is one: whoever writes it down takes it from there.
    package var file: SpillFile?
    /// What they are, where that is known.
    public var format: ImageFormat?
    /// Opaque to the cache: what the loader wants to know when it meets the entry again.
    public var metadata: Data
    /// Opaque to the cache and to loaders: what the program wants to keep beside the picture.
    public var extended: Data
    /// When its bytes were got.
    public var created: Date
    /// From when on it is a miss; `nil` leaves that to the limits of the cache.
    public var expires: Date?

    public init(
        data: Data, format: ImageFormat?, metadata: Data = Data(), extended: Data = Data(), created: Date = Date(),
        expires: Date? = nil
    ) {
        self.data = data
        self.format = format
        self.metadata = metadata
        self.extended = extended
        self.created = created
        self.expires = expires
    }
}
