import Synchronization

/// Fingerprints in buckets of eight words, in memory that several threads and processes read and change.
///
/// A fingerprint may be in two buckets, both of which it determines, so that a probe reads two cache lines. A word is a
/// fingerprint (48 bits) and a ticket (16 bits), or 0 for a free slot. Each insertion brings a new ticket: a word that
/// was sighted before an insertion is not removed after it.
struct PresenceSlots {
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// The number of words.
    let count: Int
    /// The number of low bits of a hash that do not choose its first bucket.
    private let shift: UInt64

    /// The number of words in a bucket, which fill a cache line.
    static let bucketSize = 8
    private static let ticketBits: UInt64 = 0xFFFF

    /// - Parameters:
    ///   - memory: Aligned to the size of a bucket, and valid for as long as the value is used.
    ///   - bucketCount: The number of buckets, a power of two from 2.
    init(_ memory: UnsafeMutableRawPointer, bucketCount: Int) {
        count = bucketCount * Self.bucketSize
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
        shift = UInt64(64 - bucketCount.trailingZeroBitCount)
    }

    /// A word that was seen in a slot.
    struct Sighting: Equatable, Sendable {
        fileprivate let slot: Int
        fileprivate let word: UInt64
    }

    /// Returns the slot of a hash, or `nil` if the hash is in none.
    @inline(__always)
    func sighting(of hash: UInt64) -> Sighting? {
        let fingerprint = Self.fingerprint(hash)
        let (first, second) = buckets(of: fingerprint)
        return sighting(of: fingerprint, in: first) ?? sighting(of: fingerprint, in: second)
    }

    /// The effect of an insertion.
    enum Insertion: Equatable {
        /// A free slot was taken.
        case added
        /// The hash was there and has a new ticket.
        case renewed
        /// Both buckets were full, and the hash took the slot of another one.
        case displaced
    }

    /// Inserts a hash.
    ///
    /// - Parameter ticket: A number that the next 65,535 insertions do not use.
    func insert(_ hash: UInt64, ticket: UInt64) -> Insertion {
        let fingerprint = Self.fingerprint(hash)
        let word = fingerprint | ticket & Self.ticketBits
        while true {
            if let sighting = sighting(of: fingerprint) {
                if replace(sighting, with: word) { return .renewed }
            } else if let free = freeSlot(for: fingerprint) {
                if replace(Sighting(slot: free, word: 0), with: word) { return .added }
            } else {
                let victim = buckets(of: fingerprint).0 + Int(ticket % UInt64(Self.bucketSize))
                if replace(Sighting(slot: victim, word: load(victim)), with: word) { return .displaced }
            }
        }
    }

    /// Frees a slot, unless its word has changed since the sighting. Returns whether it did.
    func remove(_ sighting: Sighting) -> Bool { replace(sighting, with: 0) }

    /// Calls a closure with a hash for each occupied slot, which leads to the same fingerprint.
    func forEachHash(_ body: (UInt64) -> Void) {
        for slot in 0..<count {
            let word = load(slot)
            if word != 0 { body(word & ~Self.ticketBits) }
        }
    }

    // MARK: Words

    @inline(__always)
    private static func fingerprint(_ hash: UInt64) -> UInt64 {
        let fingerprint = hash & ~ticketBits
        return fingerprint == 0 ? ticketBits + 1 : fingerprint
    }

    /// Returns the first slots of both buckets.
    @inline(__always)
    private func buckets(of fingerprint: UInt64) -> (Int, Int) {
        let other = fingerprint &* 0x9E37_79B9_7F4A_7C15
        return (Int(fingerprint >> shift) * Self.bucketSize, Int(other >> shift) * Self.bucketSize)
    }

    @inline(__always)
    private func sighting(of fingerprint: UInt64, in bucket: Int) -> Sighting? {
        for slot in bucket..<bucket + Self.bucketSize {
            let word = load(slot)
            if word & ~Self.ticketBits == fingerprint { return Sighting(slot: slot, word: word) }
        }
        return nil
    }

    /// Returns a free slot in the bucket that has more of them.
    private func freeSlot(for fingerprint: UInt64) -> Int? {
        let (first, second) = buckets(of: fingerprint)
        let fuller = freeCount(first) >= freeCount(second) ? second : first
        let emptier = fuller == first ? second : first
        return (emptier..<emptier + Self.bucketSize).first { load($0) == 0 }
    }

    private func freeCount(_ bucket: Int) -> Int {
        (bucket..<bucket + Self.bucketSize).count { load($0) == 0 }
    }

    // Sequentially consistent, because a writer must not look whether a table was replaced before its word is visible:
    // see `PresenceTable`. On x86-64 a load costs the same either way.
    @inline(__always)
    private func load(_ slot: Int) -> UInt64 { words[slot].load(ordering: .sequentiallyConsistent) }

    private func replace(_ sighting: Sighting, with word: UInt64) -> Bool {
        words[sighting.slot].compareExchange(
            expected: sighting.word, desired: word, ordering: .sequentiallyConsistent
        ).exchanged
    }
}
