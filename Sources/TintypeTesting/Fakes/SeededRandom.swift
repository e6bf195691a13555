import Foundation

/// A random number generator that a test can repeat: SplitMix64 (Steele, Lea and Flood, OOPSLA '14).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. Equal seeds give equal sequences.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns a generator with a random seed, and prints the seed to standard output. The environment variable
    /// `TINTYPE_SEED` sets the seed, to repeat a failed run.
    ///
    /// - Parameter name: The name to print before the seed.
    package static func printed(_ name: String) -> SeededRandom { SeededRandom(seed: printedSeed(name)) }

    /// Returns the seed in the environment variable `TINTYPE_SEED`, otherwise a random one, and prints it to standard
    /// output.
    ///
    /// - Parameter name: The name to print before the seed.
    package static func printedSeed(_ name: String) -> UInt64 {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["TINTYPE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...999_999)
        print("\(name): TINTYPE_SEED=\(seed)")
        return seed
    }

    /// Returns the next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
