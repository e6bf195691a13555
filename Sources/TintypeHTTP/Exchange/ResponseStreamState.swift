import AsyncHTTPClient
import NIOCore
import TintypeCore

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

    /// Parts with fewer bytes are small: they are copied into one buffer, and handed to the reader together. Resuming
    /// the reader and reporting progress costs as much as copying 100 KB.
    private static let smallPart = 1 << 10
    /// The number of gathered bytes at which small parts no longer wait for more.
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
    /// Whether there are stored parts that the reader gets without waiting for more.
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

    /// Stores the head of the response.
    ///
    /// - Returns: The reader, if it is to be resumed.
    mutating func receive(_ head: ResponseHead) -> Reader? {
        guard end == nil else { return nil }
        self.head = head
        progress.headTime = head.time
        return takeReader()
    }

    /// Stores a part of the body.
    ///
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

    /// Ends the wait of small parts for more.
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

    /// Whether the response has ended, or was cancelled.
    var hasEnded: Bool { end != nil }

    private var canRead: Bool { end != nil || (isHeadRead ? isDue : head != nil) }

    private mutating func takeReader() -> Reader? {
        guard canRead else { return nil }
        defer { reader = nil }
        return reader
    }
}
