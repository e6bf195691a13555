import Foundation
import Synchronization

/// Finds descriptors that inputs leave open, such as connections that nobody uses, and shared memory that stays mapped.
package final class DescriptorCheck: Sendable {
    private struct State {
        var runs = 0
        /// The numbers of descriptors and mappings after the first inputs.
        var first: (descriptors: Int, mappings: Int)?
    }

    private let state = Mutex(State())

    private static let interval = 500
    /// The number of descriptors or mappings that may exist in addition. Connections close a moment after an input
    /// ends.
    private static let tolerance = 100

    package init() {}

    /// Compares the numbers of descriptors and mappings with the first ones, now and then.
    package func check() {
        state.withLock { state in
            state.runs += 1
            guard state.runs.isMultiple(of: Self.interval) else { return }
            let (descriptors, mappings) = (Self.descriptors, Self.mappings)
            let first = state.first ?? (descriptors, mappings)
            state.first = first
            precondition(
                descriptors <= first.descriptors + Self.tolerance,
                "\(descriptors) descriptors are open, and \(first.descriptors) were at first")
            precondition(
                mappings <= first.mappings + Self.tolerance,
                "\(mappings) blocks of shared memory are mapped, and \(first.mappings) were at first")
        }
    }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// The number of mappings of shared memory.
    private static var mappings: Int {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return maps.split(separator: "\n").count { $0.contains("memfd:") }
    }
}
