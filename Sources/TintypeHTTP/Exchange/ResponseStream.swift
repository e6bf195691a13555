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

/// What has come of one response and was not read yet: decides what its one reader gets, and when it waits.
struct WireFeedState: Sendable {
    struct Head: Sendable {
        let head: HTTPResponseHead
        /// When it came.
        let time: Duration
    }

    /// What a change asks for when the lock is free.
    struct Consequence: Sendable {
        var reader: UnsafeContinuation<Void, Never>?
        /// Lets more of the body come.
        var drained: EventLoopPromise<Void>?
        /// To be cancelled.
        var task: HTTPClient.Task<Void>?
    }

    /// Pieces and bytes of the body that wait before the origin has to. Not less, since what the client below is made to
    /// hold back is lost to a later resumption when the connection breaks.
    private static let maximumPieceCount = 4096
    private static let maximumByteCount = 4 << 20

    var connection: ConnectionLog.Use?
    private var head: Head?
    private var isHeadRead = false
    private var pieces: [ByteBuffer] = []
    private var byteCount = 0
    private var end: Result<Void, any Error>?
    /// Taken out by whoever resumes it.
    private var reader: UnsafeContinuation<Void, Never>?
    private var drained: EventLoopPromise<Void>?
    private var task: HTTPClient.Task<Void>?

    // MARK: What comes

    /// - Returns: the task, if it is to be cancelled.
    mutating func attach(_ task: HTTPClient.Task<Void>) -> HTTPClient.Task<Void>? {
        guard end == nil else { return task }
        self.task = task
        return nil
    }

    /// - Returns: who is to be resumed, here and below.
    mutating func take(_ head: Head) -> UnsafeContinuation<Void, Never>? {
        guard end == nil else { return nil }
        self.head = head
        return takeReader()
    }

    mutating func take(_ piece: ByteBuffer) -> UnsafeContinuation<Void, Never>? {
        guard end == nil else { return nil }
        pieces.append(piece)
        // Each keeps the buffer that it was read into, however little of that it is.
        byteCount += max(piece.readableBytes, piece.storageCapacity / 8)
        return takeReader()
    }

    /// Whether no more of the body should come until the reader has taken what is there.
    var isFull: Bool { end == nil && (pieces.count >= Self.maximumPieceCount || byteCount >= Self.maximumByteCount) }

    /// Keeps what tells that the reader has, if that is still to come.
    mutating func hold(_ drained: EventLoopPromise<Void>) -> Bool {
        guard isFull else { return false }
        self.drained = drained
        return true
    }

    /// Only the first end counts.
    mutating func finish(_ end: Result<Void, any Error>) -> Consequence {
        guard self.end == nil else { return Consequence() }
        defer { (task, drained) = (nil, nil) }
        self.end = end
        return Consequence(reader: takeReader(), drained: drained)
    }

    /// Ends it before its time; what has not been read is lost.
    mutating func giveUp(_ error: any Error) -> Consequence {
        guard end == nil else { return Consequence() }
        pieces = []
        let task = task
        var consequence = finish(.failure(error))
        consequence.task = task
        return consequence
    }

    // MARK: Its reader

    /// `nil` while there is nothing to read.
    mutating func readHead() throws -> Head? {
        if head == nil { try end?.get() }
        isHeadRead = head != nil
        return head
    }

    /// No pieces at the end; `nil` while there is nothing to read.
    mutating func readPieces() throws -> (pieces: [ByteBuffer], drained: EventLoopPromise<Void>?)? {
        guard pieces.isEmpty else {
            defer { (pieces, byteCount, drained) = ([], 0, nil) }
            return (pieces, drained)
        }
        guard let end else { return nil }
        try end.get()
        return ([], nil)
    }

    /// - Returns: whether there is nothing to read, and `reader` is kept until there is.
    mutating func wait(_ reader: UnsafeContinuation<Void, Never>) -> Bool {
        guard !canRead else { return false }
        precondition(self.reader == nil, "a body is read by one at a time")
        self.reader = reader
        return true
    }

    private var canRead: Bool { end != nil || (isHeadRead ? !pieces.isEmpty : head != nil) }

    private mutating func takeReader() -> UnsafeContinuation<Void, Never>? {
        guard canRead else { return nil }
        defer { reader = nil }
        return reader
    }
}

/// A response on its way, as long as someone wants it: its connection is let go of with this.
final class WireResponse: Sendable {
    private let feed: WireFeed
    /// Closes its connections when no one needs it any more.
    private let client: PooledClient
    private let loop: Int

    /// Sends a request.
    init(to request: HTTPClient.Request, over client: PooledClient) {
        self.client = client
        feed = WireFeed(client.log)
        loop = client.send(request, to: feed)
    }

    deinit {
        feed.giveUp()
        client.leave(loop)
    }

    /// When the request was sent.
    var sent: Duration { feed.sent }

    /// The connection that it comes over; `nil` while that is not known.
    var connection: ConnectionLog.Use? { feed.connection }

    func head() async throws -> WireFeedState.Head { try await feed.head() }

    func pieces() async throws -> [ByteBuffer] { try await feed.pieces() }
}
