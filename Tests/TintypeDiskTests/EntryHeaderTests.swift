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
