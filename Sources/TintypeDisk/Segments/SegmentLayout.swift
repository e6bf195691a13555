import Foundation

/// The layout of a segment: a file of many small entries. Numbers are in the byte order of the machine.
///
/// | offset | bytes | content |
/// | ---: | ---: | --- |
/// | 0 | 8 | `TTSEGM`, a zero and the version |
/// | 64 | 8 | number of slots in use |
/// | 72 | 8 | end of the last record, in bytes from the first one |
/// | 80 | 8 | number of dead records |
/// | 88 | 8 | size of the dead records, in bytes |
/// | 96 | 8 | the slot, counted from 1, whose key its writer is inserting into the table of presence; otherwise 0 |
/// | 128 | 64 each | 1,023 slots |
/// | 65,600 | | records |
///
/// A record is the bytes of an ``EntryFile``, at a multiple of 64. A slot describes one record, and neither its bytes
/// nor its place change while the file exists:
///
/// | offset | bytes | content |
/// | ---: | ---: | --- |
/// | 0 | 8 | state (bits 0 and 1), length of the record in bytes (bits 2 to 31), its offset divided by 64 (bits 32 to 63) |
/// | 8 | 32 | name of the entry: ``EntryName`` |
/// | 40 | 8 | last use, in microseconds since 1970 |
/// | 48 | 8 | when anything of the entry was changed, likewise |
/// | 56 | 8 | when the entry expires, likewise; the greatest number is never |
enum SegmentLayout {
    /// The number of slots.
    static let slotCount = 1023
    static let slotLength = 64
    /// The offset of the first slot, in bytes.
    static let slotsOffset = 128
    /// The offset of the first record, in bytes.
    static let recordsOffset = slotsOffset + slotCount * slotLength
    /// The maximum size of all records, in bytes.
    static let recordCapacity = 8 << 20
    /// The length of the file, in bytes. Its end is a hole until records are written.
    static let fileLength = recordsOffset + recordCapacity

    static let slotsInUseOffset = 64
    static let recordsEndOffset = 72
    static let deadCountOffset = 80
    static let deadSizeOffset = 88
    static let unfinishedOffset = 96

    /// Offsets in a slot, in bytes.
    static let nameOffset = 8
    static let accessOffset = 40
    static let changeOffset = 48
    static let expiryOffset = 56

    /// The alignment of records, in bytes.
    static let alignment = 64
    /// The maximum payload of an entry in a segment, in bytes. Larger ones have a file of their own.
    static let maximumPayload = 16 << 10
    /// The maximum length of a record, in bytes. It permits a header of 4 KB beside the largest payload.
    static let maximumRecord = maximumPayload + 4096

    /// `TTSEGM`, a zero and the version. Read in another byte order, it is no magic.
    static let magic = Array("TTSEGM\0\u{1}".utf8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }

    /// The space that a record takes, in bytes.
    static func space(forRecord length: Int) -> Int { (length + alignment - 1) & ~(alignment - 1) }

    /// The size that totals and limits count for a record: its space and its slot.
    static func allocatedSize(_ length: Int) -> Int { space(forRecord: length) + slotLength }

    /// Whether an entry belongs into a segment.
    static func holds(_ lengths: EntryHeader.Lengths) -> Bool {
        lengths.payload <= maximumPayload && lengths.file <= maximumRecord
    }
}

/// The first word of a slot.
struct SlotWord: Equatable, Sendable {
    let bits: UInt64

    enum State: UInt64 {
        case free
        case live
        case dead
    }

    init(bits: UInt64) {
        self.bits = bits
    }

    /// - Parameters:
    ///   - offset: The offset of the record, a multiple of 64.
    ///   - length: The length of the record, in bytes.
    init(_ state: State, offset: Int, length: Int) {
        bits = state.rawValue | UInt64(length) << 2 | UInt64(offset / SegmentLayout.alignment) << 32
    }

    var state: State { State(rawValue: bits & 3) ?? .dead }

    /// The same record in another state.
    func with(_ state: State) -> SlotWord { SlotWord(bits: bits & ~3 | state.rawValue) }

    /// Where the record is in the file, in bytes. `nil` if the word is damaged.
    var range: Range<Int>? {
        let (length, offset) = (Int(bits >> 2 & 0x3FFF_FFFF), Int(bits >> 32) * SegmentLayout.alignment)
        guard length >= EntryHeader.fixedLength, length <= SegmentLayout.maximumRecord,
            offset + length <= SegmentLayout.recordCapacity
        else { return nil }
        let start = SegmentLayout.recordsOffset + offset
        return start..<start + length
    }
}

/// Where the bytes of an entry are.
enum EntryPlace: Equatable, Sendable {
    /// In a file of its own.
    case file
    /// In a slot of a segment.
    case slot(SegmentPlace)

    /// A word of 0 means a file.
    init(word: UInt64) {
        self = word == 0 ? .file : .slot(SegmentPlace(word: word))
    }

    var word: UInt64 {
        switch self {
        case .file: 0
        case .slot(let place): place.word
        }
    }
}

/// A slot of a segment.
struct SegmentPlace: Hashable, Sendable {
    /// The number of the segment: not 0.
    let segment: SegmentNumber
    /// The number of the slot, from 0.
    let slot: Int

    init(_ segment: SegmentNumber, _ slot: Int) {
        (self.segment, self.slot) = (segment, slot)
    }

    init(word: UInt64) {
        self.init(SegmentNumber(word >> 16), Int(word & 0xFFFF))
    }

    var word: UInt64 { segment.value << 16 | UInt64(slot) }
}

/// The number of a segment, of 48 bits: the second in which it was created, and a random part. A number is therefore
/// not used again for another segment.
struct SegmentNumber: Hashable, Comparable, Sendable {
    let value: UInt64

    init(_ value: UInt64) {
        self.value = value & 0xFFFF_FFFF_FFFF
    }

    /// A new number.
    static func make() -> SegmentNumber {
        SegmentNumber(UInt64(UInt32(truncatingIfNeeded: time(nil))) << 16 | .random(in: 1...0xFFFF))
    }

    /// Reads a number from the name of a file. `nil` if no segment has such a name.
    init?(fileName: String) {
        guard fileName.utf8.count == 12, let value = UInt64(fileName, radix: 16), value != 0 else { return nil }
        self.init(value)
        guard self.fileName == fileName else { return nil }
    }

    /// Twelve hexadecimal digits.
    var fileName: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }

    static func < (left: SegmentNumber, right: SegmentNumber) -> Bool { left.value < right.value }
}
