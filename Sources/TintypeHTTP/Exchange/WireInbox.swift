import NIOCore
import TintypeCore

/// Where an answer is put on an event loop, and a transfer takes it out: ``WireInboxState`` with a lock.
///
/// One puts in and one takes out. Who takes out is woken when all that lay ready at the socket is here, so that a small
/// body costs one change of thread, not one a piece.
final class WireInbox: Sendable {
    private struct State: Sendable {
        var arrived = WireInboxState()
        /// The one who takes out, waiting for something.
        var reader: CheckedContinuation<Void, Never>?
        var isWakeupDue = false
        /// The one who puts in, waiting for room.
        var writer: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private let state = Locked(State())
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    // MARK: Putting in

    func receive(_ head: WireHead) {
        wakeLater { $0.receive(head) }
    }

    /// Waits where more has arrived than should lie here.
    func receive(_ piece: ByteBuffer) async {
        wakeLater { $0.receive(piece) }
        guard state.withLock({ $0.arrived.isFull }) else { return }
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.arrived.isFull, !state.isClosed else { return false }
                state.writer = continuation
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    func finish(_ end: Result<Void, any Error>, over connection: ConnectionUse? = nil) {
        state.withLock { $0.arrived.finish(end, over: connection) }
        wake()
    }

    /// Wakes the one who waits when the loop has handed over what else lies ready.
    private func wakeLater(_ change: (inout WireInboxState) -> Void) {
        let isDue = state.withLock { state in
            change(&state.arrived)
            guard state.reader != nil, !state.isWakeupDue else { return false }
            state.isWakeupDue = true
            return true
        }
        if isDue { loop.execute { self.wake() } }
    }

    private func wake() {
        let reader = state.withLock { state in
            defer { state.reader = nil }
            state.isWakeupDue = false
            return state.reader
        }
        reader?.resume()
    }

    // MARK: Taking out

    /// The head, once it is there.
    func head() async throws -> WireHead {
        while true {
            if let head = try state.withLock({ state throws in try state.arrived.takeHead() }) { return head }
            await arrival(of: .head)
        }
    }

    /// What arrived of the body since it was last asked for, once there is something; `nil` at its end.
    func pieces() async throws -> [ByteBuffer]? {
        await arrival(of: .body)
        let (pieces, writer) = try state.withLock { state throws in
            defer { state.writer = nil }
            return (try state.arrived.takePieces(), state.writer)
        }
        writer?.resume()
        return pieces.isEmpty ? nil : pieces
    }

    /// Over what the request failed before its head came, where that is known.
    var failedConnection: ConnectionUse? { state.withLock { $0.arrived.failedConnection } }

    /// No one takes anything out any more.
    func close() {
        let writer = state.withLock { state in
            defer { state.writer = nil }
            state.isClosed = true
            return state.writer
        }
        writer?.resume()
    }

    private func arrival(of part: WireInboxState.Part) async {
        guard !state.withLock({ $0.arrived.has(part) }) else { return }
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrived.has(part) { return true }
                state.reader = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
