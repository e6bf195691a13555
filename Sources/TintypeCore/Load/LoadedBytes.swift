public import Foundation

/// The original bytes of a picture, whole, and where they came from.
public struct LoadedBytes: Sendable {
    private struct Parts: Sendable {
        var data: Data
        var origin: ImageOrigin
        var record: Record
        var metrics: TransferMetrics?
        var isNotModified = false
        var file: SpillFile?
        var received: Date?
        var refreshFailure: TintypeError?
        var transferFailure: TintypeError?
    }

    private enum Record: Sendable {
        case known(metadata: Data, isStorable: Bool)
        case deferred(any DeferredRecord)
    }

    private var parts: Boxed<Parts>

    public init(data: Data, origin: ImageOrigin, metadata: Data = Data(), isStorable: Bool = true) {
        parts = Boxed(
            Parts(data: data, origin: origin, record: .known(metadata: metadata, isStorable: isStorable)))
    }

    /// What was transferred, and the file that its bytes are a mapping of, where they are in one.
    ///
    /// - Parameter record: is asked whenever ``metadata`` or ``isStorable`` is read.
    package init(
        transferred data: Data, in file: SpillFile?, metrics: TransferMetrics, record: some DeferredRecord
    ) {
        parts = Boxed(
            Parts(data: data, origin: .network, record: .deferred(record), metrics: metrics, file: file))
    }

    init(_ stored: CacheEntry) {
        parts = Boxed(
            Parts(
                data: stored.data, origin: .disk, record: .known(metadata: stored.metadata, isStorable: true),
                received: stored.created))
    }

    /// Stored bytes that their origin said are still good.
    ///
    /// - Parameter metadata: renewed by what it said.
    public static func stillGood(_ stored: CacheEntry, metadata: Data) -> LoadedBytes {
        var bytes = LoadedBytes(stored)
        bytes.metadata = metadata
        bytes.parts.value.isNotModified = true
        return bytes
    }

    /// All of the bytes. To change them in place copies them.
    public var data: Data {
        get { parts.value.data }
        set {
            parts.value.data = newValue
            parts.value.file = nil
        }
    }
    /// Where they came from.
    public var origin: ImageOrigin {
        get { parts.value.origin }
        set { parts.value.origin = newValue }
    }
    /// What is kept beside the bytes in the disk cache: for HTTP, the response's validators and freshness.
    public var metadata: Data {
        get {
            switch parts.value.record {
            case .known(let metadata, _): metadata
            case .deferred(let record): record.metadata
            }
        }
        set { parts.value.record = .known(metadata: newValue, isStorable: isStorable) }
    }
    /// How the bytes were transferred, where they were.
    public var metrics: TransferMetrics? {
        get { parts.value.metrics }
        set { parts.value.metrics = newValue }
    }
    /// Whether they may be kept on disk where the request lets their origin decide (``LoadPolicy/Freshness/http``).
    public var isStorable: Bool {
        get {
            switch parts.value.record {
            case .known(_, let isStorable): isStorable
            case .deferred(let record): record.isStorable
            }
        }
        set { parts.value.record = .known(metadata: metadata, isStorable: newValue) }
    }
    /// Whether these are the stored bytes, which the origin said are still good; ``metadata`` is renewed.
    public var isNotModified: Bool {
        get { parts.value.isNotModified }
        set { parts.value.isNotModified = newValue }
    }
    /// The file that ``data`` is a mapping of, where it is one.
    package var file: SpillFile? { parts.value.file }
    /// When they were received whole: tells pictures made of these from those made of older ones.
    var received: Date? {
        get { parts.value.received }
        set { parts.value.received = newValue }
    }
    /// Why these are stored bytes, when their origin should have been asked and could not be.
    var refreshFailure: TintypeError? {
        get { parts.value.refreshFailure }
        set { parts.value.refreshFailure = newValue }
    }
    /// Why these are only what had arrived, where they are not whole. For those alone who take a part of a picture; never
    /// kept.
    var transferFailure: TintypeError? {
        get { parts.value.transferFailure }
        set { parts.value.transferFailure = newValue }
    }
}
