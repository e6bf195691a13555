import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import TintypeCore

/// The response to one request while it arrives: first its head, then the parts of its body. One task reads it.
///
/// The request is sent on creation. Releasing the stream cancels a response that has not ended.
final class ResponseStream: Sendable {
    let delegate: ResponseDelegate
    /// Held while the response arrives, since a released client closes its connections.
    private let client: PooledClient
    private let loop: Int
    private let watch: TransferWatch
    /// The slot of the response in the watch; `nil` if it has no limit.
    private let slot: Int?

    /// Sends `request` over a connection of `client`.
    ///
    /// - Parameters:
    ///   - pace: The limits on the time of the response.
    ///   - watch: Fails the response when it exceeds `pace`.
    ///   - limiter: Holds back the body; `nil` for no limit.
    init(
        to request: HTTPClient.Request, over client: PooledClient, at pace: TransferPace, under watch: TransferWatch,
        limitedBy limiter: ByteRateLimiter?
    ) {
        self.client = client
        self.watch = watch
        delegate = ResponseDelegate(
            client.log, redirectedFrom: client.belongsToProgram ? request.url : nil, limitedBy: limiter)
        slot = watch.begin(delegate, pace)
        loop = client.send(request, to: delegate)
    }

    deinit {
        if let slot { watch.end(slot) }
        cancel()
        client.leave(loop)
    }

    /// The uptime at which the request was sent.
    var sent: Duration { delegate.sent }

    /// The connection that carries the response; `nil` while it is unknown.
    var connection: ConnectionLog.Use? { delegate.state.withLock { $0.connection } }

    /// Waits for the head.
    ///
    /// - Throws: The error of the client that ended the response before its head arrived;
    ///   ``TintypeCore/TintypeError/Code/cancelled`` when the task or the response was cancelled.
    func head() async throws -> ResponseHead {
        while true {
            if let head = try delegate.state.withLock({ try $0.readHead() }) { return head }
            await wait()
        }
    }

    /// Waits for the next parts of the body, and returns all that have arrived since the last call; none at the end.
    ///
    /// - Throws: The error of the client that ended the response early, after all parts that arrived before it;
    ///   ``TintypeCore/TintypeError/Code/cancelled`` when the task or the response was cancelled.
    func parts() async throws -> [ByteBuffer] {
        while true {
            if let read = try delegate.state.withLock({ try $0.readParts() }) {
                read.drained?.succeed()
                return read.parts
            }
            await wait()
        }
    }

    /// Ends a response that has not ended, and closes its connection. Parts that have not been read are lost.
    func cancel() {
        delegate.perform(delegate.state.withLock { $0.cancel(TintypeError.cancelled) })
    }

    private func wait() async {
        let reader = ResponseStreamState.Reader()
        guard delegate.state.withLock({ $0.wait(reader) }) else { return }
        await reader.isDue.wait {
            cancel()
            return ()
        }
    }
}

/// The head of a response.
struct ResponseHead: Sendable {
    let head: HTTPResponseHead
    /// The uptime at which it arrived.
    let time: Duration
}

/// Takes the events of one response from the client, on an event loop, and stores them until ``ResponseStream`` reads
/// them.
///
/// The asynchronous interface of the client would parse the URL again, and create a task, a timer and a sequence for
/// each request.
final class ResponseDelegate: HTTPClientResponseDelegate {
    let state = Locked(ResponseStreamState())
    /// The uptime at which the request was sent.
    let sent: Duration
    private let log: ConnectionLog
    /// The URL of the request; `nil` if the client does not follow redirects itself.
    private let url: URL?
    private let limiter: ByteRateLimiter?

    /// Creates a delegate. Call immediately before the request is sent.
    ///
    /// - Parameters:
    ///   - url: The URL of the request, if the client might follow redirects from there.
    ///   - limiter: Holds back the body; `nil` for no limit.
    init(_ log: ConnectionLog, redirectedFrom url: URL? = nil, limitedBy limiter: ByteRateLimiter? = nil) {
        self.log = log
        self.url = url
        self.limiter = limiter
        sent = log.now
    }

