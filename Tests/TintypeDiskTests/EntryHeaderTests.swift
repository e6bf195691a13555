import Foundation
import Testing
import TintypeCore

@testable import TintypeDisk

@Suite struct EntryHeaderTests {
    private func header() -> EntryHeader {
        let entry = CacheEntry(
            data: Data("payload".utf8), format: .png, metadata: Data("etag".utf8), extended: Data("mine".utf8),
            created: Date(timeIntervalSince1970: 1_700_000_000.25), expires: Date(timeIntervalSince1970: 1_800_000_000))
        return EntryHeader(
            entry, for: CacheKey(source: "https://example.org/ä", rendition: "fit(1x1)"),
            modified: DiskTime(microseconds: 1), changed: DiskTime(microseconds: 2))
    }

    @Test func aHeaderRoundTrips() throws {
        let header = header()
        let read = try #require(header.encoded.withUnsafeBytes { EntryHeader(decoding: $0) })
        #expect(read == header)
        #expect(header.encoded.count == header.length)
    }

    @Test func aHeaderWithoutOptionalPartsRoundTrips() throws {
        let entry = CacheEntry(data: Data("payload".utf8), format: nil)
        let header = EntryHeader(
            entry, for: CacheKey(source: "a"), modified: DiskTime(microseconds: 1), changed: DiskTime(microseconds: 2))
        let read = try #require(header.encoded.withUnsafeBytes { EntryHeader(decoding: $0) })
        #expect(read == header && read.format == nil && read.times.expires == nil)
    }

    @Test func aHeaderBeforeThePayloadOfASpillFileRoundTrips() throws {
        var header = header()
        header.payloadPlace = .ofSpillFile
        let read = try #require(header.encoded.withUnsafeBytes { EntryHeader(decoding: $0) })
        #expect(read == header && header.encoded.count == SpillFile.bytesOffset)
        #expect(header.fileLength == SpillFile.bytesOffset + header.payloadLength)
        #expect(header.encoded.dropLast().withUnsafeBytes { EntryHeader(decoding: $0) } == nil)
    }

    @Test func anExpiryAtTheEpochIsNotNever() throws {
        var header = header()
        header.times.expires = DiskTime(microseconds: 0)
        let read = try #require(header.encoded.withUnsafeBytes { EntryHeader(decoding: $0) })
        #expect(read.times.expires == DiskTime(microseconds: 1))
    }

    @Test func theHeaderOfAnotherKeyIsRefused() {
        let header = header()
        let keys = [
            header.key, CacheKey(source: "https://example.org/ö", rendition: "fit(1x1)"),
            CacheKey(source: "https://example.org/ä", rendition: "fit(2x2)"),
            CacheKey(source: "https://example.org/ä", rendition: ""),
        ]
        let isRead = keys.map { key in header.encoded.withUnsafeBytes { EntryHeader(decoding: $0, for: key) } != nil }
        #expect(isRead == [true, false, false, false])
    }

