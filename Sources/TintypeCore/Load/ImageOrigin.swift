/// Where a picture came from.
public enum ImageOrigin: String, Hashable, Sendable, CaseIterable {
    /// Decoded pixels in memory.
    case memory
    /// Bytes in the disk cache.
    case disk
    /// Bytes over HTTP.
    case network
    /// Bytes of a local file.
    case file
    /// Bytes that the request itself carried: a data URL, or data that the program had.
    case data
    /// Bytes from a loader or closure of the program's own.
    case custom
}
