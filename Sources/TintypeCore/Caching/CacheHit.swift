public import Foundation

/// What a query of a cache found.
public struct CacheHit: Sendable {
    /// The picture.
    public var image: Image
    /// The encoded bytes, where they were read or asked for and are there.
    public var data: Data?
    /// The tier that had the picture.
    public var tier: CacheTiers
}
