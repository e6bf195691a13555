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
/// are looked at counts; a later insertion frees the others. A place is taken out of a slot by one atomic operation, so
/// one insertion returns it.
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
        /// The places of the hash before: none if it was not there, and several if it was in several slots.
        var formers: [EntryPlace] = []
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
        var own = placement.ofNewHash
        // The slot whose place was written, with the word that it had.
        var placed: Sighting?
        while true {
            let word = fingerprint | ticket() & Self.ticketBits
            guard let sighting = sighting(of: fingerprint) else {
                if let taken = take(fingerprint, word, own, &result.effect) { placed = taken }
                continue
            }
            if placed?.slot != sighting.slot {
                if let placed {
                    result.isSuperseded = !exchange(own, for: Self.taken, at: placed.slot)
                    if !result.isSuperseded, remove(placed) { result.freedCount += 1 }
                }
                if !result.isSuperseded { placed = write(own, placement, over: sighting, &result.formers) }
            }
            // If another insertion has changed the place meanwhile, it renews the word.
            guard result.isSuperseded || replace(sighting, with: word) else { continue }
            switch placement {
            case .at: twins(of: sighting, fingerprint).forEach { free($0.slot, fingerprint, &result) }
            case .kept where placed != nil && adoptTwin(of: sighting, fingerprint, &own, &result): continue
            case .kept: break
            }
            return result
        }
    }

    /// Takes a free slot for a hash, or that of another hash if both buckets are full. The word is renewed after this,
    /// because the place of the slot is that of another hash until it is written.
    ///
    /// - Returns: The slot; `.some(nil)` if another insertion of the same hash was faster to write its place; `nil` if
    ///   no slot was taken.
    private func take(_ fingerprint: UInt64, _ word: UInt64, _ own: EntryPlace, _ effect: inout Effect) -> Sighting?? {
        let free = freeSlot(for: fingerprint)
        let slot = free ?? buckets(of: fingerprint).0 + Int(word % UInt64(Self.bucketSize))
        let (formerWord, former) = (free == nil ? load(slot) : 0, place(slot))
        guard formerWord & ~Self.ticketBits != fingerprint, replace(Sighting(slot: slot, word: formerWord), with: word)
        else { return nil }
        if formerWord != 0 { effect = .displaced } else if effect == .renewed { effect = .added }
        return .some(exchange(former, for: own, at: slot) ? Sighting(slot: slot, word: word) : nil)
    }

    /// Writes the place of a hash that is there, unless it keeps the one that it has.
    ///
    /// - Returns: The slot, if the place was written.
    private func write(
        _ own: EntryPlace, _ placement: Placement, over sighting: Sighting, _ formers: inout [EntryPlace]
    ) -> Sighting? {
        switch placement {
        case .at:
            let former = EntryPlace(
                word: places[sighting.slot].exchange(own.word, ordering: .sequentiallyConsistent))
            if former != Self.taken { formers.append(former) }
            return sighting
        case .kept:
            if exchange(Self.taken, for: own, at: sighting.slot) { return sighting }
            formers = [place(sighting.slot)]
            return nil
        }
    }

    // MARK: Twins

    /// Returns the slots of a hash that are looked at after its first one. Two insertions of a new hash may take a slot
    /// each, and the one that took the second slot may have seen only that one.
    private func twins(of first: Sighting, _ fingerprint: UInt64) -> [Sighting] {
        let (bucket, other) = buckets(of: fingerprint)
        let slots = (bucket == other ? [bucket] : [bucket, other]).map { $0..<$0 + Self.bucketSize }.joined()
        return slots.drop { $0 != first.slot }.dropFirst().compactMap { slot in
            let word = load(slot)
            return word & ~Self.ticketBits == fingerprint ? Sighting(slot: slot, word: word, place: place(slot)) : nil
        }
    }

    /// Takes the place out of a slot of a hash, and frees the slot.
    private func free(_ slot: Int, _ fingerprint: UInt64, _ result: inout Insertion) {
        while true {
            let twin = Sighting(slot: slot, word: load(slot), place: place(slot))
            guard twin.word & ~Self.ticketBits == fingerprint else { return }
            if twin.place != Self.taken {
                guard exchange(twin.place, for: Self.taken, at: slot) else { continue }
                guard load(slot) & ~Self.ticketBits == fingerprint else {
                    // The slot was freed and taken for another hash, whose place this is.
                    _ = exchange(Self.taken, for: twin.place, at: slot)
                    return
                }
                result.formers.append(twin.place)
            }
            if remove(Sighting(slot: slot, word: twin.word)) {
                result.freedCount += 1
                return
            }
        }
    }

    /// Gives a new hash, which keeps the place that it has, the place in its next slot: one step, after which its word
    /// is renewed. A reader that saw the former place does not remove the word then.
    ///
    /// - Returns: `false` if there is nothing to do.
    private func adoptTwin(
        of first: Sighting, _ fingerprint: UInt64, _ own: inout EntryPlace, _ result: inout Insertion
    ) -> Bool {
        guard let twin = twins(of: first, fingerprint).first else { return false }
        if twin.place != own, twin.place != Self.taken {
            guard exchange(own, for: twin.place, at: first.slot) else { return false }
            (own, result.formers) = (twin.place, [twin.place])
        } else if twin.place == Self.taken || exchange(own, for: Self.taken, at: twin.slot), remove(twin) {
            result.freedCount += 1
        }
        return true
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
