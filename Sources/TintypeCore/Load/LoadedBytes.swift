public import Foundation

/// The original bytes of a picture, whole, and where they came from.
public struct LoadedBytes: Sendable {
    /// All of the bytes.
    public var data: Data { didSet { file = nil } }
    /// Where they came from.
    public var origin: ImageOrigin
    /// What is kept beside the bytes in the disk cache: for HTTP, the response's validators and freshness.
    public var metadata: Data
    /// How the bytes were transferred, where they were.
    public var metrics: TransferMetrics?
    /// Whether they may be kept on disk where the request lets their origin decide (``LoadPolicy/Freshness/http``).
    public var isStorable: Bool
    /// Whether these are the stored bytes, which the origin said are still good; ``metadata`` is renewed.
    public var isNotModified = false
    /// The file that ``data`` is a mapping of, where it is one.
    package var file: SpillFile?
    /// When they were received whole: tells pictures made of these from those made of older ones.
    var received: Date?
    /// Why these are stored bytes, when their origin should have been asked and could not be.
    var refreshFailure: TintypeError?
    /// Why these are only what had arrived, where they are not whole. For those alone who take a part of a picture; never
    /// kept.
    var transferFailure: TintypeError?

    public init(data: Data, origin: ImageOrigin, metadata: Data = Data(), isStorable: Bool = true) {
        self.data = data
        self.origin = origin
        self.metadata = metadata
        self.isStorable = isStorable
    }

    /// Stored bytes that their origin said are still good.
    ///
    /// - Parameter metadata: renewed by what it said.
    public static func stillGood(_ stored: CacheEntry, metadata: Data) -> LoadedBytes {
        var bytes = LoadedBytes(stored)
        bytes.metadata = metadata
        bytes.isNotModified = true
        return bytes
    }

    init(_ stored: CacheEntry) {
        self.init(data: stored.data, origin: .disk, metadata: stored.metadata)
        received = stored.created
    }
}
