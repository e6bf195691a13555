public import Foundation

/// The complete original bytes of an image, and where they came from.
public struct LoadedBytes: Sendable {
    private struct Parts: Sendable {
        var data: Data
        var origin: ImageOrigin
        var record: Record
        var image: Image?
        var metrics: TransferMetrics?
        var isNotModified = false
        var file: SpillFile?
        var received: Date?
        var expires: Date?
        var revalidationFailure: TintypeError?
        var transferFailure: TintypeError?
        var invalidated: [URL] = []
        var variant: VariantName?
    }

    private enum Record: Sendable {
        case known(metadata: Data, isStorable: Bool)
        case deferred(any DeferredRecord)
    }

    private var parts: Boxed<Parts>

    /// Creates the result of a load.
    ///
    /// - Parameters:
    ///   - data: The encoded bytes.
    ///   - origin: Where they came from.
    ///   - metadata: Data of the loader that the disk cache stores with the bytes.
    ///   - isStorable: Whether the origin allows the bytes to be stored: see `isStorable`.
    public init(data: Data, origin: ImageOrigin, metadata: Data = Data(), isStorable: Bool = true) {
        parts = Boxed(
            Parts(data: data, origin: origin, record: .known(metadata: metadata, isStorable: isStorable)))
    }

    /// Creates the result of a load that returns a decoded image, from a source that has no encoded bytes.
    ///
    /// The pipeline reduces the image to the requested size and applies transforms. The disk cache stores no original
    /// without bytes.
    ///
    /// - Parameters:
    ///   - image: The decoded image, in its full size.
    ///   - origin: Where the image came from.
    ///   - data: The encoded bytes of the image, if there are any.
    public init(decoded image: Image, origin: ImageOrigin = .custom, data: Data = Data()) {
        var parts = Parts(data: data, origin: origin, record: .known(metadata: Data(), isStorable: true))
        parts.image = image
        self.parts = Boxed(parts)
    }

    /// Creates the result of a transfer.
    ///
    /// - Parameters:
    ///   - file: The file that `data` maps; `nil` if it maps none.
    ///   - record: Queried whenever ``metadata`` or ``isStorable`` is read.
    package init(
        transferred data: Data, in file: SpillFile?, metrics: TransferMetrics, record: some DeferredRecord
    ) {
        parts = Boxed(
            Parts(data: data, origin: .network, record: .deferred(record), metrics: metrics, file: file))
    }

    /// Creates the result of reading a file.
    init(file data: Data, received: Date) {
        parts = Boxed(
            Parts(
                data: data, origin: .file, record: .known(metadata: Data(), isStorable: true), received: received))
    }

    init(_ stored: CacheEntry) {
        parts = Boxed(
            Parts(
                data: stored.data, origin: .disk, record: .known(metadata: stored.metadata, isStorable: true),
                received: stored.created, expires: stored.expires))
    }

    /// Returns the bytes of a cache entry that the origin has confirmed.
    ///
    /// - Parameters:
    ///   - stored: The entry.
    ///   - metadata: The renewed metadata.
    public static func notModified(_ stored: CacheEntry, metadata: Data) -> LoadedBytes {
        var bytes = LoadedBytes(stored)
        bytes.metadata = metadata
        bytes.parts.value.isNotModified = true
        return bytes
    }