    /// Changes a byte and corrects the checksum.
    @Test(arguments: [0, 8]) func anotherFormatOrVersionIsRefused(_ index: Int) {
        func read(_ change: UInt8) -> EntryHeader? {
            var bytes = header().encoded
            bytes[index] ^= change
            let fixed = bytes[..<80].withUnsafeBytes { Checksum.of($0) }
            let checksum: UInt64 = bytes[EntryHeader.fixedLength...].withUnsafeBytes { Checksum.of($0, seed: fixed) }
            withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(80..<88, with: $0) }
            return bytes.withUnsafeBytes { EntryHeader(decoding: $0) }
        }
        #expect(read(0) != nil && read(4) == nil)
    }

    /// The source, the rendition, the format, the metadata and the extended data have this limit each.
    @Test(arguments: [12, 16, 20, 24, 28]) func aPartIsAtMost16MB(_ index: Int) {
        func lengths(_ length: Int) -> EntryHeader.Lengths? {
            var bytes = header().encoded
            withUnsafeBytes(of: UInt32(length).littleEndian) { bytes.replaceSubrange(index..<index + 4, with: $0) }
            return bytes.withUnsafeBytes { EntryHeader.Lengths($0) }
        }
        #expect(lengths(EntryHeader.maximumPartLength) != nil && lengths(EntryHeader.maximumPartLength + 1) == nil)
    }

    @Test func theFileIsAtMost1TB() {
        let limit = EntryHeader.maximumFileLength - header().length
        func lengths(_ payload: Int) -> EntryHeader.Lengths? {
            var bytes = header().encoded
            withUnsafeBytes(of: UInt64(payload).littleEndian) { bytes.replaceSubrange(32..<40, with: $0) }
            return bytes.withUnsafeBytes { EntryHeader.Lengths($0) }
        }
        #expect(lengths(limit)?.file == 1 << 40)
        #expect(lengths(limit + 1) == nil && lengths(.max) == nil)
    }

    /// Whatever is written can be read: both are held to the same limits.
    @Test func theLengthsOfAnEntryAreThoseOfItsFile() {
        let header = header()
        let entry = CacheEntry(
            data: Data("payload".utf8), format: header.format, metadata: header.metadata, extended: header.extended)
        let lengths = EntryHeader.Lengths(of: entry, for: header.key)
        #expect(lengths == header.encoded.withUnsafeBytes { EntryHeader.Lengths($0) })
        #expect(lengths.head == header.length && lengths.file == header.fileLength)
    }

    @Test func anEntryWithAPartTooLongHasNoRoom() {
        let key = CacheKey(source: "a")
        func lengths(_ count: Int) -> EntryHeader.Lengths {
            let entry = CacheEntry(data: Data("payload".utf8), format: nil, metadata: Data(count: count))
            return EntryHeader.Lengths(of: entry, for: key)
        }
        #expect(lengths(EntryHeader.maximumPartLength).areWithinLimits)
        #expect(!lengths(EntryHeader.maximumPartLength + 1).areWithinLimits)
    }

    @Test func noSingleChangedByteIsAccepted() {
        let bytes = header().encoded
        for index in bytes.indices {
            for change in [UInt8(1), 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= change
                #expect(changed.withUnsafeBytes { EntryHeader(decoding: $0) } == nil)
            }
        }
    }

    @Test func noPrefixIsAccepted() {
        let bytes = header().encoded
        for count in 0..<bytes.count {
            #expect(Array(bytes.prefix(count)).withUnsafeBytes { EntryHeader(decoding: $0) } == nil)
        }
    }

    @Test func absurdLengthsAreRefused() {
        var bytes = header().encoded
        for index in 12..<40 { bytes[index] = 0xFF }
        #expect(bytes.withUnsafeBytes { EntryHeader(decoding: $0) } == nil)
    }

    /// Long inputs are hashed with other registers than short ones, and those that arrive in pieces with SSE2.
    @Test(arguments: [0, 1, 240, 241, 1023, 1024, 1025, 10_000, 1_000_003]) func checksumsDoNotDependOnTheCode(
        _ count: Int
    ) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        bytes.withUnsafeBytes { bytes in
            let running = RunningChecksum()
            running.didWrite(UnsafeRawBufferPointer(rebasing: bytes[..<(count / 3)]), at: 0)
            running.didWrite(UnsafeRawBufferPointer(rebasing: bytes[(count / 3)...]), at: count / 3)
            #expect(running.value(ofFirst: count) == Checksum.of(bytes))
            #expect(Checksum.of(bytes, seed: 0) == Checksum.of(bytes))
        }
    }

    @Test func aChecksumIsThatOfAllBytesOrNone() {
        let bytes = Array(0..<100 as Range<UInt8>)
        bytes.withUnsafeBytes { bytes in
            let running = RunningChecksum()
            running.didWrite(UnsafeRawBufferPointer(rebasing: bytes[..<50]), at: 0)
            // A gap, and bytes that were written again.
            running.didWrite(UnsafeRawBufferPointer(rebasing: bytes[60...]), at: 60)
            running.didWrite(UnsafeRawBufferPointer(rebasing: bytes[..<50]), at: 0)
            #expect(running.value(ofFirst: 50) == Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<50])))
            #expect(running.value(ofFirst: 100) == nil && running.value(ofFirst: 49) == nil)
        }
    }

    @Test func anOriginalIsNamedByTheSHA256OfItsURL() {
        // printf %s https://example.org/a.jpg | sha256sum
        let name = EntryName(CacheKey(source: "https://example.org/a.jpg"))
        let digits = "700caca5ae8f856fc70b39312664d5c97f25108545c8f774199da1edfcc4ac60"
        #expect(name.path == "70/0/\(digits)" && name.folder.path == "70/0")
        #expect(EntryName(bytes: name.bytes) == name)
    }

    @Test func aNameRoundTripsThroughItsDigits() throws {
        let name = EntryName(CacheKey(source: "a", rendition: "b"))
        let digits = String(name.path.suffix(64))
        #expect(EntryName(digits) == name)
        #expect(EntryName(String(digits.dropLast()) + "G") == nil && EntryName("") == nil)
    }

    @Test func renditionsHaveDistinctNames() {
        let names = [("a", ""), ("a", "b"), ("ab", ""), ("a", "c")]
            .map { EntryName(CacheKey(source: $0.0, rendition: $0.1)) }
        #expect(Set(names).count == names.count)
    }
}
