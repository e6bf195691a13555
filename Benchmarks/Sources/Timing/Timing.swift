import Foundation

/// Times of one piece of work and of its control, taken in turns so that what disturbs one disturbs the other.
package struct Timing {
    /// Nanoseconds an operation, a round each.
    private var ours: [Double] = []
    private var controls: [Double] = []

    /// - Parameters:
    ///   - operations: equal pieces of work in one call of either closure.
    ///   - body: each is called with the number of the round. Which is first changes from round to round.
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

    /// The median of what each round's two times make, which a disturbed round does not change.
    package var ratio: Double { zip(ours, controls).map { $0 / $1 }.median }

    package func tell(_ name: String, goal: Double) {
        let times = "\(ours.median.rounded(2)) ns beside \(controls.median.rounded(2)) ns"
        print("\(name): \(ratio.rounded(2)) × (goal \(goal)), \(times)")
    }

    package static func time(_ operations: Int, _ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .nanoseconds(operations)
    }
}

extension [Double] {
    package var median: Double { isEmpty ? .nan : sorted()[count / 2] }

    /// The value that a share of all does not exceed.
    package func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : sorted()[Swift.min(count - 1, Int(share * Double(count)))]
    }
}

extension Double {
    package func rounded(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

package struct Unexpected: Error {
    package init() {}
}

package func check(_ condition: Bool) throws {
    guard condition else { throw Unexpected() }
}
