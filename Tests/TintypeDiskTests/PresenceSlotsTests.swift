import Foundation
import Testing
import TintypeTesting

@testable import TintypeDisk

/// The slots of a table of presence, in memory.
@Suite struct PresenceSlotsTests {
    /// Calls a closure with empty slots.
    private func withSlots(_ bucketCount: Int, _ body: (PresenceSlots) throws -> Void) rethrows {
        let length = bucketCount * PresenceSlots.bucketSize * PresenceSlots.slotLength
        let memory = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 64)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: length)
        try body(PresenceSlots(memory, bucketCount: bucketCount))
    }

    @Test func aHashIsFoundFromItsInsertionToItsRemoval() throws {
        try withSlots(2) { slots in
            #expect(slots.sighting(of: 7 << 20) == nil)
            #expect(slots.insert(7 << 20, ticket: 1).effect == .added)
            let sighting = try #require(slots.sighting(of: 7 << 20))
            #expect(slots.sighting(of: 8 << 20) == nil)
            #expect(slots.remove(sighting) && !slots.remove(sighting))
            #expect(slots.sighting(of: 7 << 20) == nil)
        }
    }

    /// The hashes whose upper 48 bits are 0 and 1 share a fingerprint, because 0 marks a free slot.
    @Test(arguments: [UInt64(0), 1 << 16, .max]) func anyHashCanBeInserted(_ hash: UInt64) {
        withSlots(2) { slots in
            #expect(slots.insert(hash, ticket: 0).effect == .added && slots.sighting(of: hash) != nil)
        }
    }

    /// A reader may find no file, and then a writer names one, before the reader removes the key.
    @Test func aHashThatWasInsertedAgainIsNotRemoved() throws {
        try withSlots(2) { slots in
            _ = slots.insert(7 << 20, ticket: 1)
            let sighting = try #require(slots.sighting(of: 7 << 20))
            #expect(slots.insert(7 << 20, ticket: 2) == PresenceSlots.Insertion(effect: .renewed, formers: [.file]))
            #expect(!slots.remove(sighting) && slots.sighting(of: 7 << 20) != nil)
            let next = try #require(slots.sighting(of: 7 << 20))
            #expect(slots.remove(next))
            #expect(slots.insert(7 << 20, ticket: 3).effect == .added)
            #expect(!slots.remove(next) && slots.sighting(of: 7 << 20) != nil)
        }
    }

    @Test func fullBucketsForgetAnotherHash() {
        withSlots(2) { slots in
            var random = SeededRandom(seed: 1)
            let hashes = (0..<60).map { _ in random.next() }
            let results = hashes.enumerated().map { slots.insert($1, ticket: UInt64($0)).effect }
            let found = hashes.count { slots.sighting(of: $0) != nil }
            #expect(results.contains(.displaced) && found == results.count { $0 == .added } && found <= 16)
            #expect(slots.sighting(of: hashes[59]) != nil)
        }
    }

    /// At the load at which a table is replaced, and somewhat above it.
    @Test(arguments: [128, 4096]) func noHashIsForgottenBeforeATableIsReplaced(_ bucketCount: Int) {
        withSlots(bucketCount) { slots in
            // Always the same hashes: one of 25 sets overflows a bucket at this load.
            var random = SeededRandom(seed: 1)
            let hashes = (0..<slots.count * 11 / 16).map { _ in random.next() }
            #expect(hashes.enumerated().allSatisfy { slots.insert($1, ticket: UInt64($0)).effect == .added })
            #expect(hashes.allSatisfy { slots.sighting(of: $0) != nil })
            #expect((0..<100_000).allSatisfy { _ in slots.sighting(of: random.next()) == nil })
            var copied = 0
            slots.forEachHash { hash, _ in if slots.sighting(of: hash) != nil { copied += 1 } }
            #expect(copied == hashes.count)
        }
    }

    @Test func aHashKeepsOrChangesItsPlace() throws {
        try withSlots(2) { slots in
            let places = (1...3).map { EntryPlace.slot(SegmentPlace(SegmentNumber(UInt64($0)), $0)) }
            #expect(slots.insert(7 << 20, at: places[0], ticket: 1) == .init(effect: .added))
            #expect(slots.insert(7 << 20, ticket: 2) == .init(effect: .renewed, formers: [places[0]]))
            #expect(slots.insert(7 << 20, at: places[1], ticket: 3) == .init(effect: .renewed, formers: [places[0]]))
            let sighting = try #require(slots.sighting(of: 7 << 20))
            #expect(sighting.place == places[1])
            let ticket = { UInt64(100) }
            #expect(!slots.move(7 << 20, from: places[0], to: places[2], ticket: ticket))
            #expect(slots.move(7 << 20, from: places[1], to: places[2], ticket: ticket))
            #expect(slots.sighting(of: 7 << 20)?.place == places[2] && !slots.remove(sighting))
            #expect(slots.insert(8 << 20, ticket: 4) == .init(effect: .added))
            #expect(slots.sighting(of: 8 << 20)?.place == .file)
        }
    }

    /// Of all places that threads insert for one hash, one stays, and each other one is somebody's former place: none
    /// is lost. Meanwhile a reader removes what it sighted.
    @Test func eachReplacedPlaceIsReturnedOnce() {
        withSlots(2) { slots in
            nonisolated(unsafe) let slots = slots
            let tickets = Shared(UInt64(0))
            let formers = Shared<[EntryPlace]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for round in 1...2_000 {
                    let place = EntryPlace.slot(SegmentPlace(SegmentNumber(UInt64(round)), thread))
                    let insertion = slots.insert(7 << 20, .at(place)) {
                        tickets.withLock {
                            $0 += 1
                            return $0
                        }
                    }
                    // A slot that was just taken has the place that it had before.
                    let replaced = insertion.formers.filter { $0 != .file && $0 != place }
                    formers.withLock { $0 += replaced }
                }
            }
            let last = slots.sighting(of: 7 << 20)?.place
            let all = Set((formers.now + [last].compactMap(\.self)).map(\.word))
            #expect(all.count == 8_000 && formers.now.count == 7_999)
        }
    }

    /// As `eachReplacedPlaceIsReturnedOnce`, for hashes that are new each time, also while another thread inserts the
    /// hash with the place that it has.
    @Test(arguments: [3, 2]) func aNewHashInsertedTwiceHasOneSlot(_ placeCount: Int) {
        withSlots(128) { slots in
            nonisolated(unsafe) let slots = slots
            for round in 1...300 {
                let hash = UInt64(round) &* 0x9E37_79B9_7F4A_7C15
                let places = (0..<placeCount).map { EntryPlace.slot(SegmentPlace(SegmentNumber(UInt64(round)), $0)) }
                let replaced = Shared<[EntryPlace]>([])
                DispatchQueue.concurrentPerform(iterations: 3) { thread in
                    let ticket = UInt64(round * 3 + thread)
                    guard thread < placeCount else { return _ = slots.insert(hash, ticket: ticket) }
                    let insertion = slots.insert(hash, at: places[thread], ticket: ticket)
                    let others = insertion.formers.filter { places.contains($0) && $0 != places[thread] }
                    replaced.withLock { $0 += others }
                }
                var occupied: [EntryPlace] = []
                slots.forEachHash { if $0 == hash & ~0xFFFF { occupied.append($1) } }
                #expect(occupied.count == 1)
                #expect((replaced.now + occupied).map(\.word).sorted() == places.map(\.word))
                slots.sighting(of: hash).map { _ = slots.remove($0) }
            }
        }
    }

    /// Four threads insert hashes of their own again, while a fifth removes what was sighted before, as readers do.
    @Test func concurrentChangesLoseNoInsertion() {
        withSlots(256) { slots in
            nonisolated(unsafe) let slots = slots
            let hashes = (1...200).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
            for (number, hash) in hashes.enumerated() { _ = slots.insert(hash, ticket: UInt64(number)) }
            let removals = Shared(0)
            for round in 1...200 {
                let sightings = hashes.map { slots.sighting(of: $0) }
                DispatchQueue.concurrentPerform(iterations: 5) { thread in
                    if thread == 0 {
                        let count = sightings.count { $0.map(slots.remove) ?? false }
                        return removals.withLock { $0 += count }
                    }
                    for number in stride(from: thread - 1, to: hashes.count, by: 4) {
                        let insertion = slots.insert(hashes[number], ticket: UInt64(round * hashes.count + number))
                        #expect(insertion.effect != .displaced)
                    }
                }
                #expect(hashes.allSatisfy { slots.sighting(of: $0) != nil })
            }
            #expect(removals.withLock { $0 } > 0)
        }
    }
}

