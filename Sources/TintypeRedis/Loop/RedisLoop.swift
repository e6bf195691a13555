import Foundation
import TintypeCore

/// The thread that performs the input and output of all servers of a ``RedisDriver``. All its members belong to that
/// thread.
final class RedisLoop {
    private static let bufferSize = 65_536

    private let inbox: RedisInbox
    private let wakeup: WakeupDescriptor
    private let pools: [RedisPool]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    private var entries: [pollfd] = []
    private var polled: [RedisConnection] = []

    init(_ servers: [RedisConfiguration], _ inbox: RedisInbox, _ wakeup: WakeupDescriptor) {
        (self.inbox, self.wakeup) = (inbox, wakeup)
        pools = servers.enumerated().map { RedisPool($1, number: $0, inbox: inbox) }
    }

    deinit {
        buffer.deallocate()
    }

    /// Works until the inbox is closed.
    func run() {
        while true {
            let (commands, isClosed) = inbox.take()
            let now = TimeSource.system.uptime()
            for command in commands { perform(command, now) }
            guard !isClosed else { return close() }
            for pool in pools { for connection in pool.connections { connection.flush() } }
            wait()
            let later = TimeSource.system.uptime()
            notifyConnections(later)
            for pool in pools { pool.expire(now: later) }
        }
    }

    private func perform(_ command: RedisInbox.Command, _ now: Duration) {
        switch command {
        case .call(let call, let server): pools[server].submit(call, now: now)
        case .subscribe(let feed, let server): pools[server].subscribe(feed, now: now)
        case .unsubscribe(let feed, let server): pools[server].unsubscribe(feed)
        case .prepared(let result, let server): pools[server].prepared(result)
        }
    }

    private func close() {
        for pool in pools { pool.close(RedisInbox.closed) }
    }

    // MARK: Waiting

    /// Waits until a socket is ready, a deadline has passed, or a command is there.
    private func wait() {
        polled.removeAll(keepingCapacity: true)
        entries = [pollfd(fd: wakeup.number, events: Int16(POLLIN), revents: 0)]
        for pool in pools {
            for connection in pool.connections {
                guard let (descriptor, events) = connection.poll else { continue }
                polled.append(connection)
                entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
            }
        }
        let timeout = timeout()
        poll(&entries, nfds_t(entries.count), inbox.beginWaiting() ? timeout : 0)
        inbox.endWaiting()
        if entries[0].revents != 0 { wakeup.clear() }
    }

    /// The milliseconds until the next deadline, rounded up; -1 if there is none.
    private func timeout() -> Int32 {
        guard !polled.contains(where: \.mustReadAgain) else { return 0 }
        guard let deadline = pools.map(\.deadline).reduce(nil, { .earlier($0, $1) }) else { return -1 }
        return Int32(min((deadline - TimeSource.system.uptime()).milliseconds, 3_600_000))
    }

    private func notifyConnections(_ now: Duration) {
        for (connection, entry) in zip(polled, entries.dropFirst())
        where entry.revents != 0 || connection.mustReadAgain {
            connection.becomeReady(now: now, buffer: buffer)
        }
    }
}
