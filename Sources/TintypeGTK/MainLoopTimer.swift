import CTintypeGTK
import TintypeCore

/// A playback timer of GLib's default main context.
///
/// All timers share one source, so a program with hundreds of animated views has one timer in its main loop.
@MainActor package final class MainLoopTimer: PlaybackTimer {
    private let id: Int

    /// Creates a timer.
    package init() {
        id = TimerSource.shared.makeID()
    }

    isolated deinit {
        TimerSource.shared.cancel(id)
    }

    /// The monotonic time of GLib. During a tick, it is the same for all timers that are due.
    package var now: Duration { TimerSource.shared.now }

    /// Calls `tick` once at `time`. Replaces the previous setting.
    package func set(for time: Duration, _ tick: @escaping @MainActor () -> Void) {
        TimerSource.shared.set(id, for: time, tick)
    }

    /// Cancels the pending call, if there is one.
    package func cancel() {
        TimerSource.shared.cancel(id)
    }

    /// Returns a time in whole microseconds, rounded up. A time above 2⁶² becomes 2⁶², at which no timer ever fires.
    nonisolated static func microseconds(_ time: Duration) -> Int64 {
        Int64(min((time / .microseconds(1)).rounded(.up), 0x1p62))
    }
}

/// The source of all timers.
@MainActor private final class TimerSource {
    static let shared = TimerSource()

    private var alarms = Alarms()
    private var ticks: [Int: @MainActor () -> Void] = [:]
    private var lastID = 0
    /// The timers that are due and have not been called, earliest first.
    private var due: ArraySlice<Int> = []
    /// The time at which they were found to be due.
    private var dueTime = Duration.zero
    /// The time of the running tick, so that timers that are due together agree on it, and the nesting depth of the
    /// main loop in which it runs. In a main loop that a tick starts, time continues.
    private var tick: (time: Duration, depth: Int32)?
    /// Lives as long as the process.
    private let timer: OpaquePointer
    /// How long the ticks of one turn of the main loop may take, in microseconds, so that many that are due together,
    /// such as those of all indicators of a window, do not hold up events.
    private static let turn: Int64 = 2000

    /// The time of the source in microseconds; -1 for none.
    private var scheduledTime: Int64 = -1

    private init() {
        timer = tintype_timer_new({ _ in MainActor.assumeIsolated { TimerSource.shared.fire() } }, nil)
    }

    var now: Duration {
        if let tick, tick.depth == tintype_dispatch_depth() { return tick.time }
        return .microseconds(tintype_now())
    }

    func makeID() -> Int {
        lastID += 1
        return lastID
    }

    func set(_ id: Int, for time: Duration, _ tick: @escaping @MainActor () -> Void) {
        ticks[id] = tick
        if alarms.set(id, for: time) { schedule() }
    }

    func cancel(_ id: Int) {
        ticks[id] = nil
        alarms.cancel(id)
    }

    private func fire() {
        // The source fires once.
        scheduledTime = -1
        let start = tintype_now()
        if due.isEmpty {
            dueTime = .microseconds(start)
            due = alarms.takeDue(at: dueTime)[...]
        }
        tick = (dueTime, tintype_dispatch_depth())
        while tintype_now() - start < Self.turn, let id = due.popFirst() {
            // A former tick may have cancelled this timer, or set it to another time.
            guard !alarms.contains(id), let body = ticks.removeValue(forKey: id) else { continue }
            // Before the tick, because it may run a main loop of its own.
            schedule()
            body()
        }
        tick = nil
        schedule()
    }

    private func schedule() {
        let time = due.isEmpty ? alarms.next.map(MainLoopTimer.microseconds) ?? -1 : 0
        guard time != scheduledTime else { return }
        scheduledTime = time
        tintype_timer_set(timer, time)
    }
}

/// The times at which timers are due.
struct Alarms {
    private var times: [Int: Duration] = [:]
    /// The time at which to look for due timers: that of the first one, or earlier if that one was cancelled since.
    private(set) var next: Duration?

    /// Sets the time of a timer.
    ///
    /// - Returns: Whether ``next`` has changed.
    mutating func set(_ id: Int, for time: Duration) -> Bool {
        times[id] = time
        if let next, next <= time { return false }
        next = time
        return true
    }

    mutating func cancel(_ id: Int) {
        times[id] = nil
    }

    /// Whether a timer is set, and has not been taken.
    func contains(_ id: Int) -> Bool { times[id] != nil }

    /// Removes and returns the timers that are due, earliest first.
    ///
    /// - Complexity: O(timers).
    mutating func takeDue(at now: Duration) -> [Int] {
        let due = times.filter { $0.value <= now }
        for id in due.keys { times[id] = nil }
        next = times.values.min()
        return due.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
}
