/// What became of the images of a batch.
enum BatchOutcome: String, Sendable, CaseIterable {
    case written
    /// The output exists, and the user asked to leave it.
    case skipped
    /// A dry run: the output would be written.
    case planned
    case failed
}

/// The outcomes of a batch, and the exit status that follows from them.
struct BatchTally: Equatable, Sendable {
    private var counts: [BatchOutcome: Int] = [:]
    /// The images that were not begun, because the user interrupted the batch.
    var remaining = 0

    subscript(_ outcome: BatchOutcome) -> Int { counts[outcome] ?? 0 }

    mutating func add(_ outcome: BatchOutcome, times: Int = 1) { counts[outcome, default: 0] += times }

    /// Such as `38 written, 1 skipped, 2 failed`.
    var summary: String {
        var parts = BatchOutcome.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }
        if remaining > 0 { parts.append("\(remaining) not begun") }
        return parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")
    }

    /// The number of failures, but at most 125: shells use the statuses above for other purposes. After an interruption,
    /// the status that a shell gives a command that `SIGINT` has ended.
    var exitStatus: Int32 { remaining > 0 ? 130 : Int32(min(self[.failed], 125)) }
}
