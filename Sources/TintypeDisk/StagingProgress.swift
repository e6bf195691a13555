/// How far what came in is written and recorded: everything that comes in has a number, and is done in that order.
///
/// Entries are written in handfuls; what is known of those that are written is recorded in batches. So something is done
/// when the batch is that was taken after it was written.
struct StagingProgress: Sendable {
    private(set) var lastNumber = 0
    /// Through which number everything is recorded.
    private(set) var recorded = 0
    private var handful: Int?
    private var batch: Int?

    mutating func next() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Through which number nothing is left to write.
    ///
    /// - Parameter firstWaiting: the first that is not in hand yet; `nil` when all are.
    func written(firstWaiting: Int?) -> Int { (handful ?? firstWaiting ?? lastNumber + 1) - 1 }

    /// The handful before is written.
    ///
    /// - Parameter first: the first of the next; `nil` when there is none.
    mutating func beginHandful(at first: Int?) { handful = first }

    /// All that is known by now is taken to be recorded.
    mutating func beginBatch(firstWaiting: Int?) { batch = written(firstWaiting: firstWaiting) }

    mutating func endBatch() {
        recorded = max(recorded, batch ?? 0)
        batch = nil
    }
}
