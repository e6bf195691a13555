import Foundation
import TintypeCore

/// The file of one entry: its layout, and how it is read, verified and written.
///
/// A file is `fixed part · source · rendition · format · metadata · extended data · zeros · payload`. Integers are
/// little-endian. The zeros align the payload to a multiple of 64, or in version 3 to the offset 16,384. The fixed
/// part:
///
/// | offset | bytes | content |
/// | ---: | ---: | --- |
/// | 0 | 8 | `TINTYPE` and a zero |
/// | 8 | 4 | version: 2; 3 if the payload begins at offset 16,384, because it was written before its header |
/// | 12 | 4 | length of the key's source, in bytes |
/// | 16 | 4 | length of the key's rendition |
/// | 20 | 4 | length of the format's name |
/// | 24 | 4 | length of the metadata |
/// | 28 | 4 | length of the extended data |
/// | 32 | 8 | length of the payload |
/// | 40 | 8 | when the entry was created, in microseconds since 1970 |
/// | 48 | 8 | when the payload was stored, likewise |
/// | 56 | 8 | when anything of the entry was changed, likewise |
/// | 64 | 8 | when the entry expires, likewise; 0 is never |
/// | 72 | 8 | checksum of the payload |
/// | 80 | 8 | checksum of everything between the fixed part and the payload, seeded with the checksum of the first 80 bytes |
enum EntryFile {
    /// The result of reading a file.
    enum ReadResult<Bytes> {
        /// The header and bytes of a sound file, and its last recorded use, which is the file's access time.
        case file(EntryHeader, Bytes, accessed: DiskTime)
        /// There is no file.
        case absent
        /// A file that cannot be read at present.
        case unreadable
        /// A file that is not a complete, undamaged entry of this key.
        case damaged
    }

    /// Opens one file, reads it and verifies every byte. Touches no other file.
    ///
    /// - Parameter key: The key that the entry must have; `nil` accepts any key.
    static func read<Bytes: EntryBytes>(
        _ name: EntryName, in entries: EntriesHandle, for key: CacheKey?, as type: Bytes.Type = Data.self
    ) -> ReadResult<Bytes> {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return errno == ENOENT ? .absent : isForeign(errno) ? .damaged : .unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, entries.accepts(status),
            status.st_size >= EntryHeader.fixedLength, status.st_size <= EntryHeader.maximumFileLength
        else { return .damaged }
        guard let bytes = Bytes(descriptor, count: Int(status.st_size), mapsFrom: entries.mappingThreshold) else {
            return .unreadable
        }
        guard let header = bytes.withBytes({ verified($0, for: key) }) else { return .damaged }
        return .file(header, bytes, accessed: DiskTime(status.st_atim))
    }

    /// The result of reading a header.
    enum HeadResult {
        /// A sound header and the last recorded use.
        case sound(EntryHeader, accessed: DiskTime)
        /// There is no file.
        case absent
        /// A file that cannot be read at present.
        case unreadable
        case damaged
    }

    /// Reads and verifies the header only.
    static func readHead(_ name: EntryName, in entries: EntriesHandle) -> HeadResult {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return errno == ENOENT ? .absent : isForeign(errno) ? .damaged : .unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, entries.accepts(status) else { return .damaged }
        guard let start = Data(reading: descriptor, min(4096, Int(status.st_size))) else { return .unreadable }
        guard let lengths = start.withUnsafeBytes(EntryHeader.Lengths.init), lengths.file == status.st_size else {
            return .damaged
        }
        guard let head = lengths.head <= start.count ? start : Data(reading: descriptor, lengths.head) else {
            return .unreadable
        }
        guard let header = head.withUnsafeBytes({ EntryHeader(decoding: $0) }) else { return .damaged }
        return .sound(header, accessed: DiskTime(status.st_atim))
    }

    /// Whether a file could not be opened because it is a symbolic link or a socket, which a cache never creates.
    private static func isForeign(_ number: Int32) -> Bool { number == ELOOP || number == ENXIO }

    /// Returns the header of a complete file if the whole file is sound.
    static func verified(_ bytes: UnsafeRawBufferPointer, for key: CacheKey?) -> EntryHeader? {
        guard let lengths = EntryHeader.Lengths(bytes), lengths.file == bytes.count,
            let header = EntryHeader(decoding: bytes, lengths, for: key),
            Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[lengths.head...])) == header.payloadChecksum
        else { return nil }
        return header
    }
}

/// The header of an entry's file: everything about the entry except its payload. ``EntryFile`` describes its layout.
struct EntryHeader: Equatable {
    /// Where the payload begins. The raw value is the version of the file.
    enum PayloadPlace: UInt32 {
        /// At the first multiple of ``EntryHeader/alignment`` after the other parts.
        case afterHeader = 2
        /// At `SpillFile.bytesOffset`, because the payload was written before its header.
        case ofSpillFile = 3
    }

