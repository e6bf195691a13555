import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeShared

@Suite struct WriteQueueTests {
    /// A queue that has room for `count` entries of 1000 bytes with keys of one letter.
    private func queue(_ count: Int, width: Int = 1) -> WriteQueue {
        WriteQueue(byteLimit: count * (1001 + WriteQueue.overhead), width: width)
    }

    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }

    private func entry(_ byte: UInt8 = 0) -> WriteQueue.Change {
        .store(CacheEntry(data: Data(repeating: byte, count: 1000), format: nil))
    }

    private func byte(_ change: WriteQueue.Change?) -> UInt8? {
        guard case .store(let entry)? = change else { return nil }
        return entry.data.first
    }

    private func isRemoval(_ change: WriteQueue.Change?) -> Bool {
        if case .remove? = change { true } else { false }
    }

    private func take(_ queue: inout WriteQueue) throws -> WriteQueue.Write {
        let write = queue.next()
        return try #require(write)
    }

    /// Takes all changes that wait, one after another, and returns their keys.
    private func drain(_ queue: inout WriteQueue) -> [String] {
        var keys: [String] = []
        while let write = queue.next() {
            keys.append(write.key.source)
            _ = queue.finish(write, .done)
        }
        return keys
    }

    @Test func changesAreMadeInOrder() {
        var queue = queue(10)
        for name in ["a", "b", "c"] { _ = queue.add(entry(), for: key(name)) }
        #expect(drain(&queue) == ["a", "b", "c"])
        #expect(queue.byteCount == 0 && queue.count == 0)
    }

    @Test func theOldestAreDroppedWhenTheBytesDoNotFit() {
        var queue = queue(2)
        #expect(queue.add(entry(), for: key("a")).dropped == 0)
        #expect(queue.add(entry(), for: key("b")).dropped == 0)
        #expect(queue.add(entry(), for: key("c")).dropped == 1)
        #expect(queue.change(for: key("a")) == nil && queue.change(for: key("c")) != nil)
        #expect(drain(&queue) == ["b", "c"])
    }

    @Test func anEntryThatNeverFitsIsDroppedAlone() {
        var queue = queue(2)
        _ = queue.add(entry(), for: key("a"))
        let large = WriteQueue.Change.store(CacheEntry(data: Data(count: 5000), format: nil))
        let addition = queue.add(large, for: key("b"))
        #expect(addition.number == nil && addition.dropped == 1 && !addition.startsWorker)
        #expect(drain(&queue) == ["a"])
    }

    @Test func whatIsBeingWrittenTakesRoomAndIsNotDropped() throws {
        var queue = queue(2)
        _ = queue.add(entry(), for: key("a"))
        let first = try take(&queue)
        _ = queue.add(entry(), for: key("b"))
        #expect(queue.add(entry(), for: key("c")).dropped == 1)
        #expect(queue.change(for: key("a")) != nil && queue.change(for: key("b")) == nil)
        _ = queue.finish(first, .done)
        #expect(drain(&queue) == ["c"])
    }

    @Test func aLaterChangeReplacesAnEarlierOne() {
        var queue = queue(10)
        _ = queue.add(entry(1), for: key("a"))
        _ = queue.add(entry(0), for: key("b"))
        _ = queue.add(entry(2), for: key("a"))
        #expect(byte(queue.change(for: key("a"))) == 2 && queue.count == 2)
        #expect(drain(&queue) == ["b", "a"])
        _ = queue.add(entry(1), for: key("a"))
        _ = queue.add(.remove, for: key("a"))
        #expect(isRemoval(queue.change(for: key("a"))) && queue.count == 1)
    }

    @Test func twoChangesOfAKeyAreNeverMadeAtOnce() throws {
        var queue = queue(10, width: 4)
        #expect(queue.add(entry(1), for: key("a")).startsWorker)
        let first = try take(&queue)
        #expect(queue.add(entry(2), for: key("a")).startsWorker)
        let next = queue.next()
        #expect(next == nil)
        #expect(byte(queue.change(for: key("a"))) == 2)
        _ = queue.finish(first, .done)
        let second = try take(&queue)
        #expect(byte(second.change) == 2)
    }

    @Test func noMoreThanTheGivenNumberOfWorkersStart() {
        var queue = queue(20, width: 4)
        let starts = (0..<10).map { queue.add(entry(), for: key("\($0)")).startsWorker }
        #expect(starts.count { $0 } == 4)
        while queue.next() != nil {}
        #expect(queue.add(entry(), for: key("a")).startsWorker)
    }

    @Test func urgentChangesAndRemovalsComeFirst() {
        var queue = queue(10)
        _ = queue.add(entry(), for: key("a"))
        _ = queue.add(.remove, for: key("b"))
        _ = queue.add(entry(), for: key("c"), isUrgent: true)
        #expect(drain(&queue) == ["c", "b", "a"])
    }

    @Test func failedStoresAreGivenUp() throws {
        for outcome in [WriteQueue.Outcome.failed, .skipped] {
            var queue = queue(10)
            _ = queue.add(entry(), for: key("a"))
            let lost = queue.finish(try take(&queue), outcome)
            #expect(lost == 1)
            #expect(queue.count == 0 && queue.byteCount == 0 && queue.change(for: key("a")) == nil)
        }
    }

    @Test func failedRemovalsAreTriedAgainWhenTheStoreAnswers() throws {
        var queue = queue(10)
        _ = queue.add(.remove, for: key("a"))
        let lost = queue.finish(try take(&queue), .skipped)
        #expect(lost == 0)
        let next = queue.next()
        #expect(next == nil)
        #expect(isRemoval(queue.change(for: key("a"))) && queue.isDone(through: queue.last))
        let startsWorker = queue.retryHeld()
        #expect(startsWorker)
        #expect(drain(&queue) == ["a"])
        #expect(queue.byteCount == 0 && queue.count == 0)
    }

    @Test func removalsThatTheStoreRefusesAreGivenUpAfterThreeAttempts() throws {
        var queue = queue(10)
        _ = queue.add(.remove, for: key("a"))
        for lost in [0, 0, 1] {
            let count = queue.finish(try take(&queue), .failed)
            #expect(count == lost)
            _ = queue.retryHeld()
        }
        #expect(queue.count == 0 && queue.byteCount == 0)
    }

    @Test func aNewerChangeReplacesAFailedRemoval() throws {
        var queue = queue(10)
        _ = queue.add(.remove, for: key("a"))
        let removal = try take(&queue)
        _ = queue.add(entry(3), for: key("a"))
        #expect(queue.finish(removal, .failed) == 0)
        #expect(byte(queue.change(for: key("a"))) == 3 && queue.count == 1)
    }

    /// What was removed must not come back because the entry that replaced it was lost.
    @Test func aRemovalIsDueAgainWhenTheStoreThatReplacedItIsLost() throws {
        var failed = queue(10)
        _ = failed.add(.remove, for: key("a"))
        _ = failed.add(entry(), for: key("a"))
        let store = try take(&failed)
        let lost = failed.finish(store, .failed)
        #expect(lost == 1 && isRemoval(failed.change(for: key("a"))))

        var dropped = queue(1)
        _ = dropped.add(.remove, for: key("a"))
        _ = dropped.add(entry(), for: key("a"))
        let addition = dropped.add(.store(CacheEntry(data: Data(count: 500), format: nil)), for: key("b"))
        #expect(addition.dropped == 1 && isRemoval(dropped.change(for: key("a"))))

        var cleared = queue(10)
        _ = cleared.add(.remove, for: key("a"))
        _ = cleared.add(entry(), for: key("a"))
        cleared.clear()
        #expect(isRemoval(cleared.change(for: key("a"))))

        var refused = queue(1)
        _ = refused.add(.remove, for: key("a"))
        _ = refused.add(.store(CacheEntry(data: Data(count: 5000), format: nil)), for: key("a"))
        #expect(isRemoval(refused.change(for: key("a"))))
    }

    @Test func aStoreAfterARemovalThatFailsTakesItsPlace() throws {
        var queue = queue(10)
        _ = queue.add(.remove, for: key("a"))
        let removal = try take(&queue)
        _ = queue.add(entry(), for: key("a"))
        _ = queue.finish(removal, .failed)
        let store = try take(&queue)
        _ = queue.finish(store, .skipped)
        #expect(isRemoval(queue.change(for: key("a"))))
        _ = queue.retryHeld()
        #expect(drain(&queue) == ["a"] && queue.byteCount == 0)
    }

    @Test func clearingForgetsStoresAndKeepsRemovals() throws {
        var queue = queue(10)
        _ = queue.add(entry(), for: key("a"))
        let running = try take(&queue)
        _ = queue.add(entry(), for: key("b"))
        _ = queue.add(.remove, for: key("c"))
        queue.clear()
        #expect(queue.change(for: key("a")) == nil && queue.change(for: key("b")) == nil)
        #expect(isRemoval(queue.change(for: key("c"))))
        _ = queue.finish(running, .done)
        #expect(drain(&queue) == ["c"])
    }

    @Test func aCallerCanWaitForEverythingSoFar() throws {
        var queue = queue(10, width: 4)
        _ = queue.add(entry(), for: key("a"))
        let first = try take(&queue)
        _ = queue.add(entry(), for: key("b"))
        let number = queue.last
        _ = queue.add(entry(), for: key("c"), isUrgent: true)
        let urgent = try take(&queue)
        #expect(urgent.key == key("c") && !queue.isDone(through: number))
        _ = queue.finish(first, .done)
        let second = try take(&queue)
        #expect(!queue.isDone(through: number))
        _ = queue.finish(second, .failed)
        #expect(queue.isDone(through: number) && !queue.isDone(through: queue.last))
    }

    /// Random sequences, compared with a dictionary of the newest change of each key.
    @Test func theBoundHoldsAndTheNewestChangeWins() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            var queue = queue(4, width: 3)
            var running: [WriteQueue.Write] = []
            var newest: [String: UInt8] = [:]
            for step in 0..<200 {
                let name = String("abcdefgh".randomElement(using: &random) ?? "a")
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    newest[name] = queue.add(entry(UInt8(step)), for: key(name)).number == nil ? nil : UInt8(step)
                case 5:
                    if queue.add(.remove, for: key(name)).number != nil { newest[name] = nil }
                case 6..<8:
                    if running.count < 3, let write = queue.next() { running.append(write) }
                default:
                    guard !running.isEmpty else { continue }
                    let write = running.removeFirst()
                    _ = queue.finish(write, .done)
                }
                #expect(queue.byteCount <= 4 * (1001 + WriteQueue.overhead))
                #expect(Set(running.map(\.key)).count == running.count)
                for (name, value) in newest {
                    // A change may have been made, or dropped, which makes a removal due that it has replaced.
                    guard let change = queue.change(for: key(name)), !isRemoval(change) else { continue }
                    #expect(byte(change) == value || running.contains { $0.key == key(name) })
                }
            }
            for write in running { _ = queue.finish(write, .done) }
            _ = queue.retryHeld()
            _ = drain(&queue)
            #expect(queue.byteCount == 0 && queue.count == 0)
        }
    }
}
