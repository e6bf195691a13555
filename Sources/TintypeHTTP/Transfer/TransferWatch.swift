import TintypeCore

/// Ends responses that are too slow: ``TransferWatchState`` behind a lock, with one timer for all responses.
///
/// A timer, or a task, for each response would cost more than the rest of the limits. Most responses have ended before
/// the first check.
final class TransferWatch: Sendable {
    private let state = Locked(TransferWatchState<TransportResponse>())
    private let clock: TransferClock

    init(_ clock: TransferClock) {
        self.clock = clock
    }

    /// Watches a response from the time at which its request is sent.
    ///
    /// - Returns: The slot of the response, for ``end(_:)``; `nil` if the response has no limit.
    func begin(_ response: TransportResponse, _ pace: TransferPace) -> Int? {
        let (slot, alarm) = state.withLock { $0.begin(response, pace, at: response.sent) }
        schedule(alarm)
        return slot
    }

    /// Ends watching a response. Must be called once for each slot.
    func end(_ slot: Int) {
        // The response is released after unlocking.
        _ = state.withLock { $0.end(slot) }
    }

    private func schedule(_ alarm: TransferWatchState<TransportResponse>.Alarm?) {
        guard let alarm else { return }
        clock.schedule(alarm.delay) { [weak self] in self?.ring(alarm) }
    }

    private func ring(_ alarm: TransferWatchState<TransportResponse>.Alarm) {
        let now = clock.uptime()
        let (slow, next) = state.withLock { $0.ring(alarm, at: now) { $0.takeProgress() } }
        for (response, error) in slow { response.fail(error) }
        schedule(next)
    }
}

/// The responses that are watched, and the time of the next check. A pure struct: the time and the progress of a
/// response are arguments.
///
/// Beginning and ending are O(1), without hashing. A check is O(the highest number of responses that were ever watched
/// at once), but takes place only when a response has had time to be too slow.
struct TransferWatchState<Response: AnyObject & Sendable>: Sendable {
    /// The timer for the next check. Only the last one counts.
    struct Alarm: Sendable {
        fileprivate let number: Int
        /// The time from now on.
        let delay: Duration
    }

    /// The watched responses by slot; `nil` in free slots, and in those of responses that were too slow.
    private var watched: [(response: Response, pace: TransferPace)?] = []
    private var freeSlots: [Int] = []
    /// The uptime of the next check; `nil` while no alarm is set.
    private var due: Duration?
    /// The number of alarms so far.
    private var alarmCount = 0

    /// Adds a response.
    ///
    /// - Returns: The slot of the response, which is taken until ``end(_:)``, or `nil` if the response has no limit;
    ///   and the alarm to set, unless the one that is set comes early enough.
    mutating func begin(_ response: Response, _ pace: TransferPace, at now: Duration) -> (slot: Int?, alarm: Alarm?) {
        var pace = pace
        pace.begin(at: now)
        guard let check = pace.nextCheck(at: now) else { return (nil, nil) }
        let slot = freeSlots.popLast() ?? watched.count
        if slot == watched.count { watched.append((response, pace)) } else { watched[slot] = (response, pace) }
        guard due.map({ check < $0 }) ?? true else { return (slot, nil) }
        return (slot, alarm(at: check, now))
    }

    /// Removes a response, whether it was too slow or not. The alarm stays set, so that a series of short responses
    /// needs only one.
    ///
    /// - Returns: The response, unless it was too slow.
    mutating func end(_ slot: Int) -> Response? {
        defer { watched[slot] = nil }
        freeSlots.append(slot)
        return watched[slot]?.response
    }