    /// The logger for the request. The client passes the identifier of the connection to it.
    var logger: Logger { Logger(label: "tintype.http") { _ in ConnectionIDReader(delegate: self) } }

    /// Stores which connection carries the request. The first one counts.
    func didTakeConnection(id: String) {
        guard state.withLock({ $0.connection == nil }) else { return }
        let use = log.use(id, since: sent)
        state.withLock { $0.connection = use }
    }

    /// Fails a response from another URL than that of the request: the client has followed a redirect that was not
    /// checked.
    func didVisitURL(task: HTTPClient.Task<Void>, _ request: HTTPClient.Request, _ head: HTTPResponseHead) {
        guard let url, request.url != url else { return }
        fail(
            TintypeError(
                .refusedResponse, stage: .load,
                "the HTTP client of the program follows redirects itself; configure it with prepareForDownloads()"))
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        // The task that was cancelled is not that of the redirected request.
        if url != nil, state.withLock({ $0.hasEnded }) {
            return task.eventLoop.makeFailedFuture(HTTPClientError.cancelled)
        }
        let head = ResponseHead(head: head, time: log.now)
        state.withLock { $0.receive(head) }?.isDue.fulfill(())
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let (actions, isFull) = state.withLock { ($0.receive(part), $0.isFull) }
        actions.reader?.isDue.fulfill(())
        if actions.startsTimer { startTimer(on: task.eventLoop) }
        let drained = isFull ? whenDrained(on: task.eventLoop) : task.eventLoop.makeSucceededVoidFuture()
        guard let limiter else { return drained }
        return whenAllowed(after: part.readableBytes, limiter, on: task.eventLoop).flatMap { drained }
    }

    private func startTimer(on eventLoop: any EventLoop) {
        eventLoop.scheduleTask(in: ResponseStreamState.smallPartDelay) {
            self.state.withLock { $0.timerFired() }?.isDue.fulfill(())
        }
    }

    /// A future that holds back the rest of the body until the reader has taken the stored parts.
    private func whenDrained(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let drained = eventLoop.makePromise(of: Void.self)
        // The reader may have read the parts in the meantime.
        if !state.withLock({ $0.pause(until: drained) }) { drained.succeed() }
        return drained.futureResult
    }

    /// A future that holds back the rest of the body until the rate limit allows more bytes.
    private func whenAllowed(
        after byteCount: Int, _ limiter: ByteRateLimiter, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let delay = limiter.take(byteCount)
        guard delay > .zero else { return eventLoop.makeSucceededVoidFuture() }
        state.withLock { $0.isHeldBack = true }
        let allowed = eventLoop.makePromise(of: Void.self)
        limiter.schedule(delay) {
            self.state.withLock { $0.isHeldBack = false }
            allowed.succeed()
        }
        return allowed.futureResult
    }

    /// The client also reports a cancellation for requests that a closing HTTP/2 connection no longer sends. If the
    /// response was cancelled, its state has already ended.
    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let isCancellation = error as? HTTPClientError == .cancelled
        let error = isCancellation ? HTTPClientError.remoteConnectionClosed : error
        perform(state.withLock { $0.finish(.failure(error)) })
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        perform(state.withLock { $0.finish(.success(())) })
    }

    /// Fails a response that is still arriving, and closes its connection. The parts that have arrived are read before
    /// the error.
    func fail(_ error: TintypeError) {
        perform(state.withLock { $0.fail(error) })
    }

    /// Ends a response with an error, unless its request has a connection.
    func failIfUnsent(_ error: TintypeError) {
        perform(state.withLock { $0.connection == nil ? $0.fail(error) : ResponseStreamState.Actions() })
    }

    /// The progress since the last call.
    func takeProgress() -> TransferPace.Progress { state.withLock { $0.takeProgress() } }

    fileprivate func perform(_ actions: ResponseStreamState.Actions) {
        actions.task?.cancel()
        actions.drained?.succeed()
        actions.reader?.isDue.fulfill(())
    }
}
