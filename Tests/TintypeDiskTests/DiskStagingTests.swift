import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

@Suite struct EntryAgeTests {
    @Test func anEntryWithoutLimitsNeverExpires() {
        let now = DiskTime(Date(timeIntervalSince1970: 1_700_000_000))
        let times = EntryTimes(created: now, modified: now, changed: now)
        let later = DiskTime(Date(timeIntervalSince1970: 1_800_000_000))
        for expiry in DiskLimits.Expiry.allCases {
            #expect(!DiskLimits(age: nil, expiry: expiry).isExpired(times, accessed: now, at: later))
            #expect(DiskLimits(age: .seconds(60), expiry: expiry).isExpired(times, accessed: now, at: later))
        }
    }
}

@Suite struct StagingBudgetTests {
    private typealias Cost = StagingBudget.Cost

    @Test func memoryIsBounded() {
        var budget = StagingBudget(memory: 100)
        let (first, second) = (budget.admit(Cost(memory: 60)), budget.admit(Cost(memory: 41)))
        // The refused cost is not charged.
        let rest = budget.admit(Cost(memory: 40))
        #expect(first && !second && rest)
        budget.release(Cost(memory: 60))
        let (third, fourth) = (budget.admit(Cost(memory: 60)), budget.admit(Cost(memory: 1)))
        #expect(third && !fourth)
    }

    @Test func theNumberOfFilesIsBounded() {
        var budget = StagingBudget(memory: 100, onDisk: 1_000, files: 2)
        let entered = (0..<3).map { _ in budget.admit(Cost(memory: 1, onDisk: 1, files: 1)) }
        #expect(entered == [true, true, false])
        budget.release(Cost(memory: 1, onDisk: 1, files: 1))
        let again = budget.admit(Cost(memory: 1, onDisk: 1, files: 1))
        #expect(again)
    }

    @Test func theBytesOfAReleasedFileMakeRoom() {
        var budget = StagingBudget(memory: 100, onDisk: 1_000, files: 9)
        let costs = [600, 400].map { Cost(memory: 1, onDisk: $0, files: 1) }
        let entered = costs.map { budget.admit($0) }
        budget.release(costs[0])
        let again = budget.admit(costs[0])
        #expect(entered == [true, true] && again)
    }

    @Test func anEntryIsChargedForAllItsPartsAndItsKey() throws {
        var entry = CacheEntry(data: Data(count: 1000), format: nil)
        let key = CacheKey(source: "abc", rendition: "de")
        let plain = entry.stagingCost(for: key)
        #expect(plain.memory == 1000 + 3 + 2 + 512 && plain.onDisk == 0 && plain.files == 0)
        entry.metadata = Data(count: 20)
        entry.extended = Data(count: 7)
        #expect(entry.stagingCost(for: key).memory == plain.memory + 27)
        entry.file = try SpillFile(in: FileManager.default.temporaryDirectory.path(percentEncoded: false))
        #expect(entry.stagingCost(for: key).memory == plain.memory + 27 - 1000)
    }

    @Test func theBytesOfAFileAreNotChargedToMemory() throws {
        var entry = CacheEntry(data: Data(count: 100_000), format: nil)
        #expect(entry.stagingCost(for: CacheKey(source: "a")).memory >= 100_000)
        entry.file = try SpillFile(in: FileManager.default.temporaryDirectory.path(percentEncoded: false))
        let cost = entry.stagingCost(for: CacheKey(source: "a"))
        #expect(cost.memory < 100_000 && cost.onDisk == 100_000 && cost.files == 1)
    }

    @Test func theBytesOfFilesAreBoundedExceptForASingleFile() {
        var budget = StagingBudget(memory: 100, onDisk: 1_000, files: 9)
        let large = Cost(memory: 1, onDisk: 5_000, files: 1)
        let (alone, second) = (budget.admit(large), budget.admit(Cost(memory: 1, onDisk: 1, files: 1)))
        #expect(alone && !second)
        // Entries in memory are counted separately.
        let inMemory = budget.admit(Cost(memory: 50))
        #expect(inMemory)
        budget.release(large)
        let (first, third) = (
            budget.admit(Cost(memory: 1, onDisk: 600, files: 1)), budget.admit(Cost(memory: 1, onDisk: 401, files: 1))
        )
        #expect(first && !third)
    }
}

@Suite struct DiskStagingTests {
    private func entry(_ number: Int, count: Int = 8) -> CacheEntry {
        var data = withUnsafeBytes(of: number) { Data($0) }
        data.append(Data(count: count - data.count))
        return CacheEntry(data: data, format: nil)
    }