    /// Checks all responses.
    ///
    /// - Returns: The responses that are too slow, which are no longer watched, and the next alarm to set.
    mutating func ring(
        _ alarm: Alarm, at now: Duration, progress: (Response) -> TransferPace.Progress
    ) -> (slow: [(Response, TintypeError)], next: Alarm?) {
        guard alarm.number == alarmCount, due != nil else { return ([], nil) }
        due = nil
        var slow: [(Response, TintypeError)] = []
        var next: Duration?
        for slot in watched.indices {
            guard case (let response, var pace)? = watched[slot] else { continue }
            if let error = pace.check(progress(response), at: now) {
                slow.append((response, error))
                watched[slot] = nil
            } else if let check = pace.nextCheck(at: now) {
                watched[slot] = (response, pace)
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

/// The lowest rate at which a body must arrive.
///
/// A server that sends a byte now and then is never idle, but holds a slot.
public struct MinimumRate: Hashable, Sendable {
    /// The number of bytes of the body, with its content coding, that must arrive in each interval; 0 sets no limit.
    package var byteCount: Int
    /// The length of an interval. The first one begins when the head of the response has arrived.
    package var interval: Duration

    /// Creates a rate of `byteCount` bytes in each interval.
    public init(byteCount: Int, interval: Duration) {
        self.byteCount = byteCount
        self.interval = interval
    }

    /// 30 KB in each 30 seconds, that is 8 kbit a second.
    package static let standard = MinimumRate(byteCount: 30_000, interval: .seconds(30))

    /// No limit.
    public static let unlimited = MinimumRate(byteCount: 0, interval: .zero)
}

/// Decides whether a response arrives fast enough: within the total time of its attempt, and at a minimum rate. A pure
/// struct: the time is an argument.
struct TransferPace: Sendable {
    /// The progress of a response.
    struct Progress: Hashable, Sendable {
        /// The uptime at which the head arrived; `nil` before.
        var headTime: Duration?
        /// The uptime of the last progress: of the request, the head, a part of the body, or the end of a pause; `nil`
        /// before the request was sent.
        var lastTime: Duration?
        /// The number of bytes of the body that have arrived.
        var byteCount = 0
        /// Whether the origin had to wait for the reader since the last look at the progress.
        var wasPaused = false
    }

    /// The total time of the attempt, and the uptime at which it ends.
    let total: (limit: Duration, end: Duration)?
    /// `nil` for no limit.
    let rate: MinimumRate?
    /// `nil` for no limit.
    private var silence: SilenceLimit?
    /// The uptime at which the current interval began, and the number of bytes that had arrived by then.
    private var interval: (start: Duration, byteCount: Int)?

    /// - Parameters:
    ///   - limit: The total time of the attempt; `nil` for no limit.
    ///   - start: The uptime at which the attempt began.
    init(totalTime limit: Duration?, from start: Duration, rate: MinimumRate?, silence: SilenceLimit? = nil) {
        total = limit.map { ($0, start + min($0, .seconds(1 << 32))) }
        self.rate = rate.flatMap { $0.byteCount > 0 && $0.interval > .zero ? $0 : nil }
        self.silence = silence
    }

    /// Starts the limits when the request is about to be sent.
    mutating func begin(at now: Duration) {
        silence?.begin(at: now)
    }

    /// The uptime of the next check; `nil` when there is no limit.
    func nextCheck(at now: Duration) -> Duration? {
        let ofRate = rate.map { rate in
            // The first interval is counted from the request, so this check may be early. Later ones are exact.
            (interval?.start ?? now) + rate.interval
        }
        return .earlier(.earlier(ofRate, total?.end), silence?.end)
    }

    /// Checks the progress, and returns the error of a response that is too slow.
    mutating func check(_ progress: Progress, at now: Duration) -> TintypeError? {
        if let total, now >= total.end { return TimeLimit.exceeded(total.limit) }
        if silence?.isExceeded(by: progress, at: now) == true { return SilenceLimit.exceeded }
        guard let rate, let headTime = progress.headTime else { return nil }
        let (start, byteCount) = interval ?? (headTime, 0)
        // While the origin waits, its rate is that of the reader.
        if progress.wasPaused {
            interval = (now, progress.byteCount)
        } else if now - start < rate.interval {
            interval = (start, byteCount)
        } else if progress.byteCount - byteCount >= rate.byteCount {
            interval = (now, progress.byteCount)
        } else {
            return Self.tooSlow(progress.byteCount - byteCount, in: now - start)
        }
        return nil
    }

    private static func tooSlow(_ count: Int, in time: Duration) -> TintypeError {
        TintypeError(.timedOut, stage: .load, "too slow: \(count) bytes in \(time.components.seconds) s")
    }
}

/// The longest time without progress of a response. A pure struct: the time is an argument.
struct SilenceLimit: Sendable {
    /// The error of a response that was silent for too long.
    static let exceeded = TintypeError(
        .timedOut, stage: .load, "the server sent nothing within the idle timeout")

    private let connecting: Duration
    private let idle: Duration
    private let idleInBody: Duration
    /// The uptime at which a request that was not sent has taken too long.
    private var connectionEnd = Duration.zero
    /// The uptime of the next check: that at which the limit is reached without further progress, or an earlier one
    /// while the time at which the request is sent is unknown.
    private(set) var end = Duration.zero

    /// - Parameters:
    ///   - connecting: The longest time to connect, which the transport observes. It extends the limit until the
    ///     request is sent.
    ///   - idle: The longest time without progress.
    ///   - idleInBody: The longest time without progress after the head has arrived; `nil` for that of `idle`. It is
    ///     noticed no earlier than the end of the wait for the head would have been.
    init(connecting: Duration, idle: Duration, idleInBody: Duration? = nil) {
        let longest = Duration.seconds(1 << 32)
        (self.connecting, self.idle) = (min(connecting, longest), min(idle, longest))
        self.idleInBody = min(idleInBody ?? idle, longest)
    }

    mutating func begin(at now: Duration) {
        connectionEnd = now + connecting + idle
        end = now + idle
    }

    /// Whether there was no progress for too long.
    mutating func isExceeded(by progress: TransferPace.Progress, at now: Duration) -> Bool {
        let idle = progress.headTime == nil ? idle : idleInBody
        // While the origin waits for the reader, it is not silent.
        if progress.wasPaused {
            end = now + idle
        } else if let last = progress.lastTime {
            end = last + idle
        } else {
            end = now < connectionEnd ? min(connectionEnd, now + idle) : connectionEnd
        }
        return now >= end
    }
}
