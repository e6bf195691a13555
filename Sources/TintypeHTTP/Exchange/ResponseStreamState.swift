import Foundation
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
        /// The exchange, to be continued.
        var resumed: (any TransportExchange)?
        /// The exchange, to be cancelled.
        var cancelled: (any TransportExchange)?
    }

    /// The number of stored bytes at which the origin must wait. Those that a transport holds back are lost when a
    /// connection breaks, and a resumption must request them again.
    private static let maximumByteCount = 1 << 20

    /// Parts with fewer bytes are small: they are handed to the reader together. Resuming the reader and reporting
    /// progress costs as much as copying 100 KB.
    private static let smallPart = 1 << 10
    /// The number of gathered bytes at which small parts no longer wait for more.
    private static let gatheredByteCount = 16 << 10
    /// The longest time that a small part waits for others.
    static let smallPartDelay = Duration.milliseconds(5)
    /// The size from which a part is large.
    private static let largePart = 64 << 10
    /// The number of bytes for which room is made when the head announces a body.
    private static let maximumReservation = 256 << 10

    private(set) var connection: TransportConnection?
    private var head: ResponseHead?
    private var isHeadRead = false
    /// The bytes of the body that have not been read.
    private var unread = Data()
    /// The size of the last part that was read. The next one of a large body has room for as much, so that it does not
    /// grow by copies.
    private var lastPartSize = 0
    private var progress = TransferPace.Progress()
    /// Whether the origin must wait because of the rate limit.
    private var isHeldBack = false
    /// Whether the origin must wait until the reader has taken the stored bytes.
    private var isPaused = false
    /// Whether there are stored bytes that the reader gets without waiting for more.
    private var isDue = false
    private var isTimerRunning = false
    private var end: Result<Void, any Error>?
    /// The waiting reader. The call that takes it out of the state resumes it.
    private var reader: Reader?
    private var exchange: (any TransportExchange)?

    // MARK: Events of the transport

    /// Stores the exchange.
    ///
    /// - Returns: Whether the exchange is to be cancelled.
    mutating func attach(_ exchange: any TransportExchange) -> Bool {
        guard end == nil else { return wasCancelled }
        self.exchange = exchange
        return false
    }

    /// Whether the response ended before the exchange did.
    private var wasCancelled = false
    /// Whether the exchange was to be continued before it was attached.
    private var missedResumption = false

    /// Returns whether to continue the exchange that was attached.
    mutating func takeMissedResumption() -> Bool {
        defer { missedResumption = false }
        return missedResumption && end == nil
    }

    /// Returns the exchange, to be continued.
    private mutating func resumption() -> (any TransportExchange)? {
        if exchange == nil, end == nil { missedResumption = true }
        return exchange
    }

    /// Stores the connection that carries the response.
    mutating func connect(_ connection: TransportConnection, at now: Duration) {
        self.connection = connection
        progress.lastTime = now
    }

    /// Stores the head of the response.
    mutating func store(_ head: ResponseHead) {
        guard end == nil else { return }
        self.head = head
        progress.headTime = head.time
        progress.lastTime = head.time
        if let count = head.head.headers["content-length"].flatMap({ Int(digits: $0) }) {
            unread.reserveCapacity(min(count, Self.maximumReservation))
        }
    }

    /// Stores a part of the body.
    ///
    /// - Returns: Whether the rest of the body must wait until the reader has taken the stored bytes.
    mutating func store(_ part: UnsafeRawBufferPointer, at now: Duration) -> Bool {
        guard end == nil, let base = part.bindMemory(to: UInt8.self).baseAddress else { return false }
        progress.byteCount += part.count
        progress.lastTime = now
        if unread.isEmpty, lastPartSize >= Self.largePart { unread.reserveCapacity(lastPartSize) }
        unread.append(base, count: part.count)
        if part.count >= Self.smallPart || unread.count >= Self.gatheredByteCount { isDue = true }
        guard isFull else { return false }
        isPaused = true
        progress.wasPaused = true
        return true
    }

    /// Returns whether to call ``timerFired()`` after ``smallPartDelay``, because a small part waits.
    mutating func startTimer() -> Bool {
        guard !isDue, !isTimerRunning, !unread.isEmpty, end == nil else { return false }
        isTimerRunning = true
        return true
    }

    /// Ends the wait of small parts for more.
    mutating func timerFired() -> Actions {
        isTimerRunning = false
        isDue = isDue || !unread.isEmpty
        return notify()
    }

    /// Resumes the reader if there is something to read.
    mutating func notify() -> Actions {
        Actions(reader: takeReader())
    }

    /// Makes the origin wait because of the rate limit.
    mutating func holdBack() {
        isHeldBack = true
        progress.wasPaused = true
    }

    /// Ends the wait because of the rate limit.
    mutating func release(at now: Duration) -> Actions {
        isHeldBack = false
        progress.lastTime = now
        return Actions(resumed: isPaused ? nil : resumption())
    }

    /// Whether the rest of the body must wait until the reader has taken the stored bytes.
    var isFull: Bool { end == nil && unread.count >= Self.maximumByteCount }

    /// Ends the response. Only the first end counts.
    mutating func finish(_ end: Result<Void, any Error>) -> Actions {
        guard self.end == nil else { return Actions() }
        self.end = end
        exchange = nil
        return Actions(reader: takeReader())
    }

    /// Ends the response early; bytes that have not been read are lost.
    mutating func cancel(_ error: any Error) -> Actions {
        guard end == nil else { return Actions() }
        unread = Data()
        isDue = false
        return fail(error)
    }

    /// Ends the response early; bytes that have not been read are read before the error.
    mutating func fail(_ error: any Error) -> Actions {
        guard end == nil else { return Actions() }
        wasCancelled = true
        let exchange = exchange
        var actions = finish(.failure(error))
        actions.cancelled = exchange
        return actions
    }

    // MARK: The watch

    /// Returns the progress since the last call.
    mutating func takeProgress() -> TransferPace.Progress {
        defer { progress.wasPaused = isPaused || isHeldBack }
        return progress
    }

    // MARK: The reader

    /// Returns the head; `nil` while it has not arrived.
    mutating func readHead() throws -> ResponseHead? {
        if head == nil { try end?.get() }
        isHeadRead = head != nil
        return head
    }

    /// Returns all stored bytes, or none at the end of the body, and the exchange if it is to be continued; `nil` while
    /// there is nothing to read.
    mutating func readPart(at now: () -> Duration) throws -> (part: Data, resumed: (any TransportExchange)?)? {
        guard isDue || end != nil else { return nil }
        let part = unread
        (unread, isDue, lastPartSize) = (Data(), false, part.count)
        if part.isEmpty { try end?.get() }
        guard isPaused else { return (part, nil) }
        isPaused = false
        progress.lastTime = now()
        return (part, isHeldBack ? nil : resumption())
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

    /// The error of Tintype with which the response ended.
    var error: TintypeError? {
        guard case .failure(let error)? = end else { return nil }
        return error as? TintypeError
    }

    private var canRead: Bool { end != nil || (isHeadRead ? isDue : head != nil) }

    private mutating func takeReader() -> Reader? {
        guard canRead else { return nil }
        defer { reader = nil }
        return reader
    }
}
