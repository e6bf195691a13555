import TintypeCore

/// What decides the bytes of a rendition: equal keys mean equal bytes, on every machine.
///
/// The URL of the source is not part of it, but the digest of its bytes is. A changed source has other keys at once, so
/// nothing has to be deleted.
struct RenditionKey: Hashable, Sendable {
    /// Changed whenever the same options yield other bytes.
    private static let version = 2

    /// The SHA-256 digest of the source, in hexadecimal.
    let source: String
    /// The canonical options.
    let options: String
    /// The format of the result.
    let format: ImageFormat
    /// The digest of the watermark's bytes; empty without one.
    let watermark: String

    /// - Parameter options: The options, resolved for the format.
    init(_ record: SourceRecord, _ options: ProcessingOptions, _ format: ImageFormat, watermark: String = "") {
        (source, self.options, self.format) = (record.digest, options.canonical, format)
        self.watermark = watermark
    }

    /// The key in the caches of the pipeline.
    var cacheKey: CacheKey {
        CacheKey(
            source: "rendition:\(source)", rendition: "\(Self.version)|\(format.rawValue)|\(watermark)|\(options)")
    }
}