    /// The length of the fixed part, in bytes.
    static let fixedLength = 88
    /// The alignment of the payload in the file, in bytes. Mapped pixels can therefore be used in place.
    static let alignment = 64
    /// The maximum length of the key's parts and the metadata, in bytes. It bounds the memory that a damaged length can
    /// claim.
    static let maximumPartLength = 16 << 20
    /// The maximum length of a file, in bytes. No image comes near it; a larger length is damaged.
    static let maximumFileLength = 1 << 40

    var key: CacheKey
    var format: ImageFormat?
    var metadata: Data
    var extended: Data
    var payloadLength: Int
    var payloadChecksum: UInt64
    var payloadPlace = PayloadPlace.afterHeader
    var times: EntryTimes

    /// The length of the header, in bytes. The payload follows.
    var length: Int { Self.headLength(variable: variableLength, payloadPlace) }

    /// The length of the whole file, in bytes.
    var fileLength: Int { length + payloadLength }

    private var variableLength: Int {
        key.source.utf8.count + key.rendition.utf8.count + (format?.rawValue.utf8.count ?? 0) + metadata.count
            + extended.count
    }

    private static func headLength(variable: Int, _ place: PayloadPlace) -> Int {
        let length = (fixedLength + variable + alignment - 1) & ~(alignment - 1)
        return place == .ofSpillFile ? max(length, SpillFile.bytesOffset) : length
    }
}

// MARK: - Writing

extension EntryHeader {
    /// Creates the header of an entry.
    ///
    /// - Parameters:
    ///   - modified: When the payload was stored.
    ///   - changed: When any part of the entry was last stored.
    init(_ entry: CacheEntry, for key: CacheKey, modified: DiskTime, changed: DiskTime) {
        self.key = key
        format = entry.format
        metadata = entry.metadata
        extended = entry.extended
        payloadLength = entry.data.count
        // The checksum of a spill file is computed while the file is written or copied.
        payloadChecksum = entry.file == nil ? entry.data.withUnsafeBytes(Checksum.of) : 0
        times = EntryTimes(
            created: DiskTime(entry.created), modified: modified, changed: changed,
            expires: entry.expires.map { DiskTime($0) })
    }

    /// The bytes of the header.
    var encoded: [UInt8] { withEncoded { Array($0) } }

    /// Calls a closure with the bytes of the header, which are on the stack unless they are many.
    func withEncoded<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
            write(to: buffer)
            return body(UnsafeRawBufferPointer(buffer))
        }
    }

    private func write(to bytes: UnsafeMutableRawBufferPointer) {
        var end = Self.fixedLength
        func append(_ part: some Collection<UInt8>) -> UInt32 {
            UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyBytes(from: part)
            end += part.count
            return UInt32(part.count)
        }
        bytes.set(Self.magic, at: 0)
        bytes.set(payloadPlace.rawValue, at: 8)
        bytes.set(append(key.source.utf8), at: 12)
        bytes.set(append(key.rendition.utf8), at: 16)
        bytes.set(append((format?.rawValue ?? "").utf8), at: 20)
        bytes.set(append(metadata), at: 24)
        bytes.set(append(extended), at: 28)
        bytes.set(UInt64(payloadLength), at: 32)
        bytes.set(times.created.microseconds, at: 40)
        bytes.set(times.modified.microseconds, at: 48)
        bytes.set(times.changed.microseconds, at: 56)
        // 0 means never, so an expiry of 0 is stored as 1 microsecond.
        bytes.set(times.expires.map { $0.microseconds == 0 ? 1 : $0.microseconds } ?? 0, at: 64)
        bytes.set(payloadChecksum, at: 72)
        for index in end..<bytes.count { bytes[index] = 0 }
        bytes.set(Self.checksum(ofHead: UnsafeRawBufferPointer(bytes)), at: 80)
    }

    /// `TINTYPE` and a zero, as a little-endian number.
    private static let magic: UInt64 = 0x0045_5059_544E_4954

    private static func checksum(ofHead bytes: UnsafeRawBufferPointer) -> UInt64 {
        let fixed = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<80]))
        return Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[fixedLength...]), seed: fixed)
    }
}

// MARK: - Reading

extension EntryHeader {
    /// Reads and verifies a header. `nil` for anything but a complete, undamaged header of this version.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of a file, at least to the end of its header.
    ///   - expected: The key that the entry must have. Its strings are compared in place, which avoids allocating new
    ///     ones.
    init?(decoding bytes: UnsafeRawBufferPointer, for expected: CacheKey? = nil) {
        guard let lengths = Lengths(bytes) else { return nil }
        self.init(decoding: bytes, lengths, for: expected)
    }

