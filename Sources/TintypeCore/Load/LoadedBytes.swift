public import Foundation

/// The original bytes of a picture, whole, and where they came from.
public struct LoadedBytes: Sendable {
    private struct Parts: Sendable {
        var data: Data
        var origin: ImageOrigin
        var metadata: Metadata
        var metrics: TransferMetrics?
        var isStorable: Bool
        var isNotModified = false
        var file: SpillFile?
        var received: Date?
        var refreshFailure: TintypeError?
        var transferFailure: TintypeError?
    }

    /// Not everyone who loads keeps what he gets, so what is to be written beside it is only made when it is.
    private enum Metadata: Sendable {
        case data(Data)
        case deferred(@Sendable () -> Data)
    }

    private var parts: Boxed<Parts>

    public init(data: Data, origin: ImageOrigin, metadata: Data = Data(), isStorable: Bool = true) {
        parts = Boxed(Parts(data: data, origin: origin, metadata: .data(metadata), isStorable: isStorable))
    }

    /// What was transferred, and the file that its bytes are a mapping of, where they are in one.
    ///
    /// - Parameter metadata: makes what is kept beside them; called whenever ``metadata`` is read.
    package init(
        transferred data: Data, in file: SpillFile?, metrics: TransferMetrics, isStorable: Bool,
        metadata: @escaping @Sendable () -> Data
    ) {
        parts = Boxed(
            Parts(
                data: data, origin: .network, metadata: .deferred(metadata), metrics: metrics, isStorable: isStorable,
                file: file))
    }

    init(_ stored: CacheEntry) {
        parts = Boxed(
            Parts(
                data: stored.data, origin: .disk, metadata: .data(stored.metadata), isStorable: true,
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
            switch parts.value.metadata {
            case .data(let data): data
            case .deferred(let make): make()
            }
        }
        set { parts.value.metadata = .data(newValue) }
    }
    /// How the bytes were transferred, where they were.
    public var metrics: TransferMetrics? {
        get { parts.value.metrics }
        set { parts.value.metrics = newValue }
    }
    /// Whether they may be kept on disk where the request lets their origin decide (``LoadPolicy/Freshness/http``).
    public var isStorable: Bool {
        get { parts.value.isStorable }
        set { parts.value.isStorable = newValue }
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