    /// The bytes. Changing them in place copies them.
    public var data: Data {
        get { parts.value.data }
        set {
            parts.value.data = newValue
            parts.value.file = nil
        }
    }
    /// The decoded image, if the loader returned one.
    public var image: Image? { parts.value.image }
    /// Where the bytes came from.
    public var origin: ImageOrigin {
        get { parts.value.origin }
        set { parts.value.origin = newValue }
    }
    /// Data of the loader that the disk cache stores with the bytes. For HTTP, the validators and the freshness of the
    /// response.
    package var metadata: Data {
        get {
            switch parts.value.record {
            case .known(let metadata, _): metadata
            case .deferred(let record): record.metadata
            }
        }
        set { parts.value.record = .known(metadata: newValue, isStorable: isStorable) }
    }
    /// The record of the transfer that ``metadata`` is made from; `nil` if the bytes were not just transferred.
    package var record: (any DeferredRecord)? {
        if case .deferred(let record) = parts.value.record { record } else { nil }
    }
    /// How the bytes were transferred, or `nil` if they were not.
    public var metrics: TransferMetrics? {
        get { parts.value.metrics }
        set { parts.value.metrics = newValue }
    }
    /// Whether the bytes, and the images made from them, may be stored, if the request lets the origin decide
    /// (``LoadPolicy/Freshness/http``).
    package var isStorable: Bool {
        get {
            switch parts.value.record {
            case .known(_, let isStorable): isStorable
            case .deferred(let record): record.isStorable
            }
        }
        set { parts.value.record = .known(metadata: metadata, isStorable: newValue) }
    }
    /// Whether these are the bytes of the cache entry, confirmed by the origin. `metadata` is renewed then.
    public var isNotModified: Bool {
        get { parts.value.isNotModified }
        set { parts.value.isNotModified = newValue }
    }
    /// The file that ``data`` maps; `nil` if it maps none.
    package var file: SpillFile? { parts.value.file }
    /// When the bytes were received completely. Distinguishes images made from these bytes from images made from older
    /// ones.
    var received: Date? {
        get { parts.value.received }
        set { parts.value.received = newValue }
    }
    /// The time at which the cache entry with these bytes, and everything made from them, expires; `nil` if the entry
    /// does not expire, or if no cache has the bytes.
    var expires: Date? {
        get { parts.value.expires }
        set { parts.value.expires = newValue }
    }
    /// A copy without the bytes, the file and the decoded image.
    var withoutData: LoadedBytes {
        var bytes = self
        (bytes.parts.value.data, bytes.parts.value.file, bytes.parts.value.image) = (Data(), nil, nil)
        return bytes
    }
    /// The error of a revalidation that failed, if these are the bytes of the stale entry.
    var revalidationFailure: TintypeError? {
        get { parts.value.revalidationFailure }
        set { parts.value.revalidationFailure = newValue }
    }
    /// The name under which the caches store these bytes; `nil` for the name of the original.
    var variant: VariantName? {
        get { parts.value.variant }
        set { parts.value.variant = newValue }
    }
    /// Whether a request with other header fields may lead to other bytes.
    var varies: Bool {
        switch parts.value.record {
        case .known: false
        case .deferred(let record): record.varies
        }
    }
    /// The URLs whose cache entries this load made invalid, because it changed the resources.
    package var invalidated: [URL] {
        get { parts.value.invalidated }
        set { parts.value.invalidated = newValue }
    }
    /// The error of a transfer that failed, if these are the bytes that had arrived. Set only for requests that accept
    /// partial images. Such bytes are never stored.
    var transferFailure: TintypeError? {
        get { parts.value.transferFailure }
        set { parts.value.transferFailure = newValue }
    }
}

/// The metadata of transferred bytes, computed on demand because not every load stores its bytes.
package protocol DeferredRecord: Sendable {
    /// See ``LoadedBytes/metadata``.
    var metadata: Data { get }
    /// See ``LoadedBytes/isStorable``.
    var isStorable: Bool { get }
    /// Whether a request with other header fields may lead to other bytes.
    var varies: Bool { get }
}

/// A large value in a heap allocation, for values that many async functions pass on.
///
/// An async function reserves room in its frame for each copy of a value that it may hold across a suspension. Frames
/// of kilobytes cost more than the functions do. A change makes a new box, so nothing shared ever changes.
struct Boxed<Value: Sendable>: Sendable {
    private var storage: Storage

    init(_ value: Value) {
        storage = Storage(value)
    }

    var value: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }
}
