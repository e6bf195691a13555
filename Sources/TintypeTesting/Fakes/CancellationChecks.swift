package import TintypeCore

/// Counts checks for cancellation, and reports cancellation after some of them. You can use it from any thread.
package final class CancellationChecks: Sendable {
    private let passing: Int
    private let made = Locked(0)

    /// Creates a counter.
    ///
    /// - Parameter passing: The number of checks before the first one that reports cancellation.
    package init(passing: Int = .max) {
        self.passing = passing
    }

    /// The number of checks so far.
    package var count: Int { made.withLock { $0 } }

    /// Counts a check, and returns whether it reports cancellation.
    package func isCancelled() -> Bool {
        made.withLock { made in
            made += 1
            return made > passing
        }
    }

    /// Cancels work at its first check, then at its second one, and so on, until it finishes.
    ///
    /// - Parameters:
    ///   - most: The number of checks that the last run passes.
    ///   - step: The difference between the numbers of checks that two runs pass.
    ///   - work: Work that throws `TintypeError.Code.cancelled` if a check reports cancellation.
    /// - Returns: The number of checks that the finished run was allowed to pass, or `nil` if no run finished.
    /// - Throws: The first other error of `work`.
    package static func cancelAtEach(
        upTo most: Int, by step: Int = 1,
        _ work: (_ isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> Void
    ) throws(TintypeError) -> Int? {
        for count in stride(from: 0, through: most, by: step) {
            do throws(TintypeError) {
                try work(CancellationChecks(passing: count).isCancelled)
                return count
            } catch {
                guard error.code == .cancelled else { throw error }
            }
        }
        return nil
    }
}
