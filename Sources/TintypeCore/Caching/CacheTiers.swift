/// The tiers of a cache.
public struct CacheTiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Decoded pictures.
    public static let memory = CacheTiers(rawValue: 1)
    /// Encoded pictures.
    public static let disk = CacheTiers(rawValue: 2)
    /// Decoded pictures on disk: see ``PixelCaching``. What is removed from ``disk`` is removed here, too.
    public static let pixels = CacheTiers(rawValue: 4)
    /// Every tier.
    public static let all: CacheTiers = [.memory, .disk, .pixels]
}

extension CacheTiers {
    /// Whether removing something from these tiers removes its pixels: who wants a picture off the disk wants all of it.
    var reachesPixels: Bool { !isDisjoint(with: [.disk, .pixels]) }
}
