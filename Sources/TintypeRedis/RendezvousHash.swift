/// Chooses a server for each key by rendezvous hashing: that with the highest score for the key. All machines with the
/// same servers choose alike, in any order of the servers. Without one of them, only its keys move.
///
/// The scores are stable: they depend on nothing but the names of the servers and the key.
struct RendezvousHash: Sendable {
    private let seeds: [UInt64]

    /// - Parameter names: The names of the servers, all different.
    init(_ names: [String]) {
        seeds = names.map(Self.hash)
    }

    /// Returns the index of the server for a key; 0 if there are none. O(servers).
    func server(for key: String) -> Int {
        guard seeds.count > 1 else { return 0 }
        let hash = Self.hash(key)
        var best = (index: 0, score: UInt64(0))
        for (index, seed) in seeds.enumerated() {
            let score = Self.mix(seed ^ hash)
            // Equal scores are as good as impossible, but the order of the servers must not decide.
            if score > best.score || score == best.score && seed > seeds[best.index] { best = (index, score) }
        }
        return best.index
    }

    /// FNV-1a with 64 bits (draft-eastlake-fnv), whose weak high bits ``mix(_:)`` repairs.
    private static func hash(_ text: String) -> UInt64 {
        mix(text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
    }

    /// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA '14).
    private static func mix(_ bits: UInt64) -> UInt64 {
        var bits = bits
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
