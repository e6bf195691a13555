import TintypeCore

/// What other threads hand to the thread of a loop.
final class RedisInbox: Sendable {
    enum Command: Sendable {
        case call(RedisCall, server: Int)
        case subscribe(RedisFeed, server: Int)
        case unsubscribe(RedisFeed, server: Int)
        case prepared(Result<PreparedServer, TintypeError>, server: Int)
    }

    /// What a caller of ``add(_:)`` is to do.
    enum Addition: Sendable {
        case none
        /// Start the thread.
        case start(WakeupDescriptor)
        /// The command was not added: the inbox is closed, or the process has no descriptor left.
        case refused(TintypeError)
    }

    private struct State: Sendable {
        var commands: [Command] = []
        /// `nil` before the first command.
        var wakeup: WakeupDescriptor?
        /// Whether the thread waits, and must be woken.
        var isWaiting = false
        var isClosed = false
    }

    private let state = Locked(State())

    static let closed = TintypeError(.invalidated, stage: .load, "the Redis client is closed")
    private static let noDescriptor = TintypeError(
        .unreachable, stage: .load, "the process has no descriptor left for its connections")

    /// Adds a command, and wakes the thread.
    func add(_ command: Command) -> Addition {
        let (addition, woken) = state.withLock { state -> (Addition, WakeupDescriptor?) in
            guard !state.isClosed else { return (.refused(Self.closed), nil) }
            guard let wakeup = state.wakeup else {
                let wakeup = WakeupDescriptor()
                guard wakeup.number >= 0 else { return (.refused(Self.noDescriptor), nil) }
                (state.wakeup, state.commands) = (wakeup, [command])
                return (.start(wakeup), nil)
            }
            state.commands.append(command)
            defer { state.isWaiting = false }
            return (.none, state.isWaiting ? wakeup : nil)
        }
        woken?.signal()
        return addition
    }

    /// Makes the thread end.
    func close() {
        let wakeup = state.withLock { state in
            state.isClosed = true
            return state.wakeup
        }
        wakeup?.signal()
    }

    /// Takes all commands.
    ///
    /// - Returns: The commands, and whether the inbox is closed. Nothing is added to a closed one.
    func take() -> (commands: [Command], isClosed: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isClosed)
        }
    }

    /// Announces that the thread will wait.
    ///
    /// - Returns: `false` if something is there, and the thread must not wait.
    func beginWaiting() -> Bool {
        state.withLock { state in
            state.isWaiting = state.commands.isEmpty && !state.isClosed
            return state.isWaiting
        }
    }

    func endWaiting() {
        state.withLock { $0.isWaiting = false }
    }
}
