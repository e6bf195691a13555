import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeShared

@Suite struct SharedEntryTests {
    private let key = CacheKey(source: "https://example.org/ä", rendition: "fit(1x1)")
    private let stored = Date(timeIntervalSince1970: 1_700_000_100)

    private func shared(_ entry: CacheEntry? = nil) -> SharedEntry {
        let entry =
            entry
            ?? CacheEntry(
                data: Data("payload".utf8), format: .png, metadata: Data("etag".utf8), extended: Data("mine".utf8),
                created: Date(timeIntervalSince1970: 1_700_000_000.25),
                expires: Date(timeIntervalSince1970: 1_800_000_000))
        return SharedEntry(
            key: key, entry: entry, stored: stored, endOfLife: Date(timeIntervalSince1970: 1_700_086_500))
    }

    private func value(_ entry: CacheEntry? = nil) throws -> Data { try #require(shared(entry).encoded) }

    @Test func anEntryRoundTrips() throws {
        let read = try #require(SharedEntry(decoding: try value(), for: key))
        let entry = read.entry
        #expect(entry.data == Data("payload".utf8) && entry.format == .png)
        #expect(entry.metadata == Data("etag".utf8) && entry.extended == Data("mine".utf8))
        #expect(entry.created == Date(timeIntervalSince1970: 1_700_000_000.25))
        #expect(entry.expires == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(read.stored == stored && read.endOfLife == Date(timeIntervalSince1970: 1_700_086_500))
    }

    @Test func anEntryWithoutOptionalPartsRoundTrips() throws {
        let bare = SharedEntry(key: CacheKey(source: "a"), entry: CacheEntry(data: Data(), format: nil), stored: stored)
        let value = try #require(bare.encoded)
        let read = try #require(SharedEntry(decoding: value, for: CacheKey(source: "a")))
        #expect(read.entry.data.isEmpty && read.entry.format == nil && read.entry.expires == nil)
        #expect(read.endOfLife == nil && !read.isExpired(at: .distantFuture))
    }

    @Test func theLengthIsKnownBeforeEncoding() throws {
        let entry = shared().entry
        #expect(try value().count == SharedEntry.encodedLength(entry, for: key))
    }

    /// The layout in the documentation of `SharedEntry`, written out by hand.
    @Test func theFixedPartHasTheDocumentedLayout() throws {
        let bytes = [UInt8](try value())
        func integer(_ offset: Int, _ count: Int) -> UInt64 {
            bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        #expect(String(decoding: bytes[..<8], as: UTF8.self) == "TINTYPES" && integer(8, 4) == 1)
        let format = UInt64(ImageFormat.png.rawValue.utf8.count)
        #expect([12, 16, 20, 24, 28].map { integer($0, 4) } == [22, 8, format, 4, 4])
        #expect(integer(32, 8) == 7)
        #expect(integer(40, 8) == 1_700_000_000_250_000 && integer(48, 8) == 1_700_000_100_000_000)
        #expect(integer(56, 8) == 1_800_000_000_000_000 && integer(64, 8) == 1_700_086_500_000_000)
        #expect(String(decoding: bytes[88..<110], as: UTF8.self) == "https://example.org/ä")
    }

    @Test func everyFlippedBitIsDetected() throws {
        let value = try value()
        for index in value.indices {
            for bit in 0..<8 {
                var damaged = value
                damaged[index] ^= 1 << bit
                #expect(SharedEntry(decoding: damaged, for: key) == nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func everyCutAndEveryAdditionIsDetected() throws {
        let value = try value()
        for count in 0..<value.count {
            #expect(SharedEntry(decoding: value.prefix(count), for: key) == nil, "\(count) bytes")
            #expect(SharedEntry(decoding: value.suffix(count), for: key) == nil, "the last \(count) bytes")
        }
        #expect(SharedEntry(decoding: value + [0], for: key) == nil)
        #expect(SharedEntry(decoding: value + value, for: key) == nil)
    }

    @Test func theEntryOfAnotherKeyIsRefused() throws {
        let value = try value()
        let others = [
            CacheKey(source: "https://example.org/ö", rendition: "fit(1x1)"),
            CacheKey(source: "https://example.org/ä", rendition: "fit(2x2)"),
            CacheKey(source: "https://example.org/ä"), CacheKey(source: "https://example.org/äf", rendition: "it(1x1)"),
        ]
        for other in others { #expect(SharedEntry(decoding: value, for: other) == nil) }
    }

    /// Sets a length and corrects both checksums, as a hostile writer would.
    @Test(arguments: [12, 16, 20, 24, 28, 32]) func wrongLengthsWithCorrectChecksumsAreRefused(_ offset: Int) throws {
        for length: UInt64 in [0, 5, 23, 1 << 20, 1 << 20 + 1, UInt64(UInt32.max), .max] {
            var value = try value()
            value.withUnsafeMutableBytes { bytes in
                if offset == 32 {
                    bytes.storeBytes(of: length.littleEndian, toByteOffset: 32, as: UInt64.self)
                } else {
                    bytes.storeBytes(
                        of: UInt32(truncatingIfNeeded: length).littleEndian, toByteOffset: offset, as: UInt32.self)
                }
                let checksum = EntryChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<80]))
                bytes.storeBytes(of: checksum.littleEndian, toByteOffset: 80, as: UInt64.self)
            }
            #expect(SharedEntry(decoding: value, for: key) == nil, "length \(length)")
        }
    }

    @Test func aSliceOfALargerBufferIsRead() throws {
        let value = try value()
        let slice = (Data([1, 2, 3]) + value + Data([4])).dropFirst(3).dropLast()
        #expect(SharedEntry(decoding: slice, for: key)?.entry.data == Data("payload".utf8))
    }

    @Test func randomBytesAreRefused() {
        var random = SeededRandom(seed: 1)
        for count in 0..<300 {
            let bytes = Data("TINTYPES".utf8) + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(SharedEntry(decoding: bytes, for: key) == nil)
        }
    }

    @Test func anOverlongPartIsNotWritten() {
        let entry = CacheEntry(data: Data(), format: nil, metadata: Data(count: SharedEntry.maximumPartLength + 1))
        #expect(shared(entry).encoded == nil)
    }

    @Test func theEarlierOfBothEndsCounts() {
        let early = Date(timeIntervalSince1970: 100)
        let late = Date(timeIntervalSince1970: 200)
        let cases: [(expires: Date?, endOfLife: Date?, isExpired: Bool)] = [
            (nil, nil, false), (early, nil, true), (nil, early, true), (early, late, true), (late, early, true),
            (late, late, false), (late, nil, false), (nil, late, false),
        ]
        for row in cases {
            let entry = CacheEntry(data: Data(), format: nil, expires: row.expires)
            let shared = SharedEntry(key: key, entry: entry, stored: stored, endOfLife: row.endOfLife)
            #expect(shared.isExpired(at: Date(timeIntervalSince1970: 100)) == row.isExpired)
        }
    }

    @Test func extremeTimesSurvive() throws {
        for time in [
            Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1e300),
        ] {
            let entry = CacheEntry(data: Data(), format: nil, created: time, expires: time)
            let read = SharedEntry(decoding: try value(entry), for: key)
            #expect(read?.entry.expires != nil)
        }
    }
}