    /// - Parameter lengths: The lengths that the fixed part states.
    fileprivate init?(
        decoding bytes: UnsafeRawBufferPointer, _ lengths: Lengths, for expected: CacheKey?
    ) {
        guard bytes.count >= lengths.head else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<lengths.head])
        guard Self.checksum(ofHead: head) == bytes.integer(at: 80, as: UInt64.self) else { return nil }
        var start = Self.fixedLength
        /// The next part.
        func part(_ start: inout Int, _ count: Int) -> UnsafeRawBufferPointer {
            defer { start += count }
            return UnsafeRawBufferPointer(rebasing: head[start..<start + count])
        }
        let source = part(&start, lengths.source)
        guard let key = Self.key(source, part(&start, lengths.rendition), expected) else { return nil }
        self.key = key
        let format = String(decoding: part(&start, lengths.format), as: UTF8.self)
        self.format = format.isEmpty ? nil : ImageFormat(rawValue: format)
        metadata = Data(part(&start, lengths.metadata))
        extended = Data(part(&start, lengths.extended))
        payloadLength = lengths.payload
        payloadChecksum = bytes.integer(at: 72, as: UInt64.self)
        payloadPlace = lengths.payloadPlace
        times = EntryTimes(decoding: bytes)
    }

    private static func key(
        _ source: UnsafeRawBufferPointer, _ rendition: UnsafeRawBufferPointer, _ expected: CacheKey?
    ) -> CacheKey? {
        guard let expected else {
            return CacheKey(
                source: String(decoding: source, as: UTF8.self), rendition: String(decoding: rendition, as: UTF8.self))
        }
        return source.equals(expected.source) && rendition.equals(expected.rendition) ? expected : nil
    }

    /// The lengths of the parts of a file, in bytes.
    struct Lengths: Equatable {
        var source: Int
        var rendition: Int
        var format: Int
        var metadata: Int
        var extended: Int
        var payload: Int
        var payloadPlace = PayloadPlace.afterHeader

        /// The length of the header, in bytes.
        var head: Int {
            EntryHeader.headLength(variable: source + rendition + format + metadata + extended, payloadPlace)
        }
        /// The length of the whole file, in bytes.
        var file: Int { head + payload }

        /// Whether no part and no file is longer than the format allows. A reader takes a longer one for damaged.
        var areWithinLimits: Bool {
            let limit = EntryHeader.maximumPartLength
            return source <= limit && rendition <= limit && format <= limit && metadata <= limit && extended <= limit
                && payload <= EntryHeader.maximumFileLength - head
        }

        /// The lengths of the parts of an entry.
        init(of entry: CacheEntry, for key: CacheKey) {
            source = key.source.utf8.count
            rendition = key.rendition.utf8.count
            format = entry.format?.rawValue.utf8.count ?? 0
            metadata = entry.metadata.count
            extended = entry.extended.count
            payload = entry.data.count
        }

        /// Reads the lengths in the fixed part of a file. They are within limits but not yet verified by the checksum.
        ///
        /// `nil` if the bytes are not the fixed part of a file of this version.
        init?(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count >= EntryHeader.fixedLength,
                bytes.integer(at: 0, as: UInt64.self) == magic,
                let payloadPlace = PayloadPlace(rawValue: bytes.integer(at: 8, as: UInt32.self))
            else { return nil }
            self.payloadPlace = payloadPlace
            source = Int(bytes.integer(at: 12, as: UInt32.self))
            rendition = Int(bytes.integer(at: 16, as: UInt32.self))
            format = Int(bytes.integer(at: 20, as: UInt32.self))
            metadata = Int(bytes.integer(at: 24, as: UInt32.self))
            extended = Int(bytes.integer(at: 28, as: UInt32.self))
            payload = Int(clamping: bytes.integer(at: 32, as: UInt64.self))
            guard areWithinLimits else { return nil }
        }
    }
}

extension EntryTimes {
    fileprivate init(decoding bytes: UnsafeRawBufferPointer) {
        func time(_ offset: Int) -> DiskTime { DiskTime(microseconds: bytes.integer(at: offset, as: Int64.self)) }
        let expires = time(64)
        self.init(
            created: time(40), modified: time(48), changed: time(56),
            expires: expires.microseconds == 0 ? nil : expires)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    fileprivate func equals(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.count == count else { return false }
            guard let ours = baseAddress, let theirs = utf8.baseAddress else { return true }
            return memcmp(ours, theirs, count) == 0
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func set<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }
}
