import AsyncHTTPClient
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

    /// Sends `request` over a connection of `client`.
    ///
    /// - Parameters:
    ///   - pace: The limits on the time of the response.
    ///   - watch: Fails the response if it is slower than that.
    ///   - limiter: Holds back the body; `nil` for no limit.
    init(
        to request: HTTPClient.Request, over client: PooledClient, at pace: TransferPace, under watch: TransferWatch,
        limitedBy limiter: ByteRateLimiter?
    ) {
        self.client = client
        self.watch = watch
        delegate = ResponseDelegate(client.log, limitedBy: limiter)
        watch.begin(delegate, pace)
        loop = client.send(request, to: delegate)
    }

    deinit {
        watch.end(delegate)
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
    private let limiter: ByteRateLimiter?

    /// Create it immediately before the request is sent.
    ///
    /// - Parameter limiter: Holds back the body; `nil` for no limit.
    init(_ log: ConnectionLog, limitedBy limiter: ByteRateLimiter? = nil) {
        self.log = log
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

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
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

    /// Ends a response that has not ended with an error, and closes its connection. The parts that have arrived are read
    /// before the error.
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

/// The unread part of one response. It decides which parts the reader gets, when the reader waits, and when the origin
/// must wait.
struct ResponseStreamState: Sendable {
    /// One wait of the reader.
    final class Reader: Sendable {
        /// Fulfilled when there is something to read.
        let isDue = Promise<Void>()
    }

    /// The actions to perform after a change, without the lock.
    struct Actions: Sendable {
        /// The waiting reader, to be resumed.
        var reader: Reader?
        /// Whether to call ``ResponseStreamState/timerFired()`` after ``ResponseStreamState/smallPartDelay``.
        var startsTimer = false
        /// The promise that holds back the body, to be succeeded.
        var drained: EventLoopPromise<Void>?
        /// The client's task, to be cancelled.
        var task: HTTPClient.Task<Void>?
    }

    /// The number of stored bytes at which the origin must wait. It is generous, because parts that the client holds back
    /// are lost when a connection breaks, and a resumption must request them again.
    private static let maximumByteCount = 4 << 20

    /// Parts with fewer bytes are small: they are copied into one buffer, which the reader gets at once. To resume the
    /// reader and report progress costs as much as copying 100 KB.
    private static let smallPart = 1 << 10
    /// The number of bytes in small parts that do not wait for more.
    private static let gatheredByteCount = 16 << 10
    /// The longest time that a small part waits for others.
    static let smallPartDelay = TimeAmount.milliseconds(5)

    var connection: ConnectionLog.Use?
    private var head: ResponseHead?
    private var isHeadRead = false
    private var parts: [ByteBuffer] = []
    /// Small parts that arrived after ``parts``.
    private var gathered = ByteBuffer()
    private var byteCount = 0
    private var progress = TransferPace.Progress()
    /// Whether the origin must wait because of the rate limit.
    var isHeldBack = false {
        didSet { if isHeldBack { progress.wasPaused = true } }
    }
    /// Whether the reader gets the stored parts, of which there are some, without waiting for more.
    private var isDue = false
    private var isTimerRunning = false
    private var end: Result<Void, any Error>?
    /// The waiting reader. The call that takes it out of the state resumes it.
    private var reader: Reader?
    private var drained: EventLoopPromise<Void>?
    private var task: HTTPClient.Task<Void>?

    // MARK: Events of the client

    /// Stores the client's task, which cancels the request.
    ///
    /// - Returns: The task, if it is to be cancelled.
    mutating func attach(_ task: HTTPClient.Task<Void>) -> HTTPClient.Task<Void>? {
        guard end == nil else { return task }
        self.task = task
        return nil
    }

    /// - Returns: The reader, if it is to be resumed.
    mutating func receive(_ head: ResponseHead) -> Reader? {
        guard end == nil else { return nil }
        self.head = head
        progress.headTime = head.time
        return takeReader()
    }

    /// - Returns: The reader, if it is to be resumed, and whether to start the timer.
    mutating func receive(_ part: ByteBuffer) -> Actions {
        guard end == nil, part.readableBytes > 0 else { return Actions() }
        progress.byteCount += part.readableBytes
        if part.readableBytes < Self.smallPart { gather(part) } else { store(part) }
        if isDue { return Actions(reader: takeReader()) }
        defer { isTimerRunning = true }
        return Actions(startsTimer: !isTimerRunning)
    }

    private mutating func store(_ part: ByteBuffer) {
        storeGathered()
        parts.append(part)
        // A part retains the whole buffer that it was read into, however small the part is.
        byteCount += max(part.readableBytes, part.storageCapacity / 8)
        isDue = true
    }

    /// Copies a small part to those before it.
    private mutating func gather(_ part: ByteBuffer) {
        gathered.writeImmutableBuffer(part)
        byteCount += part.readableBytes
        isDue = isDue || gathered.readableBytes >= Self.gatheredByteCount
    }

    private mutating func storeGathered() {
        guard gathered.readableBytes > 0 else { return }
        parts.append(gathered)
        gathered = ByteBuffer()
    }

    /// The time for which small parts wait has passed.
    ///
    /// - Returns: The reader, if it is to be resumed.
    mutating func timerFired() -> Reader? {
        isTimerRunning = false
        isDue = isDue || gathered.readableBytes > 0
        return takeReader()
    }

    /// Whether the rest of the body must wait until the reader has taken the stored parts.
    var isFull: Bool { end == nil && byteCount >= Self.maximumByteCount }

    /// Stores the promise that holds back the rest of the body, if the stream is still full.
    ///
    /// - Returns: Whether the promise is stored; otherwise the caller succeeds it.
    mutating func pause(until drained: EventLoopPromise<Void>) -> Bool {
        guard isFull else { return false }
        self.drained = drained
        progress.wasPaused = true
        return true
    }

    /// Ends the response. Only the first end counts.
    mutating func finish(_ end: Result<Void, any Error>) -> Actions {
        guard self.end == nil else { return Actions() }
        defer { (task, drained) = (nil, nil) }
        self.end = end
        return Actions(reader: takeReader(), drained: drained)
    }

    /// Ends the response early; parts that have not been read are lost.
    mutating func cancel(_ error: any Error) -> Actions {
        guard end == nil else { return Actions() }
        takeParts()
        return fail(error)
    }

    /// Ends the response early; parts that have not been read are read before the error.
    mutating func fail(_ error: any Error) -> Actions {
        guard end == nil else { return Actions() }
        let task = task
        var actions = finish(.failure(error))
        actions.task = task
        return actions
    }

    // MARK: The watch

    /// Returns the progress since the last call.
    mutating func takeProgress() -> TransferPace.Progress {
        defer { progress.wasPaused = drained != nil || isHeldBack }
        return progress
    }

    // MARK: The reader

    /// Returns the head; `nil` while it has not arrived.
    mutating func readHead() throws -> ResponseHead? {
        if head == nil { try end?.get() }
        isHeadRead = head != nil
        return head
    }

    /// Returns all stored parts, or none at the end of the body; `nil` while there is nothing to read.
    mutating func readParts() throws -> (parts: [ByteBuffer], drained: EventLoopPromise<Void>?)? {
        guard isDue || end != nil else { return nil }
        let drained = drained
        self.drained = nil
        let parts = takeParts()
        if parts.isEmpty { try end?.get() }
        return (parts, drained)
    }

    @discardableResult
    private mutating func takeParts() -> [ByteBuffer] {
        storeGathered()
        defer { (parts, byteCount, isDue) = ([], 0, false) }
        return parts
    }

    /// Stores the reader until there is something to read.
    ///
    /// - Returns: Whether the reader is stored; otherwise there is something to read now.
    mutating func wait(_ reader: Reader) -> Bool {
        guard !canRead else { return false }
        precondition(self.reader == nil, "a response is read by one task at a time")
        self.reader = reader
        return true
    }

    private var canRead: Bool { end != nil || (isHeadRead ? isDue : head != nil) }

    private mutating func takeReader() -> Reader? {
        guard canRead else { return nil }
        defer { reader = nil }
        return reader
    }
}
