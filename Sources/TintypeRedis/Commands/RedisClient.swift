package import Foundation
package import TintypeCore

/// The commands of one Redis or Valkey server, over a few connections. All members may be called from any thread.
///
/// Commands of concurrent tasks are sent without waiting for the replies to earlier ones. A cancelled task stops
/// waiting at once; its command may still be performed. No command is repeated after a failure, so one that failed may
/// have been performed as well.
///
/// All commands throw `TintypeError.Code.unreachable`, `TintypeError.Code.timedOut` or
/// `TintypeError.Code.insecure` if there is no connection, `TintypeError.Code.transport` if it breaks,
/// `TintypeError.Code.limitExceeded` for a value above ``RedisConfiguration/maximumValueSize``,
/// `TintypeError.Code.badStatus` if the server reports an error, `TintypeError.Code.cancelled`, and
/// `TintypeError.Code.invalidated` after ``close()``.
package struct RedisClient: Sendable {
    private let driver: RedisDriver
    private let number: Int
    /// The configuration of the server.
    package let configuration: RedisConfiguration

    /// Creates a client. Nothing is opened before the first command. When the last copy is gone, everything is closed.
    package init(_ configuration: RedisConfiguration) {
        self.init(configuration, RedisDriver([configuration]), number: 0)
    }

    private init(_ configuration: RedisConfiguration, _ driver: RedisDriver, number: Int) {
        (self.configuration, self.driver, self.number) = (configuration, driver, number)
    }

    /// Returns clients of several servers, which share one thread.
    package static func clients(of servers: [RedisConfiguration]) -> [RedisClient] {
        let driver = RedisDriver(servers)
        return servers.enumerated().map { RedisClient($1, driver, number: $0) }
    }

    /// Closes all connections, also those of clients that share the thread. Commands in progress fail.
    package func close() { driver.close() }

    // MARK: Values

    /// Returns the value of a key; `nil` if there is none.
    package func get(_ key: String) async throws(TintypeError) -> Data? {
        let reply = try await reply(to: RESPCommand("GET", .text(key)), .value)
        if reply == .null { return nil }
        guard let bytes = reply.bytes else { throw unexpected(reply) }
        return bytes
    }

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - timeToLive: After this time the value is removed; at least 1 ms. `nil` keeps it.
    ///   - onlyIfAbsent: Whether to leave a key unchanged that has a value.
    /// - Returns: Whether the value was stored.
    package func set(
        _ key: String, to value: Data, timeToLive: Duration? = nil, onlyIfAbsent: Bool = false
    ) async throws(TintypeError) -> Bool {
        guard value.count <= configuration.maximumValueSize else {
            throw TintypeError(
                .limitExceeded, stage: .store,
                "the value has \(value.count) bytes, the limit is \(configuration.maximumValueSize)", subject: key)
        }
        var arguments: [RESPCommand.Argument] = ["SET", .text(key), .bytes(value)]
        if let timeToLive { arguments += ["PX", .number(timeToLive.expiry)] }
        if onlyIfAbsent { arguments.append("NX") }
        let kind: RedisCall.Kind = value.count <= Self.largestControlSize ? .control : .value
        let reply = try await reply(to: RESPCommand(arguments), kind)
        if reply == .null { return false }
        guard reply == .simple("OK") else { throw unexpected(reply) }
        return true
    }

    /// The size of the largest value, in bytes, that takes the connection of small commands.
    private static let largestControlSize = 1024

    /// Removes the value of a key. The server frees its memory in the background.
    ///
    /// - Returns: Whether there was a value.
    package func unlink(_ key: String) async throws(TintypeError) -> Bool {
        try await count(RESPCommand("UNLINK", .text(key))) > 0
    }

    /// Returns whether a key has a value.
    package func exists(_ key: String) async throws(TintypeError) -> Bool {
        try await count(RESPCommand("EXISTS", .text(key))) > 0
    }

    /// Removes the value of a key if it equals another one, in one step.
    ///
    /// - Returns: Whether it was removed.
    package func unlink(_ key: String, ifEqualTo value: Data) async throws(TintypeError) -> Bool {
        let arguments: [RESPCommand.Argument] = [1, .text(key), .bytes(value)]
        let digest = RESPCommand.Argument.text(Self.unlinkIfEqualDigest)
        let first = try await driver.reply(to: RESPCommand(["EVALSHA", digest] + arguments), .control, from: number)
        if case .error(let text) = first, RedisServerError.code(of: text) == "NOSCRIPT" {
            return try await count(RESPCommand(["EVAL", .text(Self.unlinkIfEqual)] + arguments)) > 0
        }
        return try number(in: try checked(first)) > 0
    }

    private static let unlinkIfEqual =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('UNLINK', KEYS[1]) else return 0 end"
    private static let unlinkIfEqualDigest = SHA1Digest.hexadecimal(of: unlinkIfEqual)

    /// Asks the server for a sign of life.
    package func ping() async throws(TintypeError) {
        let reply = try await reply(to: RESPCommand("PING"), .control)
        guard reply == .simple("PONG") else { throw unexpected(reply) }
    }

    // MARK: Messages

    /// Publishes a message.
    ///
    /// - Returns: The number of clients that receive it.
    @discardableResult
    package func publish(_ message: Data, to channel: String) async throws(TintypeError) -> Int64 {
        try await count(RESPCommand("PUBLISH", .text(channel), .bytes(message)))
    }

    /// Subscribes to channels on a connection of its own, which is opened again whenever it is lost.
    ///
    /// - Returns: The messages from now on. A slow receiver gets the newest 1000 of those that wait. The sequence ends
    ///   when the client is closed; the subscription ends when the sequence is no longer used.
    package func events(on channels: [String]) -> AsyncStream<RedisEvent> {
        driver.events(on: channels, of: number)
    }

    // MARK: Replies

    private func reply(to command: RESPCommand, _ kind: RedisCall.Kind) async throws(TintypeError) -> RESPValue {
        try checked(try await driver.reply(to: command, kind, from: number))
    }

    private func count(_ command: RESPCommand) async throws(TintypeError) -> Int64 {
        try number(in: try await reply(to: command, .control))
    }

    private func checked(_ reply: RESPValue) throws(TintypeError) -> RESPValue {
        guard case .error(let text) = reply else { return reply }
        throw RedisServerError.error(text, server: configuration.name)
    }

    private func number(in reply: RESPValue) throws(TintypeError) -> Int64 {
        guard case .integer(let number) = reply else { throw unexpected(reply) }
        return number
    }

    private func unexpected(_ reply: RESPValue) -> TintypeError {
        TintypeError(
            .transport, stage: .load, "the server answered with \(reply.typeName)", subject: configuration.name)
    }
}

extension Duration {
    /// The time in milliseconds as the time to live of a key: from 1 ms to 100 years, so that servers accept it.
    fileprivate var expiry: Int64 { min(max(milliseconds, 1), 100 * 366 * 24 * 3_600_000) }
}
