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
///
/// Several insertions of a new hash at the same time may take a slot each. The first one in the order in which slots
/// are looked at counts. A place is taken out of a slot by one atomic operation, so one insertion returns it.
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
    /// What an insertion leaves where it has taken out a place. No segment has the number 0.
    private static let taken = EntryPlace.slot(SegmentPlace(SegmentNumber(0), 1))

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
        /// The places of the same hash in other slots.
        var twins: [EntryPlace] = []
        /// Whether a later insertion has already replaced this one, and returns its place.
        var isSuperseded = false
        /// The number of slots that were freed.
        var freedCount = 0
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
        var result = Insertion(effect: .renewed)
        // The slot whose place was written, with the word that it had.
        var placed: Sighting?
        while true {
            let word = fingerprint | ticket() & Self.ticketBits
            if let sighting = sighting(of: fingerprint) {
                if placed?.slot != sighting.slot {
                    if let placed {
                        result.isSuperseded = !takeOut(placement.ofNewHash, from: placed.slot)
                        if result.isSuperseded { return result }
                        if remove(placed) { result.freedCount += 1 }
                    }
                    if let former = place(placement, over: sighting) { result.former = former }
                    placed = if case .at = placement { sighting } else { nil }
                }
                // If another insertion has changed the place meanwhile, it renews the word.
                guard replace(sighting, with: word) else { continue }
                if placed != nil { removeTwins(of: sighting, fingerprint, placement, &result) }
                return result
            } else if let slot = freeSlot(for: fingerprint) {
                guard let isPlaced = take(slot, word: 0, for: word, placement) else { continue }
                placed = isPlaced ? Sighting(slot: slot, word: word) : nil
                if result.effect == .renewed { result.effect = .added }
            } else {
                let victim = buckets(of: fingerprint).0 + Int(word % UInt64(Self.bucketSize))
                guard let isPlaced = take(victim, word: load(victim), for: word, placement) else { continue }
                placed = isPlaced ? Sighting(slot: victim, word: word) : nil
                result.effect = .displaced
            }
        }
    }

    /// Frees the slots of a hash that are looked at after its first one. Two insertions of a new hash may take a slot
    /// each, and the one that took the second slot may have seen only that one.
    ///
    /// - Parameter result: Receives the places of these slots.
    private func removeTwins(
        of sighting: Sighting, _ fingerprint: UInt64, _ placement: Placement, _ result: inout Insertion
    ) {
        var kept = placement.ofNewHash
        for slot in slots(of: fingerprint).drop(while: { $0 != sighting.slot }).dropFirst() {
            let twin = Sighting(slot: slot, word: load(slot), place: place(slot))
            guard twin.word & ~Self.ticketBits == fingerprint else { continue }
            if twin.place != Self.taken, takeOut(twin.place, from: slot) {
                result.twins.append(twin.place)
                // The place of the other insertion goes before one that a new hash would have.
                if case .kept = placement, exchange(kept, for: twin.place, at: sighting.slot) { kept = twin.place }
            }
            if remove(twin) { result.freedCount += 1 }
        }
    }

    /// Writes the place of a hash that is there. Returns the former one; `nil` if another insertion has taken it.
    private func place(_ placement: Placement, over sighting: Sighting) -> EntryPlace? {
        let former = if case .at(let place) = placement { exchange(place, at: sighting.slot) } else { sighting.place }
        return former == Self.taken ? nil : former
    }

    /// Takes a place out of a slot. Returns whether it was there.
    private func takeOut(_ place: EntryPlace, from slot: Int) -> Bool { exchange(place, for: Self.taken, at: slot) }

    /// Takes a slot for a word that is renewed after this, because the place of the slot is that of another hash until
    /// it is written.
    ///
    /// - Returns: Whether the place was written: another insertion of the same hash may have been faster. `nil` if the
    ///   slot was not taken.
    private func take(_ slot: Int, word: UInt64, for next: UInt64, _ placement: Placement) -> Bool? {
        let former = place(slot)
        guard replace(Sighting(slot: slot, word: word), with: next) else { return nil }
        return exchange(former, for: placement.ofNewHash, at: slot)
    }

    /// Changes the place of a hash that is at another one.
    ///
    /// - Returns: Whether it was there.
    func move(_ hash: UInt64, from former: EntryPlace, to place: EntryPlace, ticket: () -> UInt64) -> Bool {
        let fingerprint = Self.fingerprint(hash)
        guard let sighting = sighting(of: fingerprint), sighting.place == former,
            exchange(former, for: place, at: sighting.slot)
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

    /// Returns the slots of both buckets, in the order in which they are looked at.
    private func slots(of fingerprint: UInt64) -> FlattenSequence<[Range<Int>]> {
        let (first, second) = buckets(of: fingerprint)
        return (first == second ? [first] : [first, second]).map { $0..<$0 + Self.bucketSize }.joined()
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

    /// Writes a place if another one is there. Returns whether it was.
    private func exchange(_ former: EntryPlace, for place: EntryPlace, at slot: Int) -> Bool {
        places[slot].compareExchange(
            expected: former.word, desired: place.word, ordering: .sequentiallyConsistent
        ).exchanged
    }

    private func replace(_ sighting: Sighting, with word: UInt64) -> Bool {
        words[sighting.slot].compareExchange(
            expected: sighting.word, desired: word, ordering: .sequentiallyConsistent
        ).exchanged
    }
}
