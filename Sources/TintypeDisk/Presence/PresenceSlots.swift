import Synchronization

/// Fingerprints in buckets of eight words, each with the place of an entry, in memory that several threads and
/// processes read and change.
///
/// A fingerprint may be in two buckets, both of which it determines, so that a probe reads two cache lines. A word is a
/// fingerprint (48 bits) and a ticket (16 bits), or 0 for a free slot. Each insertion brings a new ticket: a word that
/// was sighted before an insertion is not removed after it.
///
/// A place is written separately, so it is a hint: a reader compares the key that it finds there. A word gets a new
/// ticket after its place was written. A reader that saw the former place, and found nothing there, therefore does not
/// remove the word.
struct PresenceSlots {
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// The place of each word's entry: ``EntryPlace/word``.
    private let places: UnsafeMutablePointer<Atomic<UInt64>>
    /// The number of words.
    let count: Int
    /// The number of low bits of a hash that do not choose its first bucket.
    private let shift: UInt64

    /// The number of words in a bucket, which fill a cache line.
    static let bucketSize = 8
    /// The memory of a slot, in bytes: the word and the place.
    static let slotLength = 16
    private static let ticketBits: UInt64 = 0xFFFF

    /// - Parameters:
    ///   - memory: Aligned to the size of a bucket, and valid for as long as the value is used.
    ///   - bucketCount: The number of buckets, a power of two from 2.
    init(_ memory: UnsafeMutableRawPointer, bucketCount: Int) {
        count = bucketCount * Self.bucketSize
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
        places = (memory + 8 * count).bindMemory(to: Atomic<UInt64>.self, capacity: count)
        shift = UInt64(64 - bucketCount.trailingZeroBitCount)
    }

    /// A word that was seen in a slot.
    struct Sighting: Equatable, Sendable {
        fileprivate let slot: Int
        fileprivate let word: UInt64
        /// Where the entry is.
        let place: EntryPlace

        fileprivate init(slot: Int, word: UInt64, place: EntryPlace = .file) {
            (self.slot, self.word, self.place) = (slot, word, place)
        }
    }

    /// Returns the slot of a hash, or `nil` if the hash is in none.
    @inline(__always)
    func sighting(of hash: UInt64) -> Sighting? {
        let fingerprint = Self.fingerprint(hash)
        let (first, second) = buckets(of: fingerprint)
        return sighting(of: fingerprint, in: first) ?? sighting(of: fingerprint, in: second)
    }

    /// The effect of an insertion.
    enum Effect: Equatable {
        /// A free slot was taken.
        case added
        /// The hash was there and has a new ticket.
        case renewed
        /// Both buckets were full, and the hash took the slot of another one.
        case displaced
    }

    /// The result of an insertion.
    struct Insertion: Equatable {
        var effect: Effect
        /// The place of the hash before; `nil` if it was not there.
        var former: EntryPlace?
        /// The place of the same hash in a second slot, which was freed; `nil` if there was none.
        var twin: EntryPlace?
    }

    /// What an insertion does with the place of a hash.
    enum Placement {
        /// It gets this place.
        case at(EntryPlace)
        /// It keeps its place if it is there, and gets this one otherwise.
        case kept(otherwise: EntryPlace)

        fileprivate var ofNewHash: EntryPlace {
            switch self {
            case .at(let place), .kept(otherwise: let place): place
            }
        }
    }

