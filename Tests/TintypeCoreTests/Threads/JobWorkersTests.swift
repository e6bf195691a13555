import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct JobWorkersTests {
    private let workers = JobWorkers()

    private func context() -> JobContext { JobContext(priority: .normal) }

    /// Starts work and waits until it has ended.
    private func finish(_ context: JobContext, _ work: @escaping @Sendable () async -> Void) async {
        let ended = Gate()
        workers.start(
            {
                await work()
                ended.open()
            }, for: context)
        _ = await ended.wait()
    }

    private static var task: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
    private static var thread: UInt { UInt(bitPattern: Int(pthread_self())) }

    @Test func workBeginsOnTheThreadThatStartsIt() {
        let begun = Shared<UInt?>(nil)
        workers.start({ begun.withLock { $0 = Self.thread } }, for: context())
        #expect(begun.now == Self.thread)
    }

    @Test func jobsBeginInTheOrderInWhichTheyAreStarted() async {
        let gate = Gate()
        let order = Shared<[Int]>([])
        for number in 0..<200 {
            workers.start(
                {
                    order.withLock { $0.append(number) }
                    _ = await gate.wait()
                }, for: context())
        }
        #expect(order.now == Array(0..<200))
        gate.open()
    }

    @Test func jobsThatDoNotSuspendShareATask() {
        let tasks = Shared<[Int]>([])
        for _ in 0..<100 { workers.start({ tasks.withLock { $0.append(Self.task) } }, for: context()) }
        #expect(tasks.now.count == 100 && Set(tasks.now).count == 1)
    }

    @Test func aJobResumesInItsTask() async {
        let gate = Gate()
        let tasks = Shared<[Int]>([])
        let starter = Self.task
        workers.start(
            {
                tasks.withLock { $0.append(Self.task) }
                _ = await gate.wait()
                tasks.withLock { $0.append(Self.task) }
            }, for: context())
        #expect(Self.task == starter)
        gate.open()
        await tasks.wait { $0.count >= 2 }
        #expect(tasks.now.count == 2 && Set(tasks.now).count == 1 && tasks.now.first != starter)
    }

    @Test func childTasksRunConcurrently() async {
        let (first, second) = (Gate(), Gate())
        let passages = Shared<[Bool]>([])
        await finish(context()) {
            await withTaskGroup(of: Void.self) { group in
                // Each waits for the other.
                group.addTask {
                    first.open()
                    let passed = await second.wait()
                    passages.withLock { $0.append(passed) }
                }
                group.addTask {
                    let passed = await first.wait()
                    passages.withLock { $0.append(passed) }
                    second.open()
                }
            }
        }
        #expect(passages.now == [true, true])
    }

    @Test func aCancelledTaskIsNotReused() {
        let first = context()
        let wasCancelled = Shared<[Bool]>([])
        let worker = workers.take()
        worker.begin(
            JobWorker.Assignment(context: first) {
                first.cancel()
                wasCancelled.withLock { $0.append(Task.isCancelled) }
            })
        #expect(workers.take() !== worker)
        workers.start({ wasCancelled.withLock { $0.append(Task.isCancelled) } }, for: context())
        #expect(wasCancelled.now == [true, false])
    }

    @Test func aJobCancelledBeforeItsStartRunsCancelled() {
        let context = context()
        context.cancel()
        let isCancelled = Shared(false)
        let worker = workers.take()
        worker.begin(JobWorker.Assignment(context: context) { isCancelled.withLock { $0 = Task.isCancelled } })
        #expect(isCancelled.now && workers.take() !== worker)
    }

    @Test func aJobMayStartAnother() {
        let order = Shared<[Int]>([])
        let (first, second) = (context(), context())
        workers.start(
            { [workers] in
                workers.start({ order.withLock { $0.append(1) } }, for: second)
                order.withLock { $0.append(2) }
            }, for: first)
        #expect(order.now == [1, 2])
    }

    @Test func aJobMayCallActors() async {
        actor Counter {
            private(set) var count = 0
            func increase() { count += 1 }
        }
        let counter = Counter()
        for _ in 0..<20 {
            await finish(context()) {
                await counter.increase()
                await MainActor.run {}
                await counter.increase()
            }
        }
        #expect(await counter.count == 40)
    }

    @Test func aWorkerWithoutAPoolIsFreed() {
        weak var seenPool: JobWorkers?
        weak var seenWorker: JobWorker?
        do {
            let (pool, worker) = { ($0, JobWorker(of: $0)) }(JobWorkers())
            (seenPool, seenWorker) = (pool, worker)
            worker.begin(JobWorker.Assignment(context: context()) {})
            let isIdle = pool.take() === worker
            #expect(isIdle)
            pool.put(worker)
        }
        #expect(seenPool == nil && seenWorker == nil)
    }

    @Test func cancellingAnEndedJobDoesNotCancelTheNext() async {
        let (first, gate) = (context(), Gate())
        let isCancelled = Shared<Bool?>(nil)
        let worker = workers.take()
        worker.begin(JobWorker.Assignment(context: first) {})
        #expect(workers.take() === worker)
        worker.begin(
            JobWorker.Assignment(context: context()) {
                _ = await gate.wait()
                isCancelled.withLock { $0 = Task.isCancelled }
            })
        first.cancel()
        gate.open()
        await isCancelled.wait { $0 != nil }
        #expect(isCancelled.now == false)
    }

    @Test func anIdleWorkerReleasesItsWork() {
        final class Witness: Sendable {}
        weak var seen: Witness?
        do {
            let witness = Witness()
            seen = witness
            workers.start({ _ = witness }, for: context())
        }
        #expect(seen == nil)
    }

    @Test func idleWorkersAreLimited() {
        for _ in 0..<3 {
            // Nested jobs: all workers are in use when the innermost one returns its worker.
            let used = Shared<[JobWorker]>([])
            nest(JobWorkers.maximumCount + 20, recordingTo: used)
            // The pool makes a new worker once it has returned all idle ones.
            let taken = used.now.map { _ in workers.take() }
            let idle = taken.filter { worker in used.now.contains { $0 === worker } }
            #expect(idle.count == JobWorkers.maximumCount)
            for worker in idle { workers.put(worker) }
        }
    }

    private func nest(_ depth: Int, recordingTo used: Shared<[JobWorker]>) {
        guard depth > 0 else { return }
        let worker = workers.take()
        used.withLock { $0.append(worker) }
        worker.begin(JobWorker.Assignment(context: context()) { nest(depth - 1, recordingTo: used) })
    }

    @Test func concurrentJobsAllRun() async {
        let done = Shared(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        let context = context()
                        workers.start(
                            {
                                if number % 2 == 0 { await Task.yield() }
                                done.withLock { $0 += 1 }
                            }, for: context)
                        if number % 5 == 0 { context.cancel() }
                    }
                }
            }
        }
        await done.wait { $0 >= 4000 }
        #expect(done.now == 4000)
    }
}

extension JobWorkers {
    /// Runs a job's work on the calling thread until its first suspension, as `JobRunner` does.
    fileprivate func start(_ work: @escaping @Sendable () async -> Void, for context: JobContext) {
        take().begin(JobWorker.Assignment(context: context, work: work))
    }
}
