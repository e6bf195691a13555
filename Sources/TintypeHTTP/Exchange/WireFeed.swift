import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import TintypeCore

/// Takes what the client below tells of one response, on an event loop, and keeps it for the reader.
///
/// The client's asynchronous form would read the URL again, and make a task, a timer and a sequence for each exchange.
final class WireFeed: HTTPClientResponseDelegate {
    let state = Locked(WireFeedState())
    private let log: ConnectionLog
    /// When the request was made.
    let sent: Duration

    /// To be made when the request is.
    init(_ log: ConnectionLog) {
        self.log = log
        sent = log.now
    }

    /// The connection that the request went over; `nil` while that is not known.
    var connection: ConnectionLog.Use? { state.withLock { $0.connection } }

    // MARK: The client below

    /// Takes what gives the exchange up.
    func attach(_ task: HTTPClient.Task<Void>) {
        state.withLock { $0.attach(task) }?.cancel()
    }

    /// For the request, which is given the name of its connection by it.
    var logger: Logger { Logger(label: "tintype.http") { _ in ConnectionListener(feed: self) } }

    /// The first connection counts.
    func took(connection id: String) {
        guard connection == nil else { return }
        let use = log.use(id, since: sent)
        state.withLock { $0.connection = use }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let head = WireFeedState.Head(head: head, time: log.now)
        state.withLock { $0.take(head) }?.resume()
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ piece: ByteBuffer) -> EventLoopFuture<Void> {
        let (reader, isFull) = state.withLock { ($0.take(piece), $0.isFull) }
        reader?.resume()
        return isFull ? whenDrained(on: task.eventLoop) : task.eventLoop.makeSucceededVoidFuture()
    }

    private func whenDrained(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let drained = eventLoop.makePromise(of: Void.self)
        // The reader may have been quicker.
        if !state.withLock({ $0.hold(drained) }) { drained.succeed() }
        return drained.futureResult
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        carryOut(state.withLock { $0.finish(.failure(error)) })
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        carryOut(state.withLock { $0.finish(.success(())) })
    }

    // MARK: The reader

    func head() async throws -> WireFeedState.Head {
        while true {
            if let head = try state.withLock({ try $0.readHead() }) { return head }
            await wait()
        }
    }

    /// What has come of the body since the last time, and at least something; nothing at its end.
    func pieces() async throws -> [ByteBuffer] {
        while true {
            if let read = try state.withLock({ try $0.readPieces() }) {
                read.drained?.succeed()
                return read.pieces
            }
            await wait()
        }
    }

    /// Lets go of the connection, unless the response has ended.
    func giveUp() {
        carryOut(state.withLock { $0.giveUp(TintypeError.cancelled) })
    }

    private func carryOut(_ consequence: WireFeedState.Consequence) {
        consequence.task?.cancel()
        consequence.drained?.succeed()
        consequence.reader?.resume()
    }

    private func wait() async {
        await withTaskCancellationHandler {
            // Resumed once: here, or by whoever takes it out of the state.
            await withUnsafeContinuation { reader in
                if !state.withLock({ $0.wait(reader) }) { reader.resume() }
            }
        } onCancel: {
            giveUp()
        }
    }
}
