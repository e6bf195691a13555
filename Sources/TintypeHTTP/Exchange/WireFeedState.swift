import AsyncHTTPClient
import NIOCore
import NIOHTTP1

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
