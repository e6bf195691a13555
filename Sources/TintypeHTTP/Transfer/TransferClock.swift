package import Foundation
import TintypeCore

/// The clock and the random numbers of a downloader, which tests replace.
package struct TransferClock: Sendable {
    /// The monotonic time since some moment in the past.
    package var uptime: @Sendable () -> Duration
    /// The calendar time, which may jump.
    package var date: @Sendable () -> Date
    /// Waits for a duration; throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Calls a closure once after a duration, on any thread, which it must not block.
    package var schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    /// A random number from 0 up to 1, for jitter.
    package var random: @Sendable () -> Double

    /// Creates a clock from closures.
    package init(
        uptime: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = Self.callOnQueue,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.uptime = uptime
        self.date = date
        self.sleep = sleep
        self.schedule = schedule
        self.random = random
    }

    /// The clocks of the system. The uptime stops while the machine sleeps; waits do not.
    package static let system = TransferClock(
        uptime: { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }, date: { Date() },
        sleep: { try await Task.sleep(for: $0) })

    /// Calls a closure on a queue of the system: a timer there costs less than a task.
    package static let callOnQueue: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = { delay, body in
        let delay = min(max(delay, .zero), .seconds(1 << 32)).components
        let nanoseconds = Int(delay.seconds) * 1_000_000_000 + Int(delay.attoseconds / 1_000_000_000)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
    }
}

/// Limits the time of work that reacts to cancellation. For work that may ignore cancellation, use ``BoundedWait``.
enum TimeLimit {
    /// Runs `work`, and cancels it after `limit`.
    ///
    /// Never inlined: a task group in the frame of its caller would be paid for by transfers without a limit.
    ///
    /// - Throws: The error of `work`; `TintypeError.Code.timedOut` after `limit`, as soon as `work` has
    ///   ended.
    @inline(never)
    static func run<Value: Sendable>(
        _ limit: Duration, _ clock: TransferClock, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await clock.sleep(limit)
                throw exceeded(limit)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw TintypeError.cancelled }
            return first
        }
    }

    /// The error of work that took longer than `limit`.
    static func exceeded(_ limit: Duration) -> TintypeError {
        TintypeError(.timedOut, stage: .load, "not complete within \(limit)")
    }
}

/// A wait for user code, which may hang and ignore cancellation. The wait ends in time and leaves the code running.
enum BoundedWait {
    /// Runs `work` in a task of its own, and returns its result.
    ///
    /// - Parameter limit: The longest wait; `nil` for no limit.
    /// - Throws: The error of `work`; `TintypeError.Code.timedOut` after `limit`;
    ///   `TintypeError.Code.cancelled` as soon as the waiting task is cancelled.
    static func wait<Value: Sendable>(
        _ limit: Duration?, _ clock: TransferClock, for work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = SharedPromise<Result<Value, any Error>>()
        let working = Task { end.fulfill(await Result { try await work() }) }
        let limiting = limit.map { limit in
            Task {
                try await clock.sleep(limit)
                end.fulfill(.failure(TimeLimit.exceeded(limit)))
            }
        }
        defer {
            working.cancel()
            limiting?.cancel()
        }
        return try await end.wait { .failure(TintypeError.cancelled) }.get()
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
