import Foundation
import TintypeCore

/// Hands commands to the thread that performs them. The thread starts with the first command. Callable from any thread.
final class RedisDriver: Sendable {
    private let servers: [RedisConfiguration]
    private let inbox = RedisInbox()

    init(_ servers: [RedisConfiguration]) {
        self.servers = servers
    }

    deinit {
        close()
    }

    /// Closes all connections and ends the thread. Commands fail from now on.
    func close() {
        inbox.close()
    }

    /// Sends a command and waits for the reply.
    ///
    /// - Parameter server: The number of the server.
    /// - Throws: The error of the connection, or `TintypeError.cancelled`. An error that the server reports is a
    ///   reply.
    func reply(to command: RESPCommand, _ kind: RedisCall.Kind, from server: Int) async throws(TintypeError)
        -> RESPValue
    {
        let call = RedisCall(command, kind)
        if let error = add(.call(call, server: server)) { throw error }
        return try await call.wait()
    }

    /// Subscribes to channels of a server.
    ///
    /// - Returns: What happens. The sequence ends when the driver is closed.
    func events(on channels: [String], of server: Int) -> AsyncStream<RedisEvent> {
        let (events, feed) = RedisFeed.make(channels)
        feed.whenUnused { [inbox, weak feed] in
            if let feed { _ = inbox.add(.unsubscribe(feed, server: server)) }
        }
        if add(.subscribe(feed, server: server)) != nil { feed.finish() }
        return events
    }

    private func add(_ command: RedisInbox.Command) -> TintypeError? {
        switch inbox.add(command) {
        case .none: return nil
        case .refused(let error): return error
        case .start(let wakeup):
            Thread.detachNewThread { [servers, inbox] in
                ThreadName.set("tintype.redis")
                RedisLoop(servers, inbox, wakeup).run()
            }
            return nil
        }
    }
}
