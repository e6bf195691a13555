import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TintypeCore

/// Where the client below puts an answer, on its event loop, and a transfer takes it out: ``WireInboxState`` with a lock.
///
/// A small body costs the one who waits for it one change of thread, not one a piece: it is woken when all that lay ready
/// at the socket is here.
final class WireInbox: HTTPClientResponseDelegate {
    typealias Response = Void

    private struct State: Sendable {
        var arrived = WireInboxState()
        var waiter: CheckedContinuation<Void, Never>?
        var isWakeupDue = false
        /// Lets the client below go on sending.
        var more: EventLoopPromise<Void>?
    }

    private let state = Locked(State())
    private let connections: CurrentConnection
    private let uptime: @Sendable () -> Duration

    init(_ connections: CurrentConnection, uptime: @escaping @Sendable () -> Duration) {
        self.connections = connections
        self.uptime = uptime
    }

    // MARK: From the client below

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let head = WireHead(
            response: head, arrived: uptime(), connection: connections.use(countsAnswer: true))
        let isDue = state.withLock { state in
            state.arrived.receive(head)
            return Self.planWakeup(&state)
        }
        if isDue { wakeLater(on: task.eventLoop) }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let (isDue, isFull) = state.withLock { state in
            state.arrived.receive(buffer)
            return (Self.planWakeup(&state), state.arrived.isFull)
        }
        if isDue { wakeLater(on: task.eventLoop) }
        return isFull ? waitForRoom(on: task.eventLoop) : task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        finish(.success(()))
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        finish(.failure(error))
    }

    private func finish(_ end: Result<Void, any Error>) {
        let connection = connections.use(countsAnswer: false)
        state.withLock { $0.arrived.finish(end, over: connection) }
        wake()
    }

    private func waitForRoom(on loop: any EventLoop) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        let isFull = state.withLock { state in
            if state.arrived.isFull { state.more = promise }
            return state.arrived.isFull
        }
        if !isFull { promise.succeed() }
        return promise.futureResult
    }

    // MARK: Waking

    private static func planWakeup(_ state: inout State) -> Bool {
        guard state.waiter != nil, !state.isWakeupDue else { return false }
        state.isWakeupDue = true
        return true
    }

    /// When the loop has handed over what else lay ready.
    private func wakeLater(on loop: any EventLoop) {
        loop.execute { self.wake() }
    }

    private func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isWakeupDue = false
            return state.waiter
        }
        waiter?.resume()
    }

    // MARK: To the transfer

    /// The head, once it is there. At most one may wait.
    func head() async throws -> WireHead {
        while true {
            if let head = try state.withLock({ try $0.arrived.takeHead() }) { return head }
            await arrival(of: .head)
        }
    }

    /// What arrived of the body since it was last asked for, once there is something; `nil` at its end.
    func pieces() async throws -> [ByteBuffer]? {
        await arrival(of: .body)
        let (pieces, more) = try state.withLock { state in
            defer { state.more = nil }
            return (try state.arrived.takePieces(), state.more)
        }
        more?.succeed()
        return pieces.isEmpty ? nil : pieces
    }

    /// Over what the request failed before its head came, where that is known.
    var failedConnection: ConnectionUse? { state.withLock { $0.arrived.failedConnection } }

    /// No one takes anything out any more.
    func close() {
        let more = state.withLock { state in
            defer { state.more = nil }
            return state.more
        }
        more?.succeed()
    }

    private func arrival(of part: WireInboxState.Part) async {
        guard !state.withLock({ $0.arrived.has(part) }) else { return }
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrived.has(part) { return true }
                state.waiter = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
