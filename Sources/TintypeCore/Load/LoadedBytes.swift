public import Foundation

/// The original bytes of a picture, whole, and where they came from.
public struct LoadedBytes: Sendable {
    public var data: Data
    public var origin: ImageOrigin
    /// What is kept beside the bytes in the disk cache: for HTTP, the response's validators and freshness.
    public var metadata: Data
    /// How the bytes were transferred, where they were.
    public var metrics: TransferMetrics?

    public init(data: Data, origin: ImageOrigin, metadata: Data = Data(), metrics: TransferMetrics? = nil) {
        self.data = data
        self.origin = origin
        self.metadata = metadata
        self.metrics = metrics
    }
}
