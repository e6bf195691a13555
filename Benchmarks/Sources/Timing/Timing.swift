import Foundation

/// The times of an operation and of its control. Both run in turns, so that a disturbance affects both.
package struct Timing {
    /// Nanoseconds per operation, one value per round.
    private var ours: [Double] = []
    private var controls: [Double] = []

    /// Runs both closures once per round. Which runs first alternates.
    ///
    /// - Parameters:
    ///   - rounds: The number of rounds.
    ///   - operations: The number of equal operations in one call of either closure.
    ///   - body: The work to measure. Receives the number of the round.
    ///   - control: The work to compare with. Receives the number of the round.
    package init(
        rounds: Int, operations: Int, _ body: (Int) async throws -> Void, control: (Int) async throws -> Void
    ) async rethrows {
        for round in 0..<rounds {
            let isFirst = round % 2 == 0
            if isFirst { ours.append(try await Self.time(operations) { try await body(round) }) }
            controls.append(try await Self.time(operations) { try await control(round) })
            if !isFirst { ours.append(try await Self.time(operations) { try await body(round) }) }
        }
    }

    /// The median of the ratios of the rounds, which is robust against a disturbed round.
    package var ratio: Double { zip(ours, controls).map { $0 / $1 }.median }

    /// Prints the ratio, the goal for it, and both times.
    package func report(_ name: String, goal: Double) {
        let times = "\(ours.median.rounded(2)) ns, control \(controls.median.rounded(2)) ns"
        print("\(name): \(ratio.rounded(2)) × (goal \(goal)), \(times)")
    }

    /// Returns the time of `body` in nanoseconds per operation.
    package static func time(_ operations: Int, _ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .nanoseconds(operations)
    }
}

extension [Double] {
    /// The middle value; NaN if the array is empty.
    package var median: Double { isEmpty ? .nan : sorted()[count / 2] }

    /// The value that a share of all values (0 to 1) does not exceed; NaN if the array is empty.
    package func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : sorted()[Swift.min(count - 1, Int(share * Double(count)))]
    }
}

extension Double {
    /// The value as text with this number of decimals.
    package func rounded(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

/// A result that makes the measurement invalid.
package struct Unexpected: Error {
    package init() {}
}

/// Throws ``Unexpected`` if a condition is false.
package func check(_ condition: Bool) throws {
    guard condition else { throw Unexpected() }
}
