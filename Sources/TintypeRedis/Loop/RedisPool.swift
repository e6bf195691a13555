import Foundation
import Logging
import TintypeCore
import TintypeTLS

/// The connections to one server. Belongs to the thread of its loop.
///
/// Connections open when commands need them. After a failed attempt, commands fail at once until ``RedisBackoff``
/// allows the next one.
final class RedisPool: RedisConnectionOwner {
    private static let logger = Logger(label: "tintype.redis")

    let configuration: RedisConfiguration
    private let number: Int
    private let inbox: RedisInbox
    private var slots: [RedisConnection?]
    private var subscribers: [RedisSubscriber] = []
    private var backoff = RedisBackoff()
    /// The error of the connection that was lost last.
    private var lastError: TintypeError
    /// The connections that wait for the preparation.
    private var unprepared: [RedisConnection] = []
    private var isPreparing = false
    private var tls: TLSContext?
    /// Whether the loss of the server was logged, and its return was not.
    private var isLost = false

    /// Creates a pool without connections.
    ///
    /// - Parameters:
    ///   - number: The number of the server in the loop.
    ///   - inbox: Takes the results of other threads.
    init(_ configuration: RedisConfiguration, number: Int, inbox: RedisInbox) {
        (self.configuration, self.number, self.inbox) = (configuration, number, inbox)
        lastError = TintypeError(.unreachable, stage: .load, "no connection", subject: configuration.name)
        slots = Array(repeating: nil, count: min(max(configuration.connectionCount, 1), 16))
    }

    /// All connections, with those for messages.
    var connections: [RedisConnection] {
        slots.compactMap(\.self) + subscribers.compactMap(\.connection)
    }

    /// When ``expire(now:)`` has something to do.
    var deadline: Duration? {
        let deadlines = slots.map { $0?.deadline } + subscribers.map(\.deadline)
        return deadlines.reduce(nil) { .earlier($0, $1) }
    }

    // MARK: Commands

    /// Gives a call to a connection, or ends it.
    func submit(_ call: RedisCall, now: Duration) {
        guard !call.isFinished else { return }
        let mayOpen = backoff.allowsAttempt(now: now)
        switch ConnectionChoice(call.kind, among: slots.map(Self.slot), mayOpen: mayOpen) {
        case .use(let place): slots[place]?.submit(call, now: now)
        case .useAndOpen(let place, let other):
            slots[place]?.submit(call, now: now)
            open(other, now)
        case .open(let place):
            // The call must be there when opening fails at once.
            open(place, now, for: call)
        case .none: call.finish(.failure(lastError))
        }
    }

    private static func slot(_ connection: RedisConnection?) -> ConnectionChoice.Slot {
        guard let connection else { return .vacant }
        return connection.phase == .open ? .open(connection.callCount) : .opening(connection.callCount)
    }

    private func open(_ place: Int, _ now: Duration, for call: RedisCall? = nil) {
        let connection = RedisConnection(configuration, now: now, owner: self)
        slots[place] = connection
        if let call { connection.submit(call, now: now) }
        prepare(connection)
    }

    /// Closes all connections, and ends all that waits.
    func close(_ error: TintypeError) {
        for subscriber in subscribers { subscriber.stop() }
        subscribers = []
        for connection in connections { connection.close(error) }
    }

    // MARK: Preparation

    /// Connects a connection once the addresses of the server are known.
    func prepare(_ connection: RedisConnection) {
        if let result = ServerPreparation.atOnce(configuration, tls: tls) {
            return Self.connect(connection, result)
        }
        unprepared.append(connection)
        guard !isPreparing else { return }
        isPreparing = true
        Thread.detachNewThread { [configuration, tls, inbox, number] in
            ThreadName.set("tintype.resolve")
            _ = inbox.add(.prepared(ServerPreparation.blocking(configuration, tls: tls), server: number))
        }
    }

    /// The preparation has ended.
    func prepared(_ result: Result<PreparedServer, TintypeError>) {
        isPreparing = false
        if case .success(let server) = result { tls = server.tls }
        let connections = unprepared
        unprepared = []
        for connection in connections { Self.connect(connection, result) }
    }

    private static func connect(_ connection: RedisConnection, _ result: Result<PreparedServer, TintypeError>) {
        switch result {
        case .success(let server): connection.connect(server)
        case .failure(let error): connection.close(error)
        }
    }

    // MARK: Messages

    func subscribe(_ feed: RedisFeed, now: Duration) {
        let subscriber = RedisSubscriber(feed, of: self)
        subscribers.append(subscriber)
        subscriber.open(now: now)
    }

    func unsubscribe(_ feed: RedisFeed) {
        for subscriber in subscribers where subscriber.feed === feed { subscriber.stop() }
        subscribers.removeAll { $0.feed === feed }
    }

    // MARK: Events

    /// Does what has become due.
    func expire(now: Duration) {
        for connection in connections { connection.expire(now: now) }
        for subscriber in subscribers { subscriber.expire(now: now) }
    }

    func opened(_ connection: RedisConnection) { noteReturn() }

    func answered(_ connection: RedisConnection) {
        backoff.succeeded()
    }

    func received(_ message: [RESPValue], on connection: RedisConnection) {}

    func closed(_ connection: RedisConnection, _ error: TintypeError) {
        forget(connection)
        for place in slots.indices where slots[place] === connection { slots[place] = nil }
        lastError = error
        guard !connection.hasAnswered else { return }
        backoff.failed(now: TimeSource.system.uptime(), random: .random(in: 0...1))
        noteLoss(error)
    }

    /// A connection is closed, and needs no preparation any more.
    func forget(_ connection: RedisConnection) {
        unprepared.removeAll { $0 === connection }
    }

    // MARK: Logs

    /// Logs that there is no connection, once until ``noteReturn()``.
    func noteLoss(_ error: TintypeError) {
        guard !isLost, error.code != .invalidated, error.code != .cancelled else { return }
        isLost = true
        Self.logger.warning(
            "no connection to the Redis server",
            metadata: ["server": "\(configuration.name)", "error": "\(error.message.printable)"])
    }

    func noteReturn() {
        guard isLost else { return }
        isLost = false
        Self.logger.notice("the Redis server answers again", metadata: ["server": "\(configuration.name)"])
    }
}
