package import Foundation
import NIOCore
import TintypeCore

/// Time as a downloader sees it: how late it is, and a wait.
package struct TransferClock: Sendable {
    /// Time that never jumps, since some moment in the past.
    package var uptime: @Sendable () -> Duration
    /// Calendar time, which may jump.
    package var date: @Sendable () -> Date
    /// Waits; throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// From 0 up to 1, for jitter.
    package var random: @Sendable () -> Double

    package init(
        uptime: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.uptime = uptime
        self.date = date
        self.sleep = sleep
        self.random = random
    }

    /// Its uptime, a number in nanoseconds, stands still while the machine sleeps; its waits do not.
    package static let system = TransferClock(
        uptime: { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }, date: { Date() },
        sleep: { try await Task.sleep(for: $0) })
}

/// Ends work that takes too long.
enum TimeLimit {
    /// - Throws: ``TintypeCore/TintypeError/Code/timedOut`` after `limit`, when the work has heeded that it is cancelled.
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

    static func exceeded(_ limit: Duration) -> TintypeError {
        TintypeError(.timedOut, stage: .load, "not complete within \(limit)")
    }
}
