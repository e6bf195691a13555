import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct JobRunnerTests {
    typealias Jobs = JobRunner<String, Int, Int>

    @Test func aThousandWaitersRunOneJob() async throws {
        let jobs = Jobs()
        let gate = Gate()
        let runs = Shared(0)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    try await jobs.value("a", for: JobContext(priority: .normal)) { (_, _) throws(TintypeError) in
                        runs.withLock { $0 += 1 }
                        _ = await gate.wait()
                        return 42
                    }
                }
            }
            while jobs.activity.subscribers < 1000 { await Task.yield() }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values.count == 1000 && values.allSatisfy { $0 == 42 })
        #expect(jobs.count == 0)
        #expect(runs.now == 1)
    }

    @Test func cancellingAWaiterDoesNotAffectTheOthers() async throws {
        let jobs = Jobs()
        let gate = Gate()
        let work: Jobs.Work = { _, _ in await gate.wait() ? 1 : 0 }
        let first = Task { try await jobs.value("a", for: JobContext(priority: .normal), work: work) }
        await gate.waitForArrivals(1)
        let second = Task { try await jobs.value("a", for: JobContext(priority: .normal), work: work) }
        while jobs.activity.subscribers < 2 { await Task.yield() }
        first.cancel()
        await expectError(.cancelled) { try await first.value }
        gate.open()
        #expect(try await second.value == 1)
    }

    @Test func cancellingTheLastSubscriberStopsTheWork() async throws {
        let jobs = Jobs()
        let gate = Gate()
        let ended = Gate()
        let task = Task {
            try await jobs.value("a", for: JobContext(priority: .normal)) { (job, _) throws(TintypeError) in
                let passed = await gate.wait()
                #expect(!passed && job.isCancelled)
                ended.open()
                throw .cancelled
            }
        }
        await gate.waitForArrivals(1)
        task.cancel()
        do {
            _ = try await task.value
            Issue.record("the wait should have ended")
        } catch { #expect((error as? TintypeError)?.code == .cancelled) }
        #expect(await ended.wait())
        #expect(jobs.count == 0)
    }

    @Test func aCancelledTaskEndsAtOnce() async {
        let jobs = Jobs()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await jobs.value("a", for: JobContext(priority: .normal)) { _, _ in 1 }
        }
        let result = await task.result
        expectError(.cancelled) { try result.get() }
    }

    @Test func aLateSubscriberGetsTheNewestStatus() async throws {
        let jobs = Jobs()
        let gate = Gate()
        let receiver = Jobs.Receiver(onStatus: { _ in }, onEnd: { _ in })
        let reported = Gate()
        let work: Jobs.Work = { (_, reporter) throws(TintypeError) in
            for status in 1...5 { reporter.report(status) }
            reported.open()
            _ = await gate.wait()
            return 0
        }
        _ = jobs.attach("a", at: .normal, receiver: receiver) { work }
        #expect(await reported.wait())
        let seen = Shared<[Int]>([])
        let late = Jobs.Receiver(onStatus: { status in seen.withLock { $0.append(status) } }, onEnd: { _ in })
        _ = jobs.attach("a", at: .normal, receiver: late) { { _, _ in 0 } }
        #expect(seen.now == [5])
        gate.open()
    }

    @Test func aJobFollowsThePriorityOfTheJobThatWaitsForIt() async throws {
        let jobs = Jobs()
        let gate = Gate()
        let below = Shared<JobContext?>(nil)
        let parent = JobContext(priority: .low)
        let task = Task {
            try await jobs.value("a", for: parent) { (job, _) throws(TintypeError) in
                below.withLock { $0 = job }
                _ = await gate.wait()
                return 0
            }
        }
        await gate.waitForArrivals(1)
        #expect(below.withLock { $0?.priority } == .low)
        parent.setPriority(.veryHigh)
        // The waiting task registers the follower, possibly after the job has begun.
        await below.now?.waitForPriority(.veryHigh)
        gate.open()
        _ = try await task.value
    }

    @Test func aReceiverIsNotCalledAfterItsSubscriptionIsCancelled() async {
        let jobs = Jobs()
        let (gate, ended) = (Gate(), Gate())
        let ends = Shared(0)
        let work: Jobs.Work = { (_, _) throws(TintypeError) in
            _ = await gate.wait()
            ended.open()
            return 0
        }
        let receiver = Jobs.Receiver(onStatus: { _ in }, onEnd: { _ in ends.withLock { $0 += 1 } })
        let subscription = jobs.attach("a", at: .normal, receiver: receiver) { work }
        await gate.waitForArrivals(1)
        #expect(subscription.cancel())
        #expect(!subscription.cancel())
        gate.open()
        _ = await ended.wait()
        // The work has ended, and what follows it has as much time as another job takes.
        let other = try? await jobs.value("b", for: JobContext(priority: .normal)) { (_, _) throws(TintypeError) in 1 }
        #expect(other == 1 && ends.now == 0)
    }

    /// Attaches, detaches and raises at random from several tasks.
    @Test func everySubscriberThatStaysGetsOneResult() async {
        let jobs = Jobs()
        let seeds = SeededRandom.printed("shared jobs")
        let ends = Shared<[Int: Int]>([:])
        let left = Shared<Set<Int>>([])
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                var random = seeds
                for _ in 0..<worker { _ = random.next() }
                group.addTask { [random] in
                    var random = random
                    for index in 0..<300 {
                        let number = worker * 1000 + index
                        let key = "\(Int.random(in: 0..<5, using: &random))"
                        let receiver = Jobs.Receiver(
                            onStatus: { _ in }, onEnd: { _ in ends.withLock { $0[number, default: 0] += 1 } })
                        let work: Jobs.Work = { (_, _) throws(TintypeError) in
                            await Task.yield()
                            return 0
                        }
                        let subscription = jobs.attach(key, at: .normal, receiver: receiver) { work }
                        if Bool.random(using: &random) { subscription.follow(.high) }
                        if Int.random(in: 0..<3, using: &random) == 0, subscription.cancel() {
                            left.withLock { _ = $0.insert(number) }
                        }
                        if index % 10 == 0 { await Task.yield() }
                    }
                }
            }
        }
        while jobs.count > 0 { await Task.yield() }
        for worker in 0..<8 {
            for index in 0..<300 {
                let number = worker * 1000 + index
                // The last results may not have been delivered yet.
                let expected = left.withLock { $0.contains(number) } ? 0 : 1
                await ends.wait { $0[number, default: 0] >= expected }
                #expect(ends.withLock { $0[number] ?? 0 } == expected)
            }
        }
    }
}