extension PresenceSlots {
    /// Inserts a hash with the tickets from a number on, far from those of other insertions.
    fileprivate func insert(_ hash: UInt64, at place: EntryPlace? = nil, ticket: UInt64) -> Insertion {
        var next = ticket &* 16
        return insert(hash, place.map { .at($0) } ?? .kept(otherwise: .file)) {
            next += 1
            return next
        }
    }
}

@Suite struct PresenceHeaderTests {
    private let header = PresenceHeader(bucketCount: 128, seed: 0x0123_4567_89AB_CDEF)

    private func read(_ bytes: [UInt8], fileLength: Int? = nil) -> PresenceHeader? {
        bytes.withUnsafeBytes { PresenceHeader(decoding: $0, fileLength: fileLength ?? header.fileLength) }
    }

    @Test func aHeaderRoundTrips() {
        #expect(read(header.encoded) == header && header.fileLength == 256 + 128 * 128)
        #expect(read(header.encoded, fileLength: header.fileLength - 1) == nil)
        #expect(read(Array(header.encoded.dropLast())) == nil)
    }

    @Test func noChangedBitIsAccepted() {
        for bit in 0..<header.encoded.count * 8 {
            var bytes = header.encoded
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(read(bytes) == nil)
        }
    }

    @Test(arguments: [0, 1, 3, 100, PresenceHeader.maximumBucketCount * 2])
    func anImpossibleNumberOfBucketsIsRefused(_ count: Int) {
        let header = PresenceHeader(bucketCount: count, seed: 1)
        #expect(read(header.encoded, fileLength: header.fileLength) == nil)
    }

    @Test(arguments: [
        (640, 1024, 640, PresenceHeader.Growth.none), (641, 1024, 641, .copy(bucketCount: 512)),
        (641, 1024, 320, .refill(bucketCount: 256)), (641, 1024, 0, .refill(bucketCount: 128)),
        (641, 1024, 321, .copy(bucketCount: 512)), (6_000_000, 1 << 23, 6_000_000, .copy(bucketCount: 1 << 22)),
        (.max, 1 << 29, .max, .none),
    ])
    func aTableGrowsWithItsEntries(_ occupied: Int, _ slots: Int, _ entries: Int, _ growth: PresenceHeader.Growth) {
        #expect(PresenceHeader.growth(occupied: occupied, slots: slots, entries: entries) == growth)
    }

    @Test(arguments: [(704, 1024, nil), (705, 1024, 512), (.max, 1 << 28, 1 << 26), (.max, 1 << 29, nil)])
    func aTableThatFillsQuicklyGrowsAtOnce(_ occupied: Int, _ slots: Int, _ bucketCount: Int?) {
        #expect(PresenceHeader.urgentGrowth(occupied: occupied, slots: slots) == bucketCount)
    }
}
