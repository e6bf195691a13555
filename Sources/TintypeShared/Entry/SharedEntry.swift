import Foundation
import TintypeCore

/// An entry as a value in a shared store, with the key and a checksum, so that a reader can verify it.
///
/// A value is `fixed part · source · rendition · format · metadata · extended data · payload`. Integers are
/// little-endian; times are in microseconds since 1970. The fixed part:
///
/// | offset | bytes | content |
/// | ---: | ---: | --- |
/// | 0 | 8 | `TINTYPES` |
/// | 8 | 4 | version, 1 |
/// | 12 | 4 | length of the key's source, in bytes |
/// | 16 | 4 | length of the key's rendition |
/// | 20 | 4 | length of the format's name |
/// | 24 | 4 | length of the metadata |
/// | 28 | 4 | length of the extended data |
/// | 32 | 8 | length of the payload |
/// | 40 | 8 | when the bytes were received from their source |
/// | 48 | 8 | when the entry was stored |
/// | 56 | 8 | when the entry expires; 0 is never |
/// | 64 | 8 | when the store should have forgotten the value; 0 is never |
/// | 72 | 8 | checksum of everything after the fixed part |
/// | 80 | 8 | checksum of the first 80 bytes |
struct SharedEntry: Sendable {
    var key: CacheKey
    var entry: CacheEntry
    /// When the entry was stored.
    var stored: Date
    /// When the store should have forgotten the value. A store may keep values longer, such as a bucket that deletes
    /// old objects once a day; readers do not use them.
    var endOfLife: Date?

    /// Whether a reader must not use the entry any more.
    func isExpired(at now: Date) -> Bool { earliestEnd.map { $0 <= now } ?? false }

    private var earliestEnd: Date? { .earlier(entry.expires, endOfLife) }

    /// The length of the fixed part, in bytes.
    static let fixedLength = 88
    /// The maximum length of the key's parts, the metadata and the extended data, in bytes each.
    static let maximumPartLength = 1 << 20
    static let version: UInt32 = 1
    private static let magic = Array("TINTYPES".utf8)
}

// MARK: - Writing

extension SharedEntry {
    /// The number of bytes of the value of an entry.
    static func encodedLength(_ entry: CacheEntry, for key: CacheKey) -> Int {
        fixedLength + key.source.utf8.count + key.rendition.utf8.count + (entry.format?.rawValue.utf8.count ?? 0)
            + entry.metadata.count + entry.extended.count + entry.data.count
    }

    /// The value; `nil` if a part is longer than ``maximumPartLength``.
    var encoded: Data? {
        let parts = [
            Data(key.source.utf8), Data(key.rendition.utf8), Data((entry.format?.rawValue ?? "").utf8), entry.metadata,
            entry.extended,
        ]
        guard parts.allSatisfy({ $0.count <= Self.maximumPartLength }) else { return nil }
        var value = Data(capacity: Self.encodedLength(entry, for: key))
        value.append(contentsOf: Self.magic)
        value.append(integer: Self.version)
        for part in parts { value.append(integer: UInt32(part.count)) }
        value.append(integer: UInt64(entry.data.count))
        for time in [entry.created, stored, entry.expires, endOfLife] { value.append(integer: Self.microseconds(time)) }
        // Filled in below, when the parts can be read.
        value.append(Data(count: Self.fixedLength - value.count))
        for part in parts { value.append(part) }
        value.append(entry.data)
        value.withUnsafeMutableBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[Self.fixedLength...])
            bytes.storeBytes(of: EntryChecksum.of(rest).littleEndian, toByteOffset: 72, as: UInt64.self)
            let fixed = UnsafeRawBufferPointer(rebasing: bytes[..<80])
            bytes.storeBytes(of: EntryChecksum.of(fixed).littleEndian, toByteOffset: 80, as: UInt64.self)
        }
        return value
    }

    /// 0 means never, so a time of 0 is stored as 1 microsecond.
    private static func microseconds(_ date: Date?) -> Int64 {
        guard let date else { return 0 }
        let exact = date.timeIntervalSince1970 * 1_000_000
        let clamped = Int64(exactly: exact.rounded()) ?? (exact < 0 ? .min : .max)
        return clamped == 0 ? 1 : clamped
    }
}

// MARK: - Reading

extension SharedEntry {
    /// Reads and verifies a value. `nil` for anything but a complete, undamaged entry of a key.
    ///
    /// The payload shares the memory of the value.
    init?(decoding value: Data, for key: CacheKey) {
        guard let head = value.withUnsafeBytes(Head.init) else { return nil }
        var rest = value.dropFirst(Self.fixedLength)
        func take(_ count: Int) -> Data {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        let (source, rendition) = (take(head.parts[0]), take(head.parts[1]))
        guard source.elementsEqual(key.source.utf8), rendition.elementsEqual(key.rendition.utf8) else { return nil }
        self.key = key
        let format = String(decoding: take(head.parts[2]), as: UTF8.self)
        // Copied, because they may live longer than the payload and must not keep it in memory.
        let (metadata, extended) = (Data(Array(take(head.parts[3]))), Data(Array(take(head.parts[4]))))
        entry = CacheEntry(
            data: rest, format: format.isEmpty ? nil : ImageFormat(rawValue: format), metadata: metadata,
            extended: extended, created: head.created ?? .distantPast, expires: head.expires)
        stored = head.stored ?? .distantPast
        endOfLife = head.endOfLife
    }

    /// The fixed part of a value that is complete and undamaged.
    private struct Head {
        /// The lengths of the source, rendition, format, metadata and extended data.
        let parts: [Int]
        let created: Date?
        let stored: Date?
        let expires: Date?
        let endOfLife: Date?

        init?(_ bytes: UnsafeRawBufferPointer) {
            func integer<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Value.Type) -> Value {
                Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
            }
            func date(_ offset: Int) -> Date? {
                let time = integer(offset, Int64.self)
                return time == 0 ? nil : Date(timeIntervalSince1970: Double(time) / 1_000_000)
            }
            guard bytes.count >= fixedLength, bytes.prefix(8).elementsEqual(magic), integer(8, UInt32.self) == version,
                integer(80, UInt64.self) == EntryChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<80]))
            else { return nil }
            parts = (0..<5).map { Int(integer(12 + 4 * $0, UInt32.self)) }
            let payload = integer(32, UInt64.self)
            guard parts.allSatisfy({ $0 <= maximumPartLength }),
                payload == UInt64(exactly: bytes.count - fixedLength - parts.reduce(0, +)),
                integer(72, UInt64.self)
                    == EntryChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[fixedLength...]))
            else { return nil }
            (created, stored, expires, endOfLife) = (date(40), date(48), date(56), date(64))
        }
    }
}

extension Data {
    fileprivate mutating func append(integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }
}
