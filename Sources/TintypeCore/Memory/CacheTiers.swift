/// The two tiers of a cache.
public struct CacheTiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Decoded pictures.
    public static let memory = CacheTiers(rawValue: 1)
    /// Encoded pictures.
    public static let disk = CacheTiers(rawValue: 2)
    public static let all: CacheTiers = [.memory, .disk]
}
