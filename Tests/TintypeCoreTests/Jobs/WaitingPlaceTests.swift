import Testing
import TintypeTesting

@testable import TintypeCore

/// A place that goes from one line to the next, and a job whose priority changes meanwhile.
@Suite struct WaitingPlaceTests {
    /// A line that notes what happens to it, and may do something of its own while a piece gets in.
    private final class NotingLine: WaitingLine {
        let dropped = Shared<[WaitingTicket]>([])
        let priorities = Shared<[ImagePriority]>([])
        private let line = Locked(PriorityQueue<WaitingPiece>())
        private let duringPush: @Sendable (WaitingPiece) -> Void

        init(_ duringPush: @escaping @Sendable (WaitingPiece) -> Void = { _ in }) {
            self.duringPush = duringPush
        }

        func push(_ piece: WaitingPiece, at priority: ImagePriority) -> WaitingTicket? {
            let ticket = line.withLock { $0.push(piece, at: priority) }
            priorities.withLock { $0.append(priority) }
            duringPush(piece)
            return ticket
        }

        func move(_ ticket: WaitingTicket, to priority: ImagePriority) {
            priorities.withLock { $0.append(priority) }
        }

        func drop(_ ticket: WaitingTicket) { dropped.withLock { $0.append(ticket) } }
    }

    private static let nothing = WaitingPiece(run: {}, drop: {})

    @Test func aPieceThatRunsWhileItGetsInLeavesTheNextPlaceKnown() {
        let next = NotingLine()
        let job = JobContext(priority: .low)
        let place = WaitingPlace(job: job)
        let first = NotingLine { piece in piece.run() }
        place.take(WaitingPiece(run: { place.take(Self.nothing, in: next) }, drop: {}), in: first)
        place.follow(.high)
        place.leave()
        #expect(next.priorities.now == [.low, .high] && next.dropped.now.count == 1)
        #expect(first.dropped.now.isEmpty)
    }

    @Test func aPriorityThatChangesWhileAPieceGetsInIsTheOneThatCounts() {
        let job = JobContext(priority: .low)
        let line = NotingLine { _ in job.setPriority(.high) }
        WaitingPlace(job: job).take(Self.nothing, in: line)
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
        let place = WaitingPlace(job: JobContext(priority: .low))
        place.leave()
        place.take(WaitingPiece(run: {}, drop: { dropped.withLock { $0 += 1 } }), in: line)
        #expect(dropped.now == 1 && line.priorities.now.isEmpty)
    }
}
