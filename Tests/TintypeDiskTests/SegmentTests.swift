import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// Small entries, which are stored in segments.
@Suite(.timeLimited) struct SegmentTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(_ limits: DiskLimits = DiskLimits()) -> DiskCache {
        CacheStorage.$current.withValue(.segments) {
            diskCache(directory: folder.url, limits: limits, time: clock.timeSource)
        }
    }

    private func entry(_ byte: UInt8, count: Int = 1000) -> CacheEntry {
        CacheEntry(data: Data(repeating: byte, count: count), format: .png, metadata: Data([byte]), created: clock.date)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(source: "\(number)") }

    /// Stores entries whose bytes are their numbers.
    private func fill(_ cache: DiskCache, _ numbers: Range<Int>, count: Int = 1000) async throws {
        for number in numbers { cache.store(entry(UInt8(number % 251), count: count), for: key(number)) }
        try await cache.flush()
    }

    private func found(_ cache: DiskCache, _ numbers: Range<Int>) -> Int {
        numbers.count { number in
            guard let entry = cache.entry(for: key(number)) else { return false }
            return entry.data.allSatisfy { $0 == UInt8(number % 251) } && !entry.data.isEmpty
        }
    }

    private func read(_ cache: DiskCache, _ number: Int) -> CacheEntry? { cache.entry(for: key(number)) }

    private var files: [String] { folder.files.filter { $0.contains("/entries/") } }
    private var segments: [String] { folder.files.filter { $0.contains("/segments/") } }

    // MARK: Places

    @Test(arguments: [(16 << 10, 0), (16 << 10 + 1, 1)])
    func entriesOfUpTo16KilobytesShareAFile(_ count: Int, _ fileCount: Int) async throws {
        let cache = cache()
        try await fill(cache, 0..<1, count: count)
        #expect(files.count == fileCount && segments.count == 1 - fileCount && found(cache, 0..<1) == 1)
        #expect(cache.path(for: key(0)) == (files + segments).first)
    }

    @Test func anEntryThatGrowsOrShrinksChangesItsPlace() async throws {
        let cache = cache()
        for count in [100, 20_000, 100, 20_000] {
            cache.store(entry(UInt8(count % 251), count: count), for: key(0))
            try await cache.flush()
            #expect(read(cache, 0)?.data.count == count && read(self.cache(), 0)?.data.count == count)
            #expect(try await cache.usage().count == 1)
            #expect(files.count == (count > 16 << 10 ? 1 : 0))
        }
        try await cache.remove(key(0))
        #expect(read(cache, 0) == nil && read(self.cache(), 0) == nil)
    }

    @Test func aNewVersionReplacesTheFormerOneForOtherProcesses() async throws {
        let (writer, reader) = (cache(), cache())
        try await fill(writer, 0..<50)
        #expect(found(reader, 0..<50) == 50)
        for number in 0..<50 { writer.store(entry(7), for: key(number)) }
        try await writer.flush()
        #expect((0..<50).allSatisfy { read(reader, $0)?.metadata == Data([7]) })
        #expect(try await reader.usage().count == 50)
        for number in 0..<50 { try await reader.remove(key(number)) }
        #expect((0..<50).allSatisfy { read(writer, $0) == nil })
        #expect(try await writer.usage() == DiskUsage())
    }

    @Test func aSecondWriterUsesASegmentOfItsOwnAndTheNextOneGoesOnWithIt() async throws {
        let first = cache()
        try await fill(first, 0..<10)
        do {
            let second = cache()
            try await fill(second, 10..<20)
            #expect(segments.count == 2)
        }
        let third = cache()
        try await fill(third, 20..<30)
        #expect(segments.count == 2 && found(first, 0..<30) == 30)
    }

    @Test func aFullSegmentIsFollowedByAnother() async throws {
        let cache = cache()
        try await fill(cache, 0..<SegmentLayout.slotCount + 1, count: 10)
        #expect(segments.count == 2 && found(self.cache(), 0..<1024) == 1024)
        try await fill(cache, 2000..<2600, count: 16 << 10)
        #expect(segments.count == 3 && found(self.cache(), 2000..<2600) == 600)
    }

    /// A table may be lost, and small entries are found without it.
    @Test func entriesAreFoundWhileTheTableIsMissingOrFilled() async throws {
        try await fill(cache(), 0..<300)
        for file in folder.files where file.hasSuffix("/presence") { try FileManager.default.removeItem(atPath: file) }
        let reader = cache()
        #expect(found(reader, 0..<300) == 300 && read(reader, 300) == nil)
        #expect(try await reader.contains(key(5)))
        #expect(try await !reader.contains(key(300)))
        try await reader.remove(key(0))
        #expect(read(reader, 0) == nil)
        try await fill(reader, 299..<301)
        #expect(found(reader, 1..<301) == 300)
        try await reader.waitForPresence()
        #expect(found(reader, 1..<301) == 300 && read(reader, 0) == nil)
        #expect(try await reader.usage().count == 300)
    }

    @Test func withoutATableEachEntryHasAFile() async throws {
        let cache = cache()
        try await fill(cache, 0..<1)
        // The job that fills the table opens it again.
        try await cache.waitForPresence()
        cache.state.withLock { $0.presence = nil }
        let table = try #require(folder.files.first { $0.hasSuffix("/presence") })
        try FileManager.default.removeItem(atPath: table)
        cache.store(entry(2), for: key(2))
        try await cache.flush()
        #expect(files.count == 1 && read(cache, 2) != nil)
    }

    /// The table is replaced several times, and segments follow each other.
    @Test func manyEntriesAreAllFound() async throws {
        let cache = cache(DiskLimits(byteCount: .max, age: nil))
        for start in stride(from: 0, to: 12_000, by: 500) {
            try await fill(cache, start..<start + 500)
            #expect(found(cache, 0..<start + 500) == start + 500)
        }
        #expect(found(self.cache(), 0..<12_000) == 12_000)
        #expect(try await cache.usage().count == 12_000)
    }

    // MARK: Damage

    @Test func everyByteChangeOfARecordIsAMiss() async throws {
        let cache = cache()
        // The bytes of the first record are ones.
        try await fill(cache, 1..<4, count: 40)
        let file = try FileHandle(forUpdating: URL(filePath: try #require(segments.first)))
        let slots = try #require(try file.read(upToCount: SegmentLayout.recordsOffset))
        let record = try #require(try file.readToEnd()).prefix(SegmentLayout.space(forRecord: 128 + 40))
        #expect(record.starts(with: Data("TINTYPE".utf8)))
        for offset in 0..<record.count where record[record.startIndex + offset] != 0 || offset < 100 {
            try file.seek(toOffset: UInt64(SegmentLayout.recordsOffset + offset))
            try file.write(contentsOf: Data([record[record.startIndex + offset] ^ 0x20]))
            #expect(read(cache, 1) == nil, "\(offset)")
            #expect(found(cache, 2..<4) == 2)
            // The slot lives again.
            try file.seek(toOffset: 0)
            try file.write(contentsOf: slots + record)
        }
        #expect(found(cache, 1..<4) == 3)
    }

    @Test func verifyRemovesDamagedRecordsOnly() async throws {
        let cache = cache()
        try await fill(cache, 0..<3)
        let file = try FileHandle(forUpdating: URL(filePath: try #require(segments.first)))
        try file.seek(toOffset: UInt64(SegmentLayout.recordsOffset + 300))
        try file.write(contentsOf: Data([99]))
        let result = try await cache.verify()
        #expect(result.sound.count == 2 && result.damaged == segments && result.unremovable.isEmpty)
        #expect(try await cache.usage() == result.sound && found(cache, 0..<3) == 2)
    }

    @Test(arguments: ["empty", "short", "rubbish", "folder", "link"])
    func whatIsNotASegmentIsAMiss(_ kind: String) async throws {
        try await fill(cache(), 0..<5)
        let path = "\(folder.path)/v2/segments/6b0000000001"
        switch kind {
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "link": #expect(symlink(segments[0], path) == 0)
        default:
            let length = ["empty": 0, "short": 100, "rubbish": SegmentLayout.fileLength][kind] ?? 0
            try Data(repeating: 7, count: length).write(to: URL(filePath: path))
        }
        let next = cache()
        #expect(found(next, 0..<5) == 5 && next.stats.problem == nil)
        try await fill(next, 5..<10)
        #expect(try await next.usage().count == 10 && found(next, 0..<10) == 10)
        let isFile = ["empty", "short", "rubbish"].contains(kind)
        #expect(try await next.verify().damaged.map { $0.hasSuffix("6b0000000001") } == (isFile ? [true] : []))
        var status = stat()
        #expect((lstat(path, &status) == 0) == !isFile)
    }

    /// A place that leads to another entry never gives that entry, and does not remove it.
    @Test func aWrongPlaceIsAMiss() async throws {
        let cache = cache()
        try await fill(cache, 0..<2)
        try await cache.waitForPresence()
        let table = try #require(cache.state.withLock { $0.presence })
        let other = try #require(cache.probe(key(1)).slot)
        table.insert(key(0), .at(.slot(other)))
        #expect(read(cache, 0) == nil && found(cache, 1..<2) == 1 && cache.stats.damaged == 0)
        table.insert(key(0), .at(.slot(other)))
        try await cache.remove(key(0))
        #expect(found(cache, 1..<2) == 1)
        table.insert(key(0), .at(.slot(SegmentPlace(SegmentNumber(77), 9))))
        #expect(read(cache, 0) == nil)
        try await fill(cache, 0..<1)
        #expect(found(cache, 0..<2) == 2)
    }

    // MARK: Space

    @Test func theSpaceOfRemovedEntriesIsRegained() async throws {
        let cache = cache(DiskLimits(byteCount: 4 << 20))
        for round in 0..<8 {
            try await fill(cache, round * 300..<(round + 1) * 300, count: 10_000)
            try await cache.waitForPresence()
            clock.advance(by: .seconds(1))
        }
        // Each batch copies one segment at most.
        for number in 2400..<2403 {
            try await cache.waitForPresence()
            try await fill(cache, number..<number + 1, count: 10_000)
        }
        let usage = try await cache.usage()
        #expect(usage.byteCount <= 4 << 20 && usage.count > 350)
        // All entries are in at most three segments: the limit, a third of it, and the one that is written.
        #expect(segments.count <= 3)
        #expect(found(cache, 0..<2403) == usage.count && found(cache, 2100..<2403) == 303)
    }

    @Test func compactionKeepsEntriesAndTheirUses() async throws {
        let cache = cache()
        try await fill(cache, 0..<400, count: 10_000)
        // Without a complete table, nothing is copied.
        try await cache.waitForPresence()
        clock.advance(by: .seconds(100))
        #expect(found(cache, 10..<11) == 1)
        let used = clock.date
        clock.advance(by: .seconds(100))
        for number in 0..<400 where number % 4 != 2 { try await cache.remove(key(number)) }
        let former = segments
        try await fill(cache, 1000..<1001)
        try await cache.flush()
        #expect(!segments.contains { former.contains($0) } && cache.stats.damaged == 0)
        let facts = Shared<[DiskEntryFacts]>([])
        try await cache.forEachEntry { entry in facts.withLock { $0.append(entry) } }
        #expect(found(cache, 0..<400) == 100 && found(self.cache(), 0..<400) == 100)
        #expect(facts.now.first { $0.key == key(10) }?.accessed == used)
        #expect(facts.now.count == 101 && facts.now.map(\.accessed) == facts.now.map(\.accessed).sorted(by: >))
    }

    @Test func anotherProcessFindsWhatWasMoved() async throws {
        let (writer, reader) = (cache(), cache())
        try await fill(writer, 0..<400, count: 10_000)
        try await writer.waitForPresence()
        #expect(found(reader, 0..<400) == 400)
        for number in 0..<400 where number % 2 == 0 { try await writer.remove(key(number)) }
        try await fill(writer, 1000..<1001)
        #expect(segments.count == 1 && found(reader, 0..<400) == 200)
    }

    @Test func clearingLeavesNoSegment() async throws {
        let (first, second) = (cache(), cache())
        try await fill(first, 0..<20)
        try await fill(second, 20..<40)
        #expect(try await first.clear().count == 40)
        #expect(found(second, 0..<40) == 0 && segments.count == 1)
        try await fill(second, 40..<45)
        #expect(found(first, 40..<45) == 5)
        #expect(try await second.clear().count == 5)
        #expect(segments.isEmpty)
    }

    @Test func aRemovedFolderIsCreatedAgain() async throws {
        let cache = cache()
        try await fill(cache, 0..<5)
        try FileManager.default.removeItem(atPath: "\(folder.path)/v2/segments")
        try await fill(cache, 5..<10)
        #expect(found(self.cache(), 0..<10) == 5 && cache.stats.problem == nil)
    }

    // MARK: Stopped writers

    /// Appends a record as a writer does that is stopped before its key is inserted.
    private func appendWithoutInserting(_ byte: UInt8, for key: CacheKey, after seconds: Double = 9) throws {
        let lock = try WriterLock(cache().layout)
        let entry = entry(byte)
        let changed = DiskTime(clock.date.addingTimeInterval(seconds))
        let header = EntryHeader(entry, for: key, modified: changed, changed: changed)
        var appended: SegmentPlace?
        try lock.folders.segments.append(
            header, entry.data, as: EntryName(key), accessed: changed, lock.folders.temporary,
            insert: { appended = $0 }, recover: { _, _ in })
        // The mark that a writer leaves.
        let place = try #require(appended)
        let file = try FileHandle(forUpdating: URL(filePath: lock.folders.segments.path(of: place.segment)))
        try file.seek(toOffset: UInt64(SegmentLayout.unfinishedOffset))
        try file.write(contentsOf: withUnsafeBytes(of: UInt64(place.slot + 1)) { Data($0) })
    }

    @Test(arguments: [false, true])
    func theLastChangeOfAStoppedWriterIsCompleted(byTheNextWrite: Bool) async throws {
        try await fill(cache(), 0..<3)
        try appendWithoutInserting(9, for: key(1))
        let cache = cache()
        #expect(read(cache, 1)?.metadata == Data([1]))
        if byTheNextWrite { try await fill(cache, 3..<4) } else { try cache.recoverSegments() }
        #expect(read(cache, 1)?.metadata == Data([9]) && read(self.cache(), 1)?.metadata == Data([9]))
        #expect(try await cache.usage().count == (byTheNextWrite ? 4 : 3))
        try await cache.remove(key(1))
        #expect(read(cache, 1) == nil && cache.currentSegments()?.place(of: EntryName(key(1))) == nil)
    }

    /// It was stopped after the insertion, before the former record was removed.
    @Test func theFormerRecordOfAStoppedWriterIsRemoved() async throws {
        try await fill(cache(), 0..<3)
        try appendWithoutInserting(9, for: key(1))
        let next = cache()
        let place = try #require(next.currentSegments()?.place(of: EntryName(key(1))))
        next.insertKey(key(1), .at(.slot(place)))
        try next.recoverSegments()
        let count = try await next.usage().count
        #expect(count == 3)
        #expect(read(next, 1)?.metadata == Data([9]))
    }

    @Test func aRecordThatWasNotFinishedIsOverwritten() async throws {
        let writer = cache()
        try await fill(writer, 0..<3)
        let path = try #require(segments.first)
        let before = try Data(contentsOf: URL(filePath: path))
        try await fill(writer, 3..<4)
        // As if the writer had been stopped before the slot was in use.
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.write(contentsOf: before.prefix(128))
        let next = cache()
        #expect(found(next, 0..<4) == 3)
        try await fill(next, 4..<5)
        #expect(found(next, 0..<5) == 4 && read(next, 3) == nil)
    }

    // MARK: Tables that lack keys

    /// A record that the table does not lead to yet must not come back after the entry was stored again and removed.
    @Test func aRemovedEntryStaysRemovedWhileTheTableLacksKeys() async throws {
        try await fill(cache(), 0..<20)
        for file in folder.files where file.hasSuffix("/presence") { try FileManager.default.removeItem(atPath: file) }
        let cache = cache()
        // No job fills the table.
        cache.state.withLock { $0.isFillingPresence = true }
        try await fill(cache, 0..<3)
        cache.store(entry(5, count: 20_000), for: key(3))
        try await cache.flush()
        for number in 0..<4 { try await cache.remove(key(number)) }
        #expect((0..<4).allSatisfy { read(cache, $0) == nil && read(self.cache(), $0) == nil })
        cache.state.withLock { $0.isFillingPresence = false }
        try await fill(cache, 30..<31)
        try await cache.waitForPresence()
        #expect((0..<4).allSatisfy { read(cache, $0) == nil } && found(cache, 4..<20) == 16)
    }

    // MARK: Foreign and damaged segments

    @Test func anInheritedDirectoryIsReadWithoutMapping() async throws {
        try await fill(cache(), 0..<5)
        let own = folder.url.appending(path: "own")
        let cache = diskCache(directory: own, inherited: [.tintype(folder.url)], time: clock.timeSource)
        #expect(found(cache, 0..<6) == 5)
        #expect(try await cache.contains(key(4)))
        #expect(try await !cache.contains(key(5)))
        // The owner may truncate them.
        #expect(truncate(try #require(segments.first), 70_000) == 0)
        #expect(found(cache, 0..<5) < 5)
        #expect(truncate(try #require(segments.first), 100) == 0)
        #expect(found(cache, 0..<5) == 0)
    }

    /// Counters and slots of a segment may have any value: entries are never wrong, and the cache goes on.
    @Test func damagedWordsCostEntriesOnly() async throws {
        let writer = cache()
        try await fill(writer, 0..<50)
        let intact = try Data(contentsOf: URL(filePath: try #require(segments.first)))
        var random = SeededRandom.printed("segments")
        for round in 0..<60 {
            var bytes = intact
            for _ in 0..<3 {
                let offset =
                    Bool.random(using: &random)
                    ? Int.random(in: 64..<104, using: &random) & ~7
                    : Int.random(in: 128..<128 + 50 * 64, using: &random)
                bytes[offset] = UInt8.random(in: 0...255, using: &random)
            }
            let url = folder.url.appending(path: "\(round)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try FileManager.default.copyItem(at: folder.url.appending(path: "v2"), to: url.appending(path: "v2"))
            let name = (try #require(segments.first) as NSString).lastPathComponent
            try bytes.write(to: url.appending(path: "v2/segments/\(name)"))
            let cache = CacheStorage.$current.withValue(.segments) { diskCache(directory: url, time: clock.timeSource) }
            #expect(found(cache, 0..<50) <= 50 && cache.stats.problem == nil)
            try await fill(cache, 100..<140)
            #expect(found(cache, 100..<140) == 40)
            _ = try await cache.verify()
            #expect(found(cache, 100..<140) == 40)
            _ = try await cache.clear()
            #expect(found(cache, 0..<140) == 0)
        }
    }

    @Test func aSegmentWithHolesIsNotWritten() async throws {
        try await fill(cache(), 0..<5)
        let path = try #require(segments.first)
        let bytes = try Data(contentsOf: URL(filePath: path))
        // Restored with holes, as `cp --sparse` does.
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: 0)
        try file.truncate(atOffset: UInt64(bytes.count))
        for start in stride(from: 0, to: bytes.count, by: 4096) {
            let block = bytes[start..<min(start + 4096, bytes.count)]
            guard block.contains(where: { $0 != 0 }) else { continue }
            try file.seek(toOffset: UInt64(start))
            try file.write(contentsOf: block)
        }
        let cache = cache()
        #expect(found(cache, 0..<5) == 5)
        try await cache.remove(key(0))
        #expect(found(cache, 0..<5) == 4 && found(self.cache(), 0..<5) == 4)
        try await fill(cache, 5..<10)
        #expect(segments.count == 2 && found(cache, 0..<10) == 9)
        #expect(try await cache.usage().count == 9)
        #expect(try await cache.clear().count == 9)
        #expect(segments.isEmpty)
    }

    /// A wasteful segment that another process writes does not keep others from being compacted.
    @Test func aSegmentThatIsBeingWrittenIsNotCompacted() async throws {
        let (writer, idle) = (cache(), cache())
        try await fill(writer, 0..<800, count: 10_000)
        try await fill(idle, 1000..<1400, count: 10_000)
        try await writer.waitForPresence()
        // The busy one is the most wasteful.
        for number in 0..<300 { try await writer.remove(key(number)) }
        for number in 1000..<1390 { try await writer.remove(key(number)) }
        let (own, busy) = (writer.path(for: key(300)), writer.path(for: key(1390)))
        try await fill(writer, 2000..<2001)
        #expect(own != busy && segments.contains(busy) && !segments.contains(own))
        #expect(found(idle, 1390..<1400) == 10 && found(writer, 300..<800) == 500)
    }

    /// Two caches store, remove, read, compact and verify at once, and tables are replaced. Whatever is found is right,
    /// and at the end each entry is counted once.
    @Test(arguments: [20, 600])
    func concurrentChangesLeaveOneRecordForEachEntry(_ keyCount: Int) async throws {
        let caches = (0..<2).map { _ in cache(DiskLimits(byteCount: 6 << 20)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, cache) in caches.enumerated() {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(index))
                    for round in 0..<30 {
                        for _ in 0..<40 {
                            let number = Int.random(in: 0..<keyCount, using: &random)
                            cache.store(entry(UInt8(number % 251), count: 9_000), for: key(number))
                        }
                        try await cache.remove(key(Int.random(in: 0..<keyCount, using: &random)))
                        if round % 10 == 9 { _ = try await cache.verify() }
                        #expect(found(cache, 0..<keyCount) > 0)
                        try await cache.flush()
                    }
                }
            }
            try await group.waitForAll()
        }
        for cache in caches { try await cache.flush() }
        let usage = try await caches[0].usage()
        #expect(found(caches[0], 0..<keyCount) == usage.count && found(caches[1], 0..<keyCount) == usage.count)
        #expect(try await caches[1].verify().sound == usage)
    }
}
