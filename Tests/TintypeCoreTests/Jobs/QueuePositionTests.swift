import Testing
import TintypeTesting

@testable import TintypeCore

/// A place that goes from one line to the next, and a job whose priority changes meanwhile.
@Suite struct QueuePositionTests {
    /// A line that notes what happens to it, and may do something of its own while a piece gets in.
    private final class NotingLine: TurnQueue {
        let dropped = Shared<[QueueTicket]>([])
        let priorities = Shared<[ImagePriority]>([])
        private let line = Locked(PriorityQueue<QueuedWork>())
        private let duringPush: @Sendable (QueuedWork) -> Void

        init(_ duringPush: @escaping @Sendable (QueuedWork) -> Void = { _ in }) {
            self.duringPush = duringPush
        }

        func push(_ piece: QueuedWork, at priority: ImagePriority) -> QueueTicket? {
            let ticket = line.withLock { $0.push(piece, at: priority) }
            priorities.withLock { $0.append(priority) }
            duringPush(piece)
            return ticket
        }

        func move(_ ticket: QueueTicket, to priority: ImagePriority) {
            priorities.withLock { $0.append(priority) }
        }

        func cancel(_ ticket: QueueTicket) { dropped.withLock { $0.append(ticket) } }
    }

    private static let nothing = QueuedWork(run: {}, cancel: {})

    @Test func aPieceThatRunsWhileItGetsInLeavesTheNextPlaceKnown() {
        let next = NotingLine()
        let job = JobContext(priority: .low)
        let place = QueuePosition(job: job)
        let first = NotingLine { piece in piece.run() }
        place.push(QueuedWork(run: { place.push(Self.nothing, to: next) }, cancel: {}), to: first)
        place.follow(.high)
        place.cancel()
        #expect(next.priorities.now == [.low, .high] && next.dropped.now.count == 1)
        #expect(first.dropped.now.isEmpty)
    }

    @Test func aPriorityThatChangesWhileAPieceGetsInIsTheOneThatCounts() {
        let job = JobContext(priority: .low)
        let line = NotingLine { _ in job.setPriority(.high) }
        QueuePosition(job: job).push(Self.nothing, to: line)
        #expect(line.priorities.now == [.low, .high])
    }

    @Test func aFollowerIsToldTheNewestPriorityLast() {
        final class Follower: PriorityFollower {
            let told = Shared<[ImagePriority]>([])
            let job: JobContext
            init(_ job: JobContext) { self.job = job }

            func follow(_ priority: ImagePriority) {
                told.withLock { $0.append(priority) }
                if priority == .low { job.setPriority(.high) }
            }
        }
        let job = JobContext(priority: .low)
        let follower = Follower(job)
        let number = job.addFollower(follower)
        #expect(follower.told.now.last == .high)
        // Each holds the other until then.
        job.removeFollower(number)
    }

    @Test func aPlaceThatWasGivenUpTakesNothing() {
        let line = NotingLine()
        let dropped = Shared(0)
        let place = QueuePosition(job: JobContext(priority: .low))
        place.cancel()
        place.push(QueuedWork(run: {}, cancel: { dropped.withLock { $0 += 1 } }), to: line)
        #expect(dropped.now == 1 && line.priorities.now.isEmpty)
    }
}
