import Testing
import TintypeTesting

@testable import TintypeCore

/// A position that moves from one queue to the next, and a job whose priority changes in the meantime.
@Suite struct QueuePositionTests {
    /// A queue that records its calls, and may run code while work is pushed.
    private final class RecordingQueue: TurnQueue {
        let cancelled = Shared<[QueueTicket]>([])
        let priorities = Shared<[ImagePriority]>([])
        private let queue = Locked(PriorityQueue<QueuedWork>())
        private let duringPush: @Sendable (QueuedWork) -> Void

        init(_ duringPush: @escaping @Sendable (QueuedWork) -> Void = { _ in }) {
            self.duringPush = duringPush
        }

        func push(_ work: QueuedWork, at priority: ImagePriority) -> QueueTicket? {
            let ticket = queue.withLock { $0.push(work, at: priority) }
            priorities.withLock { $0.append(priority) }
            duringPush(work)
            return ticket
        }

        func move(_ ticket: QueueTicket, to priority: ImagePriority) {
            priorities.withLock { $0.append(priority) }
        }

        func cancel(_ ticket: QueueTicket) { cancelled.withLock { $0.append(ticket) } }
    }

    private static let nothing = QueuedWork(run: {}, cancel: {})

    @Test func workThatRunsDuringItsPushKeepsItsNextPosition() {
        let next = RecordingQueue()
        let job = JobContext(priority: .low)
        let position = QueuePosition(job: job)
        let first = RecordingQueue { work in work.run() }
        position.push(QueuedWork(run: { position.push(Self.nothing, to: next) }, cancel: {}), to: first)
        position.follow(.high)
        position.cancel()
        #expect(next.priorities.now == [.low, .high] && next.cancelled.now.count == 1)
        #expect(first.cancelled.now.isEmpty)
    }

    @Test func aPriorityThatChangesDuringAPushApplies() {
        let job = JobContext(priority: .low)
        let queue = RecordingQueue { _ in job.setPriority(.high) }
        QueuePosition(job: job).push(Self.nothing, to: queue)
        #expect(queue.priorities.now == [.low, .high])
    }

    @Test func aFollowerGetsTheNewestPriorityLast() {
        final class Follower: PriorityFollower {
            let received = Shared<[ImagePriority]>([])
            let job: JobContext
            init(_ job: JobContext) { self.job = job }

            func follow(_ priority: ImagePriority) {
                received.withLock { $0.append(priority) }
                if priority == .low { job.setPriority(.high) }
            }
        }
        let job = JobContext(priority: .low)
        let follower = Follower(job)
        let number = job.addFollower(follower)
        #expect(follower.received.now.last == .high)
        // The job and the follower retain each other until then.
        job.removeFollower(number)
    }

    @Test func aCancelledPositionQueuesNothing() {
        let queue = RecordingQueue()
        let cancelled = Shared(0)
        let position = QueuePosition(job: JobContext(priority: .low))
        position.cancel()
        position.push(QueuedWork(run: {}, cancel: { cancelled.withLock { $0 += 1 } }), to: queue)
        #expect(cancelled.now == 1 && queue.priorities.now.isEmpty)
    }
}
