import Foundation
import TintypeCore

/// Takes the events of one exchange from a transport, and stores them until `ResponseStream` reads them. All members
/// may be called from any thread, those for a transport by one thread at a time.
public final class TransportResponse: Sendable {
    let state = Locked(ResponseStreamState())
    /// The uptime at which the request was sent.
    let sent: Duration
    private let clock: TransferClock
    private let limiter: ByteRateLimiter?

    /// Creates a response. Call immediately before the request is sent.
    ///
    /// - Parameter limiter: Holds back the body; `nil` for no limit.
    init(_ clock: TransferClock, limitedBy limiter: ByteRateLimiter? = nil) {
        self.clock = clock
        self.limiter = limiter
        sent = clock.uptime()
    }

    // MARK: For transports

    /// Stores the connection that carries the exchange.
    public func connect(_ connection: TransportConnection) {
        let now = clock.uptime()
        state.withLock { $0.connect(connection, at: now) }
    }

    /// Stores the head of the response.
    public func receive(_ head: TransportHead) {
        store(head)
        notify()
    }

    /// Stores a part of the body. The bytes are copied.
    ///
    /// - Returns: Whether to continue.
    public func receive(_ part: UnsafeRawBufferPointer) -> TransportDemand {
        let demand = store(part)
        notify()
        return demand
    }

    /// Ends the exchange. Only the first end counts.
    ///
    /// - Parameter error: A ``TransportFailure`` or a `TintypeError`; `nil` for a complete response.
    public func finish(_ error: (any Error)? = nil) {
        perform(state.withLock { $0.finish(error.map { .failure($0) } ?? .success(())) })
    }

    // MARK: For transports that report several events at once

    /// Stores the head of the response, as ``receive(_:)-(TransportHead)`` does. The reader gets it after ``notify()``.
    func store(_ head: TransportHead) {
        let now = clock.uptime()
        state.withLock { $0.store(ResponseHead(head: head, time: now)) }
    }

    /// Stores a part of the body, as ``receive(_:)-(UnsafeRawBufferPointer)`` does. The reader gets it after
    /// ``notify()``.
    func store(_ part: UnsafeRawBufferPointer) -> TransportDemand {
        let now = clock.uptime()
        let isFull = state.withLock { $0.store(part, at: now) }
        return holdBack(part.count) || isFull ? .pause : .more
    }

    /// Hands what was stored to the waiting reader.
    func notify() {
        let (actions, startsTimer) = state.withLock { ($0.notify(), $0.startTimer()) }
        perform(actions)
        guard startsTimer else { return }
        TransferClock.callOnQueue(ResponseStreamState.smallPartDelay) {
            self.perform(self.state.withLock { $0.timerFired() })
        }
    }

    /// Holds back the rest of the body until the rate limit allows more bytes.
    private func holdBack(_ byteCount: Int) -> Bool {
        guard let limiter, case let delay = limiter.take(byteCount), delay > .zero else { return false }
        state.withLock { $0.holdBack() }
        limiter.schedule(delay) { self.perform(self.state.withLock { $0.release(at: self.clock.uptime()) }) }
        return true
    }

    // MARK: For the downloader

    /// Stores the handle of the exchange.
    func attach(_ exchange: any TransportExchange) {
        let (isCancelled, isDue) = state.withLock { ($0.attach(exchange), $0.takeMissedResumption()) }
        if isCancelled { exchange.cancel() } else if isDue { exchange.resume() }
    }

    /// Fails a response that is still arriving, and cancels its exchange. The parts that have arrived are read before
    /// the error.
    func fail(_ error: TintypeError) {
        perform(state.withLock { $0.fail(error) })
    }

    /// Whether the response has ended, or was cancelled.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether the response was ended because it took too long.
    var hasTimedOut: Bool { state.withLock { $0.error?.code == .timedOut } }

    /// The progress so far.
    func takeProgress() -> TransferPace.Progress { state.withLock { $0.takeProgress() } }

    func perform(_ actions: ResponseStreamState.Actions) {
        actions.cancelled?.cancel()
        actions.resumed?.resume()
        actions.reader?.isDue.fulfill(())
    }
}

/// The head of a response.
struct ResponseHead: Sendable {
    let head: TransportHead
    /// The uptime at which it arrived.
    let time: Duration
}
