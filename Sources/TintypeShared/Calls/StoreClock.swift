package import TintypeCore

/// The clocks and the random numbers of a shared cache, which tests replace.
package struct StoreClock: Sendable {
    /// The clocks without waiting.
    package var time: TimeSource
    /// Waits for a duration; throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// A random number from 0 up to 1, for jitter.
    package var random: @Sendable () -> Double

    /// Creates a clock. By default it waits in real time.
    package init(
        time: TimeSource = .system, sleep: @escaping @Sendable (Duration) async throws -> Void = Self.sleepInTask,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.time = time
        self.sleep = sleep
        self.random = random
    }

    /// Waits in real time.
    package static let sleepInTask: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
}
