import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct NextStepTests {
    /// A job that waits, and then records the threads on which it goes on.
    private final class WaitingJob: Sendable {
        let gate = Gate()
        let threads = Shared<[UInt]>([])
        /// For a thread that waits until the job has ended.
        let isDone = DispatchSemaphore(value: 0)
        private let done = Gate()

        init(leavesThread: Bool = false) {
            JobWorkers.shared.take().begin(
                JobWorker.Assignment(context: JobContext(priority: .normal)) { [self] in
                    _ = await gate.wait()
                    threads.withLock { $0.append(thread) }
                    if leavesThread {
                        await NextStep.leaveThread()
                        threads.withLock { $0.append(thread) }
                    }
                    done.open()
                    isDone.signal()
                })
        }

        func wait() async { _ = await done.wait() }
    }

    @Test func aResumedJobGoesOnWhenTheWorkOfTheThreadHasEnded() async {
        let job = WaitingJob()
        let (here, during, after) = await onNewThread {
            var during: [UInt] = []
            NextStep.run {
                job.gate.open()
                during = job.threads.now
            }
            return (thread, during, job.threads.now)
        }
        #expect(during.isEmpty && after == [here])
    }

    @Test func anotherJobGoesOnElsewhere() async {
        let (first, second) = (WaitingJob(), WaitingJob())
        let here = await onNewThread {
            NextStep.run {
                first.gate.open()
                second.gate.open()
            }
            return thread
        }
        await second.wait()
        #expect(first.threads.now == [here] && second.threads.now != [here])
    }

    @Test func jobsThatResumeEachOtherFollowEachOther() async {
        let (first, second) = (WaitingJob(), WaitingJob())
        let (here, threads) = await onNewThread {
            NextStep.run { first.gate.open() }
            NextStep.run { second.gate.open() }
            return (thread, first.threads.now + second.threads.now)
        }
        #expect(threads == [here, here])
    }

    @Test func withoutANextStepAJobGoesOnElsewhere() async {
        let job = WaitingJob()
        let here = await onNewThread {
            NextStep.run {}
            job.gate.open()
            return thread
        }
        await job.wait()
        #expect(job.threads.now.count == 1 && job.threads.now != [here])
    }

    /// In every round, although other threads may be quick to resume the job.
    @Test func aJobCanLeaveTheThread() async {
        for _ in 0..<100 {
            let job = WaitingJob(leavesThread: true)
            let here = await onNewThread {
                NextStep.run { job.gate.open() }
                // The thread lives until the job has gone on, because a later one may get the same identifier.
                job.isDone.wait()
                return thread
            }
            #expect(job.threads.now.first == here && job.threads.now.last != here)
        }
    }

    @Test func workOnAQueueResumesJobsElsewhere() async {
        let job = WaitingJob()
        let here = Shared<UInt?>(nil)
        WorkQueue(name: "test", width: 1).enqueue(at: .normal) {
            here.withLock { $0 = thread }
            job.gate.open()
        }
        await job.wait()
        #expect(job.threads.now.count == 1 && job.threads.now.first != here.now)
    }
}

private var thread: UInt { UInt(bitPattern: Int(pthread_self())) }
