import Foundation

/// The beginning of a table of presence, which does not change. Numbers are in the byte order of the machine.
///
/// | offset | bytes | content |
/// | ---: | ---: | --- |
/// | 0 | 8 | `TTPRES`, a zero and the version |
/// | 8 | 8 | number of buckets |
/// | 16 | 8 | seed of the hashes |
/// | 24 | 8 | checksum of bytes 0 to 23 |
/// | 64 | 8 | number of entry folders whose entries are known to be in the table |
/// | 72 | 8 | 1 if the table was replaced |
/// | 128 | 8 | ticket of the last insertion |
/// | 136 | 8 | number of occupied slots |
/// | 256 | 64 each | buckets of words |
/// | | 64 each | the places of the words, in the same order |
struct PresenceHeader: Equatable, Sendable {
    let bucketCount: Int
    /// Random, so that no one can choose URLs that fill one bucket.
    let seed: UInt64

    /// The length of the fixed part of the header, in bytes.
    static let fixedLength = 32
    /// The offset of the first bucket, in bytes.
    static let length = 256
    static let filledOffset = 64
    static let retiredOffset = 72
    static let ticketOffset = 128
    static let occupiedOffset = 136

    /// The smallest number of buckets: a table of 16 KB, for 640 entries.
    static let minimumBucketCount = 128
    /// The largest number of buckets: a table of 8 GB, for about 300 million entries.
    static let maximumBucketCount = 1 << 26
    private static let bucketLength = PresenceSlots.bucketSize * PresenceSlots.slotLength

    init(bucketCount: Int, seed: UInt64) {
        (self.bucketCount, self.seed) = (bucketCount, seed)
    }

    /// Reads the beginning of a file. `nil` if the file is not a complete table of this version.
    init?(decoding bytes: UnsafeRawBufferPointer, fileLength: Int) {
        guard bytes.count >= Self.fixedLength else { return nil }
        func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        guard word(0) == Self.magic, word(24) == Self.checksum(bytes) else { return nil }
        let count = Int(clamping: word(8))
        guard (2...Self.maximumBucketCount).contains(count), count & (count - 1) == 0 else { return nil }
        (bucketCount, seed) = (count, word(16))
        guard self.fileLength == fileLength else { return nil }
    }

    /// The length of the whole file, in bytes.
    var fileLength: Int { Self.length + bucketCount * Self.bucketLength }

    /// The fixed part.
    var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.fixedLength)
        bytes.withUnsafeMutableBytes { bytes in
            for (index, word) in [Self.magic, UInt64(bucketCount), seed].enumerated() {
                bytes.storeBytes(of: word, toByteOffset: 8 * index, as: UInt64.self)
            }
            bytes.storeBytes(of: Self.checksum(UnsafeRawBufferPointer(bytes)), toByteOffset: 24, as: UInt64.self)
        }
        return bytes
    }

    /// `TTPRES`, a zero and the version. Read in another byte order, it is no magic.
    private static let magic = Array("TTPRES\0\u{2}".utf8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<24]))
    }
}

extension PresenceHeader {
    /// The next table after one that fills up.
    enum Growth: Equatable {
        /// The table has room.
        case none
        /// Most slots belong to entries, so all are copied.
        case copy(bucketCount: Int)
        /// Most slots belong to entries that were removed, so the entries are looked up on the disk.
        case refill(bucketCount: Int)
    }

    /// Decides on the next table.
    ///
    /// - Parameters:
    ///   - occupied: The number of occupied slots.
    ///   - slots: The number of slots.
    ///   - entries: The number of entries.
    static func growth(occupied: Int, slots: Int, entries: Int) -> Growth {
        // Up to this load, a fingerprint practically always finds a free slot in one of its two buckets.
        guard occupied > slots / 8 * 5, slots < maximumBucketCount * PresenceSlots.bucketSize else { return .none }
        let hasManyEntries = entries > occupied / 2
        let bucketCount = bucketCount(for: hasManyEntries ? max(entries, occupied) : entries)
        return hasManyEntries ? .copy(bucketCount: bucketCount) : .refill(bucketCount: bucketCount)
    }

    /// Returns the number of buckets of a table that is filled faster than the bookkeeping can tell how many entries
    /// there are, or `nil` while there is time. Few buckets fill up by chance below this load.
    static func urgentGrowth(occupied: Int, slots: Int) -> Int? {
        let bucketCount = slots / PresenceSlots.bucketSize
        return occupied > slots / 16 * 11 && bucketCount < maximumBucketCount
            ? min(4 * bucketCount, maximumBucketCount) : nil
    }

    /// The number of buckets that `entries` entries fill to a quarter at most.
    static func bucketCount(for entries: Int) -> Int {
        let limit = maximumBucketCount * PresenceSlots.bucketSize / 4
        let needed = max(2, (4 * min(entries, limit) + PresenceSlots.bucketSize - 1) / PresenceSlots.bucketSize)
        return max(minimumBucketCount, 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount))
    }
}
