public import Foundation
public import TintypeCore

/// One entry of a disk cache, as a person would look at it.
public struct DiskEntryFacts: Sendable {
    public var key: CacheKey
    public var format: ImageFormat?
    /// Bytes of the encoded picture.
    public var byteCount: Int
    /// When its bytes were got.
    public var created: Date
    /// When its bytes were stored.
    public var modified: Date
    /// Its last use; but of several within a minute, the first.
    public var accessed: Date
    /// From when on it is a miss; `nil` leaves that to the limits.
    public var expires: Date?
    /// The file that holds it.
    public var path: String
}

/// What a look at every byte of a disk cache found.
public struct DiskVerification: Sendable {
    /// Undamaged entries.
    public var sound = DiskUsage()
    /// Files that were not whole entries of the right name, by path; they have been removed.
    public var damaged: [String] = []

    public init() {}
}
