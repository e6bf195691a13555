public import Foundation
public import TintypeCore

/// One entry of a disk cache, as a person would look at it.
public struct DiskEntryFacts: Sendable {
    public var key: CacheKey
    public var format: ImageFormat?
    /// Bytes of the encoded picture.
    public var byteCount: Int
    public var created: Date
    public var accessed: Date
    /// The file that holds it.
    public var path: String
}

/// What a look at every byte of a disk cache found.
public struct DiskVerification: Sendable {
    /// Undamaged entries.
    public var sound = DiskUsage(count: 0, byteCount: 0)
    /// Files that were not whole entries of the right name, by path; they have been removed.
    public var damaged: [String] = []
}
