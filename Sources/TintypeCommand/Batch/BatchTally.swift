import ArgumentParser

/// The outcome for an image of a batch.
enum BatchOutcome: String, Sendable, CaseIterable {
    /// The image was loaded, inspected or shown.
    case finished
    case written
    /// The output exists, and the user asked to leave it.
    case skipped
    /// A dry run: the output would be written.
    case planned
    case failed
}

/// The outcomes of a batch, and the exit status that follows from them.
struct BatchTally: Equatable, Sendable {
    /// The number of images of the batch.
    let total: Int
    private var counts: [BatchOutcome: Int] = [:]

    init(total: Int) {
        self.total = total
    }

    subscript(_ outcome: BatchOutcome) -> Int { counts[outcome] ?? 0 }

    mutating func add(_ outcome: BatchOutcome, times: Int = 1) { counts[outcome, default: 0] += times }

    /// The images without an outcome, because the user interrupted the batch.
    var remaining: Int { total - counts.values.reduce(0, +) }

    /// Such as `38 written, 1 skipped, 2 failed`.
    var summary: String {
        let parts = BatchOutcome.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }
        return parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")
    }

    /// Returns the line about an interruption, such as `tintype: interrupted: 38 of 100 written`, or `nil` if there was
    /// none.
    ///
    /// - Parameters:
    ///   - outcome: The images to count.
    ///   - participle: The word for the outcome, such as "written".
    func interruptionLine(_ outcome: BatchOutcome, _ participle: String) -> String? {
        remaining > 0 ? "tintype: interrupted: \(self[outcome]) of \(total) \(participle)" : nil
    }

    /// The number of failures, but at most 125: shells use the statuses above for other purposes. After an
    /// interruption, ``Interruption/exitStatus``.
    var exitStatus: Int32 { remaining > 0 ? Interruption.exitStatus : Int32(min(self[.failed], 125)) }

    /// Reports an interruption, and ends the command with the exit status of the batch.
    ///
    /// - Throws: `ExitCode`, unless all images have succeeded.
    func end(_ outcome: BatchOutcome, _ participle: String) throws(ExitCode) {
        if let line = interruptionLine(outcome, participle) { StandardError.write(line, style: .warning) }
        if exitStatus != 0 { throw ExitCode(exitStatus) }
    }
}
