import Foundation
import Synchronization

/// Finds descriptors that inputs leave open, such as connections that nobody uses.
final class DescriptorCheck: Sendable {
    private struct State {
        var runs = 0
        /// The number of descriptors after the first inputs.
        var first: Int?
    }

    private let state = Mutex(State())

    private static let interval = 500
    /// The number of descriptors that may be open in addition. Connections close a moment after an input ends.
    private static let tolerance = 100

    /// Compares the number of open descriptors with the first one, now and then.
    func check() {
        state.withLock { state in
            state.runs += 1
            guard state.runs.isMultiple(of: Self.interval) else { return }
            let count = Self.count
            let first = state.first ?? count
            state.first = first
            precondition(count <= first + Self.tolerance, "\(count) descriptors are open, and \(first) were at first")
        }
    }

    private static var count: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
}
