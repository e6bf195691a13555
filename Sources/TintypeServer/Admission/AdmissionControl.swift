import Foundation
import TintypeCore

/// Admits requests to the workers within a budget of decoded bytes: ``AdmissionState`` behind a lock.
final class AdmissionControl: Sendable {
    private typealias State = AdmissionState<Turn>
    fileprivate typealias Turn = SharedPromise<AdmissionRefusal?>

    private let state: Locked<State>
    private let time: TimeSource

    /// Creates a control with no running request.
    ///
    /// - Parameter time: The clock of the deadlines.
    init(_ limits: AdmissionLimits, time: TimeSource = .system) {
        state = Locked(State(limits))
        self.time = time
    }

    /// Waits for the turn of a request.
    ///
    /// - Parameters:
    ///   - bytes: An estimate of the decoded bytes.
    ///   - deadline: The time by which the request must begin, on the clock of the control.
    /// - Returns: The slot of the request, which ends with the object.
    /// - Throws: The reason why the request was not admitted. It then holds nothing.
    func admit(bytes: Int, deadline: Duration) async throws(AdmissionRefusal) -> AdmissionSlot {
        guard !Task.isCancelled else { throw .cancelled }
        let turn = Turn()
        let now = time.uptime()
        switch change({ $0.arrive(turn, bytes: bytes, deadline: deadline, now: now) }) {
        case .admitted(let ticket): return AdmissionSlot(ticket, self)
        case .refused(let refusal): throw refusal
        case .queued(let ticket):
            // Made before the wait, so that the slot is released on every path.
            let slot = AdmissionSlot(ticket, self)
            try await wait(for: turn, of: ticket, deadline: deadline)
            return slot
        }
    }

    /// Refuses requests that arrive from now on, because the server shuts down.
    func drain() { state.withLock { $0.drain() } }

    /// The load at this moment.
    var status: AdmissionStatus {
        let now = time.uptime()
        return state.withLock { $0.status(now: now) }
    }

    // MARK: Slots

    fileprivate func end(_ ticket: AdmissionTicket) { change { $0.end(ticket) } }

    // MARK: Waiting

    private func wait(
        for turn: Turn, of ticket: AdmissionTicket, deadline: Duration
    ) async throws(AdmissionRefusal) {
        let timer = Task { [weak self, delay = deadline - time.uptime()] in
            guard (try? await Task.sleep(for: delay)) != nil else { return }
            self?.change { _ in }
        }
        defer { timer.cancel() }
        // Without a waiter, the request was admitted or dropped first, and the wait ends with that.
        let refusal = await turn.wait(onCancel: { self.change { $0.leave(ticket) } == nil ? nil : .some(.cancelled) })
        if let refusal { throw refusal }
    }

    /// Changes the state, and then tells the requests that it admits or drops.
    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let now = time.uptime()
        let (value, outcomes) = state.withLock { state in
            let value = body(&state)
            var outcomes: [State.Outcome] = []
            while let outcome = state.next(now: now) { outcomes.append(outcome) }
            return (value, outcomes)
        }
        for outcome in outcomes {
            switch outcome {
            case .admitted(_, let turn): turn.fulfill(nil)
            case .expired(_, let turn): turn.fulfill(.deadline)
            }
        }
        return value
    }
}

/// The right of one request to a worker and to memory. It ends with the object, so no path can lose it.
final class AdmissionSlot: Sendable {
    private let ticket: AdmissionTicket
    private let control: AdmissionControl

    fileprivate init(_ ticket: AdmissionTicket, _ control: AdmissionControl) {
        (self.ticket, self.control) = (ticket, control)
    }

    deinit { release() }

    /// Ends the slot early. Further calls do nothing.
    func release() { control.end(ticket) }
}
