import Testing

@testable import TintypeServer

/// Every short sequence of events on two workers and a budget of 10 bytes, compared with what the invariants demand.
@Suite struct AdmissionSequenceTests {
    enum Event: CaseIterable, Sendable {
        case small, half, oversized, end, endWaiting, leave, wait
    }

    /// A state beside the record of what each request was told.
    private struct Model {
        var state = AdmissionState<Int>(AdmissionLimits(workers: 2, decodedBytes: 10, queueLength: 2))
        var running: [(ticket: AdmissionTicket, bytes: Int)] = []
        var waiting: [(ticket: AdmissionTicket, bytes: Int, deadline: Int)] = []
        var now = 0
        var problem: String?

        private var time: Duration { .seconds(now) }

        mutating func apply(_ event: Event) {
            switch event {
            case .small: arrive(3)
            case .half: arrive(5)
            case .oversized: arrive(11)
            case .end: if let job = running.first { end(job.ticket) }
            case .endWaiting: if let entry = waiting.first { end(entry.ticket) }
            case .leave: leave()
            case .wait: now += 2
            }
            settle()
            check()
        }

        private mutating func arrive(_ bytes: Int) {
            let isFull = waiting.count >= 2
            switch state.arrive(0, bytes: bytes, deadline: .seconds(now + 3), now: time) {
            case .admitted(let ticket):
                if !waiting.isEmpty { problem = "overtook the queue" }
                running.append((ticket, bytes))
            case .queued(let ticket):
                if isFull { problem = "queued beyond the limit" }
                waiting.append((ticket, bytes, now + 3))
            case .refused(let refusal): if refusal != .queueFull || !isFull { problem = "refused without reason" }
            }
        }

        private mutating func end(_ ticket: AdmissionTicket) {
            state.end(ticket)
            running.removeAll { $0.ticket == ticket }
            waiting.removeAll { $0.ticket == ticket }
        }

        private mutating func leave() {
            guard let entry = waiting.popLast() else {
                if let job = running.last, state.leave(job.ticket) != nil { problem = "a running request left" }
                return
            }
            if state.leave(entry.ticket) == nil { problem = "a waiting request did not leave" }
        }

        private mutating func settle() {
            while let outcome = state.next(now: time) {
                switch outcome {
                case .admitted(let ticket, _):
                    if waiting.first?.ticket != ticket { problem = "not in order of arrival" }
                    if let entry = waiting.first { running.append((ticket, entry.bytes)) }
                    waiting.removeAll { $0.ticket == ticket }
                case .expired(let ticket, _):
                    if waiting.first(where: { $0.ticket == ticket })?.deadline ?? 0 > now {
                        problem = "expired too early"
                    }
                    waiting.removeAll { $0.ticket == ticket }
                }
            }
        }

        private mutating func check() {
            let status = state.status(now: time)
            let sum = running.reduce(0) { $0 + $1.bytes }
            if sum > 10, running.count > 1 { problem = "above the budget" }
            if running.count > 2 { problem = "too many workers" }
            if status.decodedBytes != sum || status.runningCount != running.count { problem = "lost a slot" }
            if status.waitingCount != waiting.count { problem = "lost a waiter" }
            if let first = waiting.first {
                if running.isEmpty { problem = "waits for nothing" }
                if running.count < 2, sum + first.bytes <= 10 { problem = "waits though it fits" }
                if first.deadline <= now { problem = "waits past its deadline" }
            }
        }

        /// Ends all, after which nothing may be left.
        mutating func finish() {
            while let job = running.first {
                end(job.ticket)
                settle()
                check()
            }
            if state.decodedBytes != 0 || state.status(now: time).waitingCount != 0 { problem = "something is left" }
        }
    }

    private static func explore(_ model: Model, _ path: [Event], depth: Int) -> String? {
        if let problem = model.problem { return "\(problem): \(path)" }
        guard depth > 0 else {
            var model = model
            model.finish()
            return model.problem.map { "\($0): \(path)" }
        }
        for event in Event.allCases {
            var next = model
            next.apply(event)
            if let problem = explore(next, path + [event], depth: depth - 1) { return problem }
        }
        return nil
    }

    @Test func everySequenceKeepsTheBudgetAndLosesNoSlot() {
        #expect(Self.explore(Model(), [], depth: 5) == nil)
    }

    /// From full workers and a full queue, which take four of the five events above.
    @Test(arguments: [
        [Event.half, .half, .half, .small], [.small, .small, .oversized, .half], [.oversized, .half, .small],
    ])
    func everySequenceOfAFullServerDoesTheSame(_ start: [Event]) {
        var model = Model()
        for event in start { model.apply(event) }
        #expect(Self.explore(model, start, depth: 4) == nil)
    }
}
