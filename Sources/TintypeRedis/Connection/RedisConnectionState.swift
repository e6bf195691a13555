import TintypeCore

/// The protocol of one connection: the handshake, then commands and their replies in the same order.
///
/// It knows neither sockets nor time. `Call` is what waits for the reply to a command. Once a call is in the queue, its
/// reply will be taken for it even if nobody waits any more, so that all others get theirs.
struct RedisConnectionState<Call: Sendable>: Sendable {
    /// What a connection is for.
    enum Purpose: Sendable {
        case commands
        /// Messages to channels. Version 2 of the protocol sends them as arrays, version 3 as push messages.
        case messages
    }

    enum Phase: Equatable, Sendable {
        /// The socket is connecting, or the handshake is not finished.
        case opening
        case open
        case closed
    }

    /// What to do after a reply.
    enum Reaction: Sendable {
        case nothing
        case send(RESPCommand)
        /// The handshake has ended. Next, send the calls that ``takeWaiting(now:where:)`` returns.
        case opened
        case deliver(Call, RESPValue)
        case message([RESPValue])
        case close(TintypeError)
    }

    private struct Pending: Sendable {
        let call: Call
        let deadline: Duration
    }

    /// The number of calls that may wait on one connection.
    static var maximumCount: Int { 16_384 }

    private(set) var phase = Phase.opening
    /// Whether a command has been answered.
    private(set) var hasAnswered = false

    private let purpose: Purpose
    private let server: String
    private let openingDeadline: Duration
    private let connectTimeout: Duration
    private let commandTimeout: Duration
    private var handshake: RedisHandshake
    private var hasBegun = false
    private var waiting: [Call] = []
    private var pending: ArraySlice<Pending> = []

    /// Creates the state of a connection that begins to open.
    init(_ configuration: RedisConfiguration, for purpose: Purpose = .commands, now: Duration) {
        self.purpose = purpose
        server = configuration.name
        (connectTimeout, commandTimeout) = (configuration.connectTimeout, configuration.commandTimeout)
        openingDeadline = now + configuration.connectTimeout
        handshake = RedisHandshake(configuration)
    }

    /// The number of calls without a reply.
    var callCount: Int { waiting.count + pending.count }

    /// When ``expire(now:)`` will close the connection; `nil` while nothing is awaited. The queue is in order of
    /// submission, and all commands have the same time-out, so the first call has the earliest deadline.
    var deadline: Duration? {
        switch phase {
        case .opening: openingDeadline
        case .open: pending.first?.deadline
        case .closed: nil
        }
    }

    // MARK: Events

    /// The socket is connected.
    ///
    /// - Returns: The command to send.
    mutating func connected() -> RESPCommand {
        hasBegun = true
        return handshake.first
    }

    /// Adds a call at the end of the queue.
    ///
    /// - Returns: Whether its command is to be sent now. Otherwise it waits for the handshake.
    mutating func submit(_ call: Call, now: Duration) -> Bool {
        guard phase == .open else {
            waiting.append(call)
            return false
        }
        pending.append(Pending(call: call, deadline: now + commandTimeout))
        return true
    }

    /// Moves the calls that waited for the handshake into the queue.
    ///
    /// - Parameter isWanted: Returns `false` for a call that nobody waits for. It is dropped.
    /// - Returns: The calls, whose commands are to be sent in this order.
    mutating func takeWaiting(now: Duration, where isWanted: (Call) -> Bool) -> [Call] {
        let calls = waiting.filter(isWanted)
        waiting = []
        pending += calls.map { Pending(call: $0, deadline: now + commandTimeout) }
        return calls
    }

    /// A reply, or a message of the server, has arrived.
    mutating func received(_ reply: RESPValue) -> Reaction {
        switch phase {
        case .closed: .nothing
        case .opening: receivedInHandshake(reply)
        case .open: purpose == .commands ? receivedReply(reply) : receivedMessage(reply)
        }
    }

    /// Time has passed.
    ///
    /// - Returns: The error with which to close the connection, if the deadline has passed.
    func expire(now: Duration) -> TintypeError? {
        guard let deadline, deadline <= now else { return nil }
        let message =
            phase == .opening
            ? "no connection within \(connectTimeout.milliseconds) ms"
            : "no reply within \(commandTimeout.milliseconds) ms; the connection is closed"
        return TintypeError(.timedOut, stage: .load, message, subject: server)
    }

    /// The connection is closed.
    ///
    /// - Returns: The calls that get no reply.
    mutating func close() -> [Call] {
        defer { (phase, waiting, pending) = (.closed, [], []) }
        return pending.map(\.call) + waiting
    }

    // MARK: Replies

    private mutating func receivedInHandshake(_ reply: RESPValue) -> Reaction {
        if case .push = reply { return .nothing }
        guard hasBegun else { return .close(unexpected(reply)) }
        switch handshake.received(reply) {
        case .send(let command): return .send(command)
        case .refused(let error): return .close(error)
        case .done:
            phase = .open
            return .opened
        }
    }

    private mutating func receivedReply(_ reply: RESPValue) -> Reaction {
        if case .push = reply { return .nothing }
        guard let first = pending.popFirst() else { return .close(unexpected(reply)) }
        hasAnswered = true
        return .deliver(first.call, reply)
    }

    private mutating func receivedMessage(_ reply: RESPValue) -> Reaction {
        switch reply {
        case .push(let values), .array(let values):
            hasAnswered = true
            return .message(values)
        case .error(let text): return .close(RedisServerError.error(text, server: server))
        default: return .close(unexpected(reply))
        }
    }

    private func unexpected(_ reply: RESPValue) -> TintypeError {
        TintypeError(
            .transport, stage: .load, "the server sent \(reply.typeName) without being asked", subject: server)
    }
}

extension Duration {
    /// The time in milliseconds, rounded up; 0 for negative times.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1_000_000_000_000 else { return 1_000_000_000_000_000 }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
