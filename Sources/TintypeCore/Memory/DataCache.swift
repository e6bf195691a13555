public import Foundation

/// Encoded pictures by key, on something slower than memory: what the pipeline asks of a disk cache.
///
/// Calls that read block; the pipeline makes them on an executor that may be blocked.
public protocol DataCache: Sendable {
    /// The entry of a key, verified; `nil` is a miss, and so is a damaged entry, which is removed. Blocks.
    func entry(for key: CacheKey) -> CacheEntry?

    /// Keeps an entry. Returns at once; reads see it from then on, and the disk has it after ``flush()``.
    func store(_ entry: CacheEntry, for key: CacheKey)

    /// Forgets an entry. Blocks.
    func remove(_ key: CacheKey)

    /// Waits until everything that was stored is written, without blocking.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when something could not be written since the last call.
    func flush() async throws(TintypeError)
}

/// One encoded picture with what is kept beside it.
public struct CacheEntry: Sendable {
    public var data: Data
    public var format: ImageFormat?
    /// Opaque to the cache: what the loader wants to know when it meets the entry again.
    public var metadata: Data
    public var created: Date

    public init(data: Data, format: ImageFormat?, metadata: Data = Data(), created: Date = Date()) {
        self.data = data
        self.format = format
        self.metadata = metadata
        self.created = created
    }
}
