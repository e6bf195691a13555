import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

@Suite struct WaitingRoomTests {
    private typealias Load = WaitingRoom.Load

    @Test func bytesOfMemoryAreBounded() {
        var room = WaitingRoom(memory: 100)
        let (first, second) = (room.enter(Load(memory: 60)), room.enter(Load(memory: 41)))
        #expect(first && !second && room.load == Load(memory: 60))
        room.leave(Load(memory: 60))
        let third = room.enter(Load(memory: 41))
        #expect(third)
    }

    @Test func filesAreBoundedByNumber() {
        var room = WaitingRoom(memory: 100, onDisk: 1_000, files: 2)
        let entered = (0..<3).map { _ in room.enter(Load(memory: 1, onDisk: 1, files: 1)) }
        #expect(entered == [true, true, false])
        room.leave(Load(memory: 1, onDisk: 1, files: 1))
        let again = room.enter(Load(memory: 1, onDisk: 1, files: 1))
        #expect(again)
    }

    @Test func filesAreBoundedByBytesButForOneAlone() {
        var room = WaitingRoom(memory: 100, onDisk: 1_000, files: 9)
        let large = Load(memory: 1, onDisk: 5_000, files: 1)
        let (alone, beside) = (room.enter(large), room.enter(Load(memory: 1, onDisk: 1, files: 1)))
        #expect(alone && !beside)
        // What lies in memory is another matter.
        let inMemory = room.enter(Load(memory: 50))
        #expect(inMemory)
        room.leave(large)
        let (first, second) = (
            room.enter(Load(memory: 1, onDisk: 600, files: 1)), room.enter(Load(memory: 1, onDisk: 401, files: 1))
        )
        #expect(first && !second)
    }
}

@Suite struct DiskStagingTests {
    private func entry(_ number: Int, count: Int = 8) -> CacheEntry {
        var data = withUnsafeBytes(of: number) { Data($0) }
        data.append(Data(count: count - data.count))
        return CacheEntry(data: data, format: nil)
    }

    private func number(_ entry: CacheEntry) -> Int { entry.data.withUnsafeBytes { $0.loadUnaligned(as: Int.self) } }

    private func record(_ key: CacheKey) -> IndexRecord {
        let time = DiskTime(microseconds: 0)
        return IndexRecord(
            name: EntryName(key), size: 1, times: EntryTimes(created: time, modified: time, changed: time),
            accessed: time)
    }

    @Test func whatWaitsIsBoundedHoweverSmallItIs() {
        var staging = DiskStaging(WaitingRoom(memory: 100_000))
        let taken = (0..<1_000).count { number in
            staging.add(entry(number), for: CacheKey(source: "\(number)"), modified: DiskTime(microseconds: 0)) != nil
        }
        #expect((1..<200).contains(taken) && staging.room.load.memory <= 100_000)
    }

    @Test func filesThatWaitAreBounded() throws {
        let file = try SpillFile(in: FileManager.default.temporaryDirectory.path(percentEncoded: false))
        var staging = DiskStaging(WaitingRoom(memory: 1 << 20))
        let taken = (0..<100).count { number in
            var entry = entry(number)
            entry.file = file
            return staging.add(entry, for: CacheKey(source: "\(number)"), modified: DiskTime(microseconds: 0)) != nil
        }
        #expect(taken == 64 && staging.room.load.files == 64)
    }

    @Test func aKeyThatIsStoredAgainAndAgainTakesOnePlace() {
        var staging = DiskStaging(WaitingRoom(memory: 100_000))
        let key = CacheKey(source: "a")
        for number in 0..<10_000 { _ = staging.add(entry(number), for: key, modified: DiskTime(microseconds: 0)) }
        var (handfuls, entries) = (0, [CacheEntry]())
        while let next = staging.nextEntries(1) {
            handfuls += 1
            for waiting in next {
                entries.append(waiting.entry)
                let mayStay = staging.written(waiting, record(key))
                #expect(mayStay)
            }
        }
        #expect(entries.map(number) == [9_999] && handfuls < 200 && staging.room.load == WaitingRoom.Load())
    }

    @Test func whatWasRemovedWhileItWasWrittenMayNotStay() throws {
        var staging = DiskStaging(WaitingRoom(memory: 100_000))
        let key = CacheKey(source: "a")
        _ = staging.add(entry(1), for: key, modified: DiskTime(microseconds: 0))
        let writing = try #require(staging.nextEntries(9)?.first)
        _ = staging.recordRemoval(key, EntryName(key))
        let mayStay = staging.written(writing, record(key))
        #expect(!mayStay)
    }

    /// Whatever comes in, is written and is recorded in between: what is called done is done, and everything is in the end.
    @Test func doneIsWhatIsWrittenAndRecorded() {
        var random = SeededRandom.printed("staging")
        for _ in 0..<200 {
            var model = Model()
            for _ in 0..<120 { model.step(&random) }
            model.runToTheEnd()
            #expect(model.staging.isIdle && model.staging.isDone(through: model.staging.lastNumber))
        }
    }

    /// The writer and the recorder as they are, one step at a time, and what is true of each number.
    private struct Model {
        var staging = DiskStaging(WaitingRoom(memory: 1 << 20))
        var (isWriting, isRecording) = (false, false)
        var hand: [DiskStaging.Waiting] = []
        /// By key, the number of the entry that waits.
        var unwritten: [CacheKey: Int] = [:]
        var unrecorded: Set<Int> = []
        var inBatch: Set<Int> = []
        let tests = DiskStagingTests()

        mutating func take(_ work: DiskStaging.Work?) {
            isWriting = isWriting || work?.contains(.writing) ?? false
            isRecording = isRecording || work?.contains(.recording) ?? false
        }

        mutating func step(_ random: inout SeededRandom) {
            let key = CacheKey(source: "\(Int.random(in: 0..<4, using: &random))")
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2:
                unwritten[key] = staging.lastNumber + 1
                let entry = tests.entry(staging.lastNumber + 1)
                take(staging.add(entry, for: key, modified: DiskTime(microseconds: 0)))
            case 3:
                unwritten[key] = nil
                take(staging.recordRemoval(key, EntryName(key)))
                unrecorded.insert(staging.lastNumber)
            case 4:
                take(staging.recordAccess(EntryName(key), at: DiskTime(microseconds: 1)))
                unrecorded.insert(staging.lastNumber)
            case 5: take(staging.start())
            case 6, 7: write()
            default: record()
            }
            check()
        }

        mutating func write() {
            guard isWriting else { return }
            guard let waiting = hand.popLast() else {
                if let next = staging.nextEntries(2) { hand = next } else { isWriting = false }
                return take(staging.continueRecording(isAwaited: true))
            }
            let number = tests.number(waiting.entry)
            guard staging.written(waiting, tests.record(waiting.key)), unwritten[waiting.key] == number else { return }
            unwritten[waiting.key] = nil
            unrecorded.insert(number)
        }

        mutating func record() {
            guard isRecording else { return }
            inBatch = []
            guard staging.nextBatch() != nil else { return isRecording = false }
            (inBatch, unrecorded) = (unrecorded, [])
        }

        mutating func runToTheEnd() {
            repeat {
                take(staging.start())
                while isWriting { write() }
                take(staging.start())
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