    private func number(_ entry: CacheEntry) -> Int { entry.data.withUnsafeBytes { $0.loadUnaligned(as: Int.self) } }

    /// The number of small entries, of a thousand, that a staging area accepts.
    private func acceptedCount(_ staging: DiskStaging) -> Int {
        var staging = staging
        return (0..<1_000).count { number in
            staging.add(entry(number), for: CacheKey(source: "\(number)"), modified: DiskTime(microseconds: 0)) != nil
        }
    }

    private func record(_ key: CacheKey) -> IndexRecord {
        let time = DiskTime(microseconds: 0)
        return IndexRecord(
            name: EntryName(key), size: 1, times: EntryTimes(created: time, modified: time, changed: time),
            accessed: time)
    }

    @Test func pendingEntriesAreBoundedHoweverSmallTheyAre() {
        #expect((1..<200).contains(acceptedCount(DiskStaging(StagingBudget(memory: 100_000)))))
    }

    @Test func pendingFilesAreBounded() throws {
        let file = try SpillFile(in: FileManager.default.temporaryDirectory.path(percentEncoded: false))
        var staging = DiskStaging(StagingBudget(memory: 1 << 20))
        let accepted = (0..<100).count { number in
            var entry = entry(number)
            entry.file = file
            return staging.add(entry, for: CacheKey(source: "\(number)"), modified: DiskTime(microseconds: 0)) != nil
        }
        #expect(accepted == 64)
    }

    @Test func aKeyStoredRepeatedlyIsWrittenOnce() {
        var staging = DiskStaging(StagingBudget(memory: 100_000))
        let key = CacheKey(source: "a")
        for number in 0..<10_000 { _ = staging.add(entry(number), for: key, modified: DiskTime(microseconds: 0)) }
        var (groups, entries) = (0, [CacheEntry]())
        while let next = staging.takeEntries(upTo: 1) {
            groups += 1
            for pending in next {
                entries.append(pending.entry)
                let mayStay = staging.finishWriting(pending, record(key))
                #expect(mayStay)
            }
        }
        #expect(entries.map(number) == [9_999] && groups < 200)
        // The replaced and the written entries have returned their costs.
        #expect(acceptedCount(staging) == acceptedCount(DiskStaging(StagingBudget(memory: 100_000))))
    }

    @Test func aReplacedEntryIsTakenOnce() {
        var staging = DiskStaging(StagingBudget(memory: 100_000))
        for number in 1...2 {
            _ = staging.add(entry(number), for: CacheKey(source: "a"), modified: DiskTime(microseconds: 0))
        }
        let taken = staging.takeEntries(upTo: 9)
        #expect(taken?.map { number($0.entry) } == [2])
    }

    @Test func aFailedWriteDoesNotDiscardANewerEntry() throws {
        var staging = DiskStaging(StagingBudget(memory: 100_000))
        let key = CacheKey(source: "a")
        _ = staging.add(entry(1), for: key, modified: DiskTime(microseconds: 0))
        let writing = try #require(staging.takeEntries(upTo: 9)?.first)
        _ = staging.add(entry(2), for: key, modified: DiskTime(microseconds: 0))
        staging.discardFailed(writing)
        #expect(staging.pendingEntry(for: key).map { number($0.entry) } == 2)
        let next = try #require(staging.takeEntries(upTo: 9)?.first)
        staging.discardFailed(next)
        #expect(staging.pendingEntry(for: key) == nil)
    }

    @Test func eachThreadIsStartedOnce() {
        var staging = DiskStaging(StagingBudget(memory: 100_000))
        let writing = (0..<2).map { number in
            staging.add(entry(number), for: CacheKey(source: "\(number)"), modified: DiskTime(microseconds: 0))
        }
        let recording = ["2", "3"].map { staging.recordRemoval(EntryName(CacheKey(source: $0))) }
        let rest = staging.start()
        #expect(writing == [.writing, []] && recording == [.recording, []] && rest == [])
    }

    @Test func aFullBatchOfUsesIsRecorded() {
        var staging = DiskStaging(StagingBudget(memory: 100_000))
        let started = (0..<256).map { number in
            staging.recordAccess(EntryName(CacheKey(source: "\(number)")), at: DiskTime(microseconds: 0))
        }
        #expect(started.firstIndex(of: .recording) == 255)
    }

    @Test func aFullBatchOfWrittenEntriesIsRecorded() {
        var staging = DiskStaging(StagingBudget(memory: 1 << 20))
        for number in 0..<256 {
            _ = staging.add(entry(number), for: CacheKey(source: "\(number)"), modified: DiskTime(microseconds: 0))
        }
        var started: [DiskStaging.Work] = []
        while let next = staging.takeEntries(upTo: 1) {
            for pending in next { _ = staging.finishWriting(pending, record(pending.key)) }
            started.append(staging.continueRecording(isAwaited: false))
        }
        #expect(started.firstIndex(of: .recording) == 255)
    }

