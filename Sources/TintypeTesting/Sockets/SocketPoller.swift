import Foundation
import HeapModule

/// A socket that ``SocketPoller`` watches.
@SocketLoop
protocol PollSource: AnyObject {
    /// Called when a socket is readable, writable or broken.
    func becomeReady()
}

/// Waits for sockets and for timers.
@SocketLoop
package final class SocketPoller {
    package static let shared = SocketPoller()

    /// The sockets, after an entry for the thread's wakeup, and the sources of the same indices.
    private var entries: [pollfd]
    private var sources: [(any PollSource)?] = [nil]
    private var positions: [Int32: Int] = [:]
    private var timers = Heap<SocketTimer>()
    private var timerCount = 0

    private init() {
        let thread = SocketLoop.shared.thread
        entries = [pollfd(fd: thread.wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
        Task { @SocketLoop in
            while true {
                turn(thread)
                await thread.nextTurn()
            }
        }
    }

    // MARK: Sockets

    /// Watches a socket until ``remove(_:)``.
    func add(_ descriptor: Int32, _ source: any PollSource, events: Int32) {
        positions[descriptor] = entries.count
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        sources.append(source)
    }

    /// Changes the events to wait for, as poll(2) takes them. Errors are always reported.
    func setEvents(_ events: Int32, of descriptor: Int32) {
        if let position = positions[descriptor] { entries[position].events = Int16(events) }
    }

    func remove(_ descriptor: Int32) {
        guard let position = positions.removeValue(forKey: descriptor) else { return }
        let (last, source) = (entries.removeLast(), sources.removeLast())
        if position < entries.count {
            (entries[position], sources[position]) = (last, source)
            positions[last.fd] = position
        }
    }

    // MARK: Timers

    /// Calls a closure at a time, or in the next turn if it has passed.
    package func schedule(at deadline: ContinuousClock.Instant, _ body: @escaping @SocketLoop () -> Void) {
        timerCount += 1
        timers.insert(SocketTimer(deadline: deadline, number: timerCount, body: body))
    }

    // MARK: Turns

    private func turn(_ thread: SocketThread) {
        let count = poll(&entries, nfds_t(entries.count), thread.beginWaiting() ? timeout() : 0)
        thread.endWaiting()
        if count > 0 { notifySources(count) }
        fireTimers()
    }

    /// The milliseconds until the next timer, rounded up.
    private func timeout() -> Int32 {
        guard let next = timers.min else { return -1 }
        let (seconds, attoseconds) = (next.deadline - .now).components
        guard seconds < 3600 else { return 3_600_000 }
        return Int32(max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    private func notifySources(_ count: Int32) {
        if entries[0].revents != 0 { SocketLoop.shared.thread.wakeup.clear() }
        var ready: [(descriptor: Int32, source: any PollSource)] = []
        ready.reserveCapacity(Int(count))
        for position in 1..<entries.count where entries[position].revents != 0 {
            if let source = sources[position] { ready.append((entries[position].fd, source)) }
        }
        // A source may have been removed by one before it, and its descriptor may belong to another.
        for (descriptor, source) in ready {
            if let position = positions[descriptor], sources[position] === source { source.becomeReady() }
        }
    }

    private func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = ContinuousClock.now
        // Timers that are set meanwhile wait for the next turn.
        let last = timerCount
        while let next = timers.min, next.deadline <= now, next.number <= last {
            timers.removeMin()
            next.body()
        }
    }
}

/// A closure to call at a time.
private struct SocketTimer: Comparable {
    let deadline: ContinuousClock.Instant
    /// Orders timers with the same deadline.
    let number: Int
    let body: @SocketLoop () -> Void

    static func < (a: SocketTimer, b: SocketTimer) -> Bool {
        (a.deadline, a.number) < (b.deadline, b.number)
    }

    static func == (a: SocketTimer, b: SocketTimer) -> Bool { a.number == b.number }
}
