public import Foundation

/// A cache of encoded images on slower storage than memory: the disk tier of an ``ImageCache``.
///
/// Calls that read or remove block. The pipeline makes them on threads reserved for the disk.
public protocol DataCaching: Sendable {
    /// Returns the verified entry of a key, or `nil` for a miss. Blocks.
    ///
    /// A damaged entry is a miss and is removed.
    func entry(for key: CacheKey) -> CacheEntry?

    /// Stores an entry.
    ///
    /// Returns at once. Reads see the entry from then on; it is on disk after ``flush()``.
    func store(_ entry: CacheEntry, for key: CacheKey)

    /// Removes the entry of a key. Blocks.
    func remove(_ key: CacheKey)

    /// Returns whether there is an entry for a key, without verifying it. Blocks.
    func contains(_ key: CacheKey) -> Bool

    /// Removes all entries, without blocking.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if the files cannot be removed.
    func removeAll() async throws(TintypeError)

    /// Waits, without blocking, until everything stored so far is written.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if a write has failed since the last call.
    func flush() async throws(TintypeError)
}

/// A cache with entries on other machines, which it reads without blocking.
package protocol RemoteDataCaching: DataCaching {
    /// Whether some entries are on other machines, so that ``remoteEntry(for:)`` can find what ``localEntry(for:)`` has
    /// not found.
    var hasRemoteEntries: Bool { get }

    /// Returns the verified entry of a key, or `nil` for a miss, without waiting for another machine. Blocks.
    func localEntry(for key: CacheKey) -> CacheEntry?

    /// Returns the verified entry of a key from another machine, or `nil` for a miss, without blocking.
    ///
    /// The pipeline calls it after ``localEntry(for:)``, so that no thread waits for a network.
    func remoteEntry(for key: CacheKey) async -> CacheEntry?
}

extension DataCaching {
    /// This cache, if it may have entries on other machines.
    package var remote: (any RemoteDataCaching)? {
        guard let remote = self as? any RemoteDataCaching, remote.hasRemoteEntries else { return nil }
        return remote
    }

    /// Returns the verified entry of a key, or `nil` for a miss, without waiting for another machine. Blocks.
    package func entryOnThisMachine(for key: CacheKey) -> CacheEntry? {
        guard let remote else { return entry(for: key) }
        return remote.localEntry(for: key)
    }
}

/// An encoded image and its metadata, as a ``DataCaching`` stores them.
public struct CacheEntry: Sendable {
    /// The encoded bytes.
    public var data: Data { didSet { file = nil } }
    /// The file that ``data`` maps, if it maps one. A disk cache copies the entry from this file.
    package var file: SpillFile?
    /// The format of the bytes, if it is known.
    public var format: ImageFormat?
    /// Data of the loader, which reads it to validate the entry. Opaque to the cache.
    public var metadata: Data
    /// Data of the program. Opaque to the cache and to loaders. A disk cache keeps it when the entry is stored again
    /// without such data, for example after the bytes were loaded again.
    public var extended: Data
    /// The time at which the bytes were received.
    public var created: Date
    /// The time from which the entry is a miss; `nil` leaves this to the limits of the cache.
    public var expires: Date?

    /// Creates an entry. By default it is created now, has no metadata and does not expire on its own.
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

/// A cache in whose folder a body can arrive that it will store, so that it is written once.
package protocol SpillFileMaker: DataCaching {
    /// Creates a file for a body. Blocks.
    ///
    /// - Parameter byteCount: The expected size of the body, or a smaller number.
    /// - Returns: `nil` if the cache does not store so many bytes, the file system has no files without a name, or
    ///   nothing can be written at present.
    func makeSpillFile(for byteCount: Int) -> SpillFile?
}

extension ImageCaching {
    /// The tier in whose folder bodies can arrive. Whoever holds it does not hold the memory of this cache.
    var spillFileMaker: (any SpillFileMaker)? { (self as? ImageCache)?.disk as? any SpillFileMaker }
}