    @Test func aRecordedChangeIsDoneWhileALaterOneIsBeingRecorded() {
        var staging = DiskStaging(StagingBudget(memory: 100_000))
        let names = ["a", "b", "c"].map { EntryName(CacheKey(source: $0)) }
        _ = staging.recordRemoval(names[0])
        _ = staging.takeBatch()
        _ = staging.recordRemoval(names[1])
        #expect(!staging.isDone(through: 1))
        _ = staging.takeBatch()
        #expect(staging.isDone(through: 1) && !staging.isDone(through: 2))
        let isFinished = staging.takeBatch() == nil
        #expect(isFinished && staging.isDone(through: 2))
        _ = staging.recordRemoval(names[2])
        _ = staging.takeBatch()
        #expect(staging.isDone(through: 2) && !staging.isDone(through: 3))
    }

    @Test func anEntryRemovedDuringItsWriteMayNotStay() throws {
        var staging = DiskStaging(StagingBudget(memory: 100_000))
        let key = CacheKey(source: "a")
        _ = staging.add(entry(1), for: key, modified: DiskTime(microseconds: 0))
        let writing = try #require(staging.takeEntries(upTo: 9)?.first)
        _ = staging.recordRemoval(key, EntryName(key))
        let mayStay = staging.finishWriting(writing, record(key))
        #expect(!mayStay)
    }

    /// Adds, writes and records in random order. Every change that is reported as done is done, and at the end all are.
    @Test func aChangeIsDoneOnlyWhenItIsWrittenAndRecorded() {
        var random = SeededRandom.printed("staging")
        for _ in 0..<200 {
            var model = Model()
            for _ in 0..<120 { model.step(&random) }
            model.runToTheEnd()
            #expect(model.staging.isIdle && model.staging.isDone(through: model.staging.lastNumber))
        }
    }

    /// A model of the writer and the recorder, one step at a time, and of the true state of every number.
    private struct Model {
        var staging = DiskStaging(StagingBudget(memory: 1 << 20))
        var (isWriting, isRecording) = (false, false)
        var group: [DiskStaging.PendingEntry] = []
        /// The number of the pending entry of each key.
        var unwritten: [CacheKey: Int] = [:]
        var unrecorded: Set<Int> = []
        var inBatch: Set<Int> = []
        let tests = DiskStagingTests()

        mutating func start(_ work: DiskStaging.Work?) {
            isWriting = isWriting || work?.contains(.writing) ?? false
            isRecording = isRecording || work?.contains(.recording) ?? false
        }

        mutating func step(_ random: inout SeededRandom) {
            let key = CacheKey(source: "\(Int.random(in: 0..<4, using: &random))")
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2:
                unwritten[key] = staging.lastNumber + 1
                let entry = tests.entry(staging.lastNumber + 1)
                start(staging.add(entry, for: key, modified: DiskTime(microseconds: 0)))
            case 3:
                unwritten[key] = nil
                start(staging.recordRemoval(key, EntryName(key)))
                unrecorded.insert(staging.lastNumber)
            case 4:
                start(staging.recordAccess(EntryName(key), at: DiskTime(microseconds: 1)))
                unrecorded.insert(staging.lastNumber)
            case 5: start(staging.start())
            case 6, 7: write()
            default: record()
            }
            check()
        }

        mutating func write() {
            guard isWriting else { return }
            guard let pending = group.popLast() else {
                if let next = staging.takeEntries(upTo: 2) { group = next } else { isWriting = false }
                return start(staging.continueRecording(isAwaited: true))
            }
            let number = tests.number(pending.entry)
            guard staging.finishWriting(pending, tests.record(pending.key)), unwritten[pending.key] == number else {
                return
            }
            unwritten[pending.key] = nil
            unrecorded.insert(number)
        }

        mutating func record() {
            guard isRecording else { return }
            inBatch = []
            guard staging.takeBatch() != nil else { return isRecording = false }
            (inBatch, unrecorded) = (unrecorded, [])
        }

        mutating func runToTheEnd() {
            repeat {
                start(staging.start())
                while isWriting { write() }
                start(staging.start())
                while isRecording { record() }
            } while !staging.isIdle
        }

        func check() {
            let open = ([Int](unwritten.values) + unrecorded + inBatch).min() ?? .max
            for number in 0...staging.lastNumber where staging.isDone(through: number) {
                #expect(number < open)
            }
        }
    }
}
