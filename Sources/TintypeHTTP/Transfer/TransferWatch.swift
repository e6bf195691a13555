import NIOCore
import TintypeCore

/// Ends responses that are too slow: ``TransferWatchState`` behind a lock, with one timer for all responses.
///
/// A timer, or a task, for each response would cost more than the rest of the limits. Most responses have ended before the
/// first check.
final class TransferWatch: Sendable {
    private let state = Locked(TransferWatchState<ResponseDelegate>())
    private let clock: TransferClock

    init(_ clock: TransferClock) {
        self.clock = clock
    }

    /// Watches a response until ``end(_:)``.
    func begin(_ response: ResponseDelegate, _ pace: TransferPace) {
        let now = clock.uptime()
        schedule(state.withLock { $0.begin(response, pace, at: now) })
    }

    func end(_ response: ResponseDelegate) {
        state.withLock { $0.end(response) }
    }

    private func schedule(_ alarm: TransferWatchState<ResponseDelegate>.Alarm?) {
        guard let alarm else { return }
        clock.schedule(alarm.delay) { [weak self] in self?.ring(alarm) }
    }

    private func ring(_ alarm: TransferWatchState<ResponseDelegate>.Alarm) {
        let now = clock.uptime()
        let (slow, next) = state.withLock { $0.ring(alarm, at: now) { $0.takeProgress() } }
        for (response, error) in slow { response.fail(error) }
        schedule(next)
    }
}

/// The responses that are watched, and the time of the next check. A pure struct: the time and the progress of a response
/// are arguments.
///
/// Beginning and ending are O(1). A check is O(*n*), but takes place only when a response has had time to be too slow.
struct TransferWatchState<Response: AnyObject & Sendable>: Sendable {
    /// The timer for the next check. Only the last one counts.
    struct Alarm: Sendable {
        fileprivate let number: Int
        /// The time from now on.
        let delay: Duration
    }

    private var watched: [ObjectIdentifier: (response: Response, pace: TransferPace)] = [:]
    /// The uptime of the next check; `nil` while no alarm is set.
    private var due: Duration?
    /// The number of alarms so far.
    private var alarmCount = 0

    /// The number of watched responses.
    var count: Int { watched.count }

    /// Adds a response.
    ///
    /// - Returns: The alarm to set, unless the one that is set comes early enough.
    mutating func begin(_ response: Response, _ pace: TransferPace, at now: Duration) -> Alarm? {
        guard let check = pace.nextCheck(at: now) else { return nil }
        watched[ObjectIdentifier(response)] = (response, pace)
        guard due.map({ check < $0 }) ?? true else { return nil }
        return alarm(at: check, now)
    }

    /// Removes a response. The alarm stays set, so that a row of short responses needs one.
    mutating func end(_ response: Response) {
        watched[ObjectIdentifier(response)] = nil
    }

    /// Checks all responses.
    ///
    /// - Returns: The responses that are too slow, which are removed, and the next alarm to set.
    mutating func ring(
        _ alarm: Alarm, at now: Duration, progress: (Response) -> TransferPace.Progress
    ) -> (slow: [(Response, TintypeError)], next: Alarm?) {
        guard alarm.number == alarmCount, due != nil else { return ([], nil) }
        due = nil
        var slow: [(Response, TintypeError)] = []
        var next: Duration?
        for (id, entry) in watched {
            var pace = entry.pace
            if let error = pace.check(progress(entry.response), at: now) {
                slow.append((entry.response, error))
                watched[id] = nil
            } else if let check = pace.nextCheck(at: now) {
                watched[id] = (entry.response, pace)
                next = min(next ?? check, check)
            }
        }
        return (slow, next.map { self.alarm(at: $0, now) })
    }

    private mutating func alarm(at check: Duration, _ now: Duration) -> Alarm {
        due = check
        alarmCount += 1
        return Alarm(number: alarmCount, delay: max(.zero, check - now))
    }
}
