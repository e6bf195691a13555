import Foundation

/// Random numbers that a test can have again: SplitMix64 (Steele, Lea and Flood, OOPSLA '14).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    /// A generator whose seed is printed, and which the environment variable `TINTYPE_SEED` replays.
    public static func printed(_ name: String) -> SeededRandom {
        let given = ProcessInfo.processInfo.environment["TINTYPE_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...999_999)
        print("\(name): TINTYPE_SEED=\(seed)")
        return SeededRandom(seed: seed)
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
