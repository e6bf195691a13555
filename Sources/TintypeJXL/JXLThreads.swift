import CLibJXL
import Foundation
import Synchronization
import TintypeCore

/// Runs the parts of an image for libjxl on several threads.
enum JXLThreads {
    /// What libjxl passes back to ``run``: the number of threads.
    static func context(_ count: Int) -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: count) }

    /// Calls a function of libjxl for each number in a range, in any order, and returns after the last call. Only the
    /// functions that run at once differ in the number of their thread.
    static let run: JxlParallelRunner = { context, library, prepare, function, start, end in
        let threads = max(1, min(Int(bitPattern: context), Int(end) - Int(start)))
        let failure = prepare?(library, threads) ?? 0
        guard failure == 0 else { return failure }
        let next = Counter(start)
        // Safe because libjxl lets its functions run at once.
        nonisolated(unsafe) let library = library
        SpareThreads.run(threads) { thread in
            while let number = next.next(below: end) { function?(library, number, thread) }
        }
        return 0
    }

    private final class Counter: Sendable {
        private let value: Atomic<UInt32>

        init(_ start: UInt32) {
            value = Atomic(start)
        }

        func next(below end: UInt32) -> UInt32? {
            let number = value.add(1, ordering: .relaxed).oldValue
            return number < end ? number : nil
        }
    }
}
