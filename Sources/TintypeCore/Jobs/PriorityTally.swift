/// How many wait at each priority; tells the highest without looking at every one.
struct PriorityTally: Sendable {
    private var counts = InlineCounts()
    private(set) var total = 0

    /// The highest priority that anyone has; `nil` when there is no one.
    var highest: ImagePriority? {
        ImagePriority.allCases.last { counts[$0] > 0 }
    }

    mutating func add(_ priority: ImagePriority) {
        counts[priority] += 1
        total += 1
    }

    mutating func remove(_ priority: ImagePriority) {
        counts[priority] -= 1
        total -= 1
    }

    /// One number a priority, without a heap allocation a job.
    private struct InlineCounts: Sendable {
        private var values = SIMD8<Int32>.zero

        subscript(_ priority: ImagePriority) -> Int32 {
            get { values[Int(priority.rawValue)] }
            set { values[Int(priority.rawValue)] = newValue }
        }
    }
}
