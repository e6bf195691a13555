import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Random interleavings of load, join, cancel, priority change, cache clear and failure, compared with a plain
/// model after each step. Every waiter gets one result, transfers and decodes are minimal, and nothing stays running.
@Suite(.timeLimited) struct InterleavingTests {
    @Test func randomInterleavingsDoMinimalWorkAndEndEveryWaiterOnce() async throws {
        var random = SeededRandom.printed("interleavings")
        for _ in 0..<60 {
            var history = History(random)
            try await history.run(steps: 50)
            random = history.random
        }
    }
}

/// A random history of one pipeline, and the expected state.
private struct History {
    /// A transfer that a test holds at its gate.
    struct Transfer {
        let gate: Gate
        let error: TintypeError.Code?
        var waiters: [Waiter] = []

        /// The renditions that wait for the bytes, each once.
        var renditions: Set<CacheKey> { Set(waiters.map(\.key)) }
    }

    struct Waiter {
        let task: ImageTask
        let key: CacheKey
        let ends: Task<[TintypeError.Code?], Never>
    }

    var random: SeededRandom
    private let fixture = PipelineFixture()
    private var transfers: [String: Transfer] = [:]
    private var inMemory: Set<CacheKey> = []
    private var onDisk: Set<String> = []
    private var expectedLoads: [String: Int] = [:]
    private var expectedDecodes = 0

    private let names = ["a", "b", "c"]

    init(_ random: SeededRandom) {
        self.random = random
    }

    mutating func run(steps: Int) async throws {
        for _ in 0..<steps { try await step() }
        for name in names { await release(name) }
        // The last event of a task may arrive before the pipeline has removed the task.
        while !fixture.pipeline.activity.isIdle || fixture.pipeline.isRunning { await Task.yield() }
        #expect(fixture.decoder.decodeCount == expectedDecodes)
        for name in names {
            #expect(fixture.loader.count(fixture.identity(name)) == expectedLoads[name, default: 0])
        }
        #expect(!fixture.pipeline.isRunning)
    }

    private mutating func step() async throws {
        let name = names.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: await load(name)
        case 4, 5: await cancelOne(name)
        case 6: await changePriority(name)
        case 7: await clearACache()
        default: await release(name)
        }
        await settle()
    }

    /// Waits until the pipeline has as many subscribers as the model.
    private func settle() async {
        let expected = transfers.values.reduce(0) { $0 + $1.renditions.count }
        while fixture.pipeline.activity.loads.subscribers != expected { await Task.yield() }
    }

    // MARK: Operations

    private mutating func load(_ name: String) async {
        let request = Bool.random(using: &random) ? fixture.request(name) : fixture.request(name).fitting(width: 1)
        if transfers[name] == nil, !inMemory.contains(request.key), !onDisk.contains(name) { begin(name) }
        let waiter = wait(for: request)
        if inMemory.contains(request.key) {
            await expect([nil], waiter)
        } else if let transfer = transfers[name] {
            transfers[name]?.waiters.append(waiter)
            await transfer.gate.waitForArrivals(1)
        } else {
            await expect([nil], waiter)
            inMemory.insert(request.key)
            expectedDecodes += 1
        }
    }

    private mutating func begin(_ name: String) {
        let error: TintypeError.Code? = Int.random(in: 0..<3, using: &random) == 0 ? .unreachable : nil
        let transfer = Transfer(gate: Gate(), error: error)
        let answer = error.map { FakeLoader.Answer.failure(TintypeError($0, stage: .load, "test")) }
        fixture.answer(name, .gated(transfer.gate, answer ?? .data(PipelineFixture.png)))
        transfers[name] = transfer
        expectedLoads[name, default: 0] += 1
    }

    private mutating func cancelOne(_ name: String) async {
        guard let count = transfers[name]?.waiters.count, count > 0,
            let waiter = transfers[name]?.waiters.remove(at: Int.random(in: 0..<count, using: &random))
        else { return }
        waiter.task.cancel()
        await expect([.cancelled], waiter)
        if transfers[name]?.waiters.isEmpty == true { transfers[name] = nil }
    }

    private mutating func changePriority(_ name: String) async {
        let priority = ImagePriority.allCases.randomElement(using: &random) ?? .low
        guard let waiter = transfers[name]?.waiters.randomElement(using: &random) else { return }
        waiter.task.priority = priority
        guard let highest = transfers[name]?.waiters.map(\.task.priority).max(),
            let context = fixture.loader.lastContext(fixture.identity(name))
        else {
            Issue.record("the transfer has not begun")
            return
        }
        // A job that has just begun may not follow its subscribers' priority yet.
        await context.job.waitForPriority(highest)
    }

    private mutating func clearACache() async {
        // Renditions are stored in the background.
        try? await fixture.pipeline.flush()
        if Bool.random(using: &random) {
            fixture.memory.clear()
            inMemory = []
        } else {
            fixture.disk.clear()
            onDisk = []
        }
    }

    /// Ends a transfer. All its waiters get the same result.
    private mutating func release(_ name: String) async {
        guard let transfer = transfers.removeValue(forKey: name) else { return }
        transfer.gate.open()
        for waiter in transfer.waiters { await expect([transfer.error], waiter) }
        guard transfer.error == nil else { return }
        expectedDecodes += transfer.renditions.count
        inMemory.formUnion(transfer.renditions)
        onDisk.insert(name)
    }

    // MARK: Expectations

    private func wait(for request: ImageRequest) -> Waiter {
        let task = fixture.pipeline.start(request)
        let events = task.events
        let ends = Task {
            var ends: [TintypeError.Code?] = []
            for await event in events {
                guard case .finished(let result) = event else { continue }
                if case .failure(let error) = result { ends.append(error.code) } else { ends.append(nil) }
            }
            return ends
        }
        return Waiter(task: task, key: request.key, ends: ends)
    }

    private func expect(_ ends: [TintypeError.Code?], _ waiter: Waiter) async {
        let received = await waiter.ends.value
        #expect(received == ends, "\(waiter.key)")
    }
}
