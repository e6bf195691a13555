package import Foundation
import TintypeCore

/// What happens on a subscription.
package enum RedisEvent: Hashable, Sendable {
    /// The subscription is active, for the first time or again. Messages that were published before it are lost.
    case subscribed
    /// A message was published.
    case message(Data, channel: String)
}

/// The receiving end of a subscription.
final class RedisFeed: Sendable {
    /// The number of events that are kept for a slow receiver. Older ones are dropped.
    static let capacity = 1000

    let channels: [String]
    private let continuation: AsyncStream<RedisEvent>.Continuation

    private init(_ channels: [String], _ continuation: AsyncStream<RedisEvent>.Continuation) {
        (self.channels, self.continuation) = (channels, continuation)
    }

    /// Returns the sequence for a receiver, and the object that fills it. The object must not refer to the sequence,
    /// which ends when the last reference to it does.
    static func make(_ channels: [String]) -> (events: AsyncStream<RedisEvent>, feed: RedisFeed) {
        let (events, continuation) = AsyncStream.makeStream(
            of: RedisEvent.self, bufferingPolicy: .bufferingNewest(capacity))
        return (events, RedisFeed(channels, continuation))
    }

    /// Calls a closure when nobody receives events any more.
    func whenUnused(_ body: @escaping @Sendable () -> Void) {
        continuation.onTermination = { _ in body() }
    }

    func send(_ event: RedisEvent) { continuation.yield(event) }

    func finish() { continuation.finish() }
}

/// A subscription on a connection of its own, which is opened again whenever it is lost. Belongs to the thread of its
/// loop.
final class RedisSubscriber: RedisConnectionOwner {
    let feed: RedisFeed
    private(set) var connection: RedisConnection?
    private unowned let pool: RedisPool
    private var backoff = RedisBackoff()
    private var isStopped = false
    /// When the server must have confirmed the subscription; `nil` if it has, or the connection is not open.
    private var confirmationDeadline: Duration?
    private var confirmedCount = 0

    init(_ feed: RedisFeed, of pool: RedisPool) {
        (self.feed, self.pool) = (feed, pool)
    }

    var deadline: Duration? {
        guard let connection else { return isStopped ? nil : backoff.nextAttempt }
        return .earlier(connection.deadline, confirmationDeadline)
    }

    func open(now: Duration) {
        let connection = RedisConnection(pool.configuration, for: .messages, now: now, owner: self)
        (self.connection, confirmedCount, confirmationDeadline) = (connection, 0, nil)
        pool.prepare(connection)
    }

    func stop() {
        isStopped = true
        connection?.close(.cancelled)
        feed.finish()
    }

    /// Opens the connection again, or closes one on which the server does not confirm the subscription.
    func expire(now: Duration) {
        guard let deadline, deadline <= now else { return }
        if let connection {
            connection.close(
                TintypeError(.timedOut, stage: .load, "the server does not confirm the subscription"))
        } else {
            open(now: now)
        }
    }

    // MARK: Events

    func opened(_ connection: RedisConnection) {
        connection.send(RESPCommand(["SUBSCRIBE"] + feed.channels.map { .text($0) }))
        connection.flush()
        confirmationDeadline = TimeSource.system.uptime() + pool.configuration.commandTimeout
    }

    func answered(_ connection: RedisConnection) {}

    func received(_ message: [RESPValue], on connection: RedisConnection) {
        switch message.first?.text {
        case "subscribe":
            confirmedCount += 1
            guard confirmedCount == feed.channels.count else { return }
            confirmationDeadline = nil
            backoff.succeeded()
            pool.noteReturn()
            feed.send(.subscribed)
        case "message":
            guard message.count == 3, let channel = message[1].text, let bytes = message[2].bytes else { return }
            feed.send(.message(bytes, channel: channel))
        default: break
        }
    }

    func closed(_ connection: RedisConnection, _ error: TintypeError) {
        (self.connection, confirmationDeadline) = (nil, nil)
        pool.forget(connection)
        pool.noteLoss(error)
        backoff.failed(now: TimeSource.system.uptime(), random: .random(in: 0...1))
    }
}