    /// Inserts a hash.
    ///
    /// - Parameter ticket: Returns a number that the next 65,535 calls do not return.
    func insert(_ hash: UInt64, _ placement: Placement, ticket: () -> UInt64) -> Insertion {
        let fingerprint = Self.fingerprint(hash)
        var result: Insertion?
        // The slot whose place was written.
        var placed: Int?
        while true {
            let word = fingerprint | ticket() & Self.ticketBits
            if let sighting = sighting(of: fingerprint) {
                if placed != sighting.slot {
                    let former = place(placement, over: sighting)
                    result = Insertion(effect: result?.effect ?? .renewed, former: former)
                    placed = sighting.slot
                }
                // If another insertion has changed the place meanwhile, it renews the word.
                guard replace(sighting, with: word), var result else { continue }
                guard let twin = twin(of: sighting, fingerprint) else { return result }
                // Two insertions of a new hash may take a slot each. The second one that looks here leaves one.
                if case .kept = placement { _ = exchange(twin.place, at: sighting.slot) }
                if remove(twin) { result.twin = twin.place }
                return result
            } else if let slot = freeSlot(for: fingerprint) {
                guard let isPlaced = take(slot, word: 0, for: word, placement) else { continue }
                placed = isPlaced ? slot : nil
                result = result ?? Insertion(effect: .added)
            } else {
                let victim = buckets(of: fingerprint).0 + Int(word % UInt64(Self.bucketSize))
                guard let isPlaced = take(victim, word: load(victim), for: word, placement) else { continue }
                placed = isPlaced ? victim : nil
                result = Insertion(effect: .displaced)
            }
        }
    }

    /// Returns another slot of a hash, after the first one.
    private func twin(of sighting: Sighting, _ fingerprint: UInt64) -> Sighting? {
        let (first, second) = buckets(of: fingerprint)
        for slot in [first..<first + Self.bucketSize, second..<second + Self.bucketSize].joined()
        where slot != sighting.slot {
            let word = load(slot)
            if word & ~Self.ticketBits == fingerprint { return Sighting(slot: slot, word: word, place: place(slot)) }
        }
        return nil
    }

    /// Writes the place of a hash that is there. Returns the former one.
    private func place(_ placement: Placement, over sighting: Sighting) -> EntryPlace {
        if case .at(let place) = placement { exchange(place, at: sighting.slot) } else { sighting.place }
    }

    /// Takes a slot for a word that is renewed after this, because the place of the slot is that of another hash until
    /// it is written.
    ///
    /// - Returns: Whether the place was written: another insertion of the same hash may have been faster. `nil` if the
    ///   slot was not taken.
    private func take(_ slot: Int, word: UInt64, for next: UInt64, _ placement: Placement) -> Bool? {
        let former = place(slot)
        guard replace(Sighting(slot: slot, word: word), with: next) else { return nil }
        return places[slot].compareExchange(
            expected: former.word, desired: placement.ofNewHash.word, ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Changes the place of a hash that is at another one.
    ///
    /// - Returns: Whether it was there.
    func move(_ hash: UInt64, from former: EntryPlace, to place: EntryPlace, ticket: () -> UInt64) -> Bool {
        let fingerprint = Self.fingerprint(hash)
        guard let sighting = sighting(of: fingerprint), sighting.place == former,
            places[sighting.slot].compareExchange(
                expected: former.word, desired: place.word, ordering: .sequentiallyConsistent
            ).exchanged
        else { return false }
        if replace(sighting, with: fingerprint | ticket() & Self.ticketBits) { return true }
        // It was renewed, or a reader that saw the former place has removed it.
        if self.sighting(of: fingerprint) == nil { _ = insert(hash, .at(place), ticket: ticket) }
        return true
    }

    /// Frees a slot, unless its word has changed since the sighting. Returns whether it did.
    func remove(_ sighting: Sighting) -> Bool { replace(sighting, with: 0) }

    /// Calls a closure for each occupied slot with a hash, which leads to the same fingerprint, and a place.
    func forEachHash(_ body: (UInt64, EntryPlace) -> Void) {
        for slot in 0..<count {
            let word = load(slot)
            if word != 0 { body(word & ~Self.ticketBits, place(slot)) }
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
            if word & ~Self.ticketBits == fingerprint {
                return Sighting(slot: slot, word: word, place: place(slot))
            }
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

    @inline(__always)
    private func place(_ slot: Int) -> EntryPlace {
        EntryPlace(word: places[slot].load(ordering: .sequentiallyConsistent))
    }

    /// Writes a place, and returns the former one.
    private func exchange(_ place: EntryPlace, at slot: Int) -> EntryPlace {
        EntryPlace(word: places[slot].exchange(place.word, ordering: .sequentiallyConsistent))
    }

    private func replace(_ sighting: Sighting, with word: UInt64) -> Bool {
        words[sighting.slot].compareExchange(
            expected: sighting.word, desired: word, ordering: .sequentiallyConsistent
        ).exchanged
    }
}
