/// The numbers up to which changes are written and recorded. Every change gets a number, and they complete in that
/// order.
///
/// Entries are written in groups and recorded in batches. A change is done when the batch is done that was taken after
/// the change was written.
struct StagingProgress: Sendable {
    private(set) var lastNumber = 0
    /// Every change up to this number is recorded.
    private(set) var lastRecorded = 0
    private var group: Int?
    private var batch: Int?

    /// Returns the number of the next change.
    mutating func assignNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Returns the number up to which every entry is written.
    ///
    /// - Parameter firstPending: The number of the first entry that no group contains; `nil` if there is none.
    func lastWritten(firstPending: Int?) -> Int { (group ?? firstPending ?? lastNumber + 1) - 1 }

    /// Ends the current group and begins the next.
    ///
    /// - Parameter first: The number of its first entry; `nil` if there is none.
    mutating func beginGroup(at first: Int?) { group = first }

    /// Begins a batch of all changes known so far.
    mutating func beginBatch(firstPending: Int?) { batch = lastWritten(firstPending: firstPending) }

    /// Ends the current batch, if any.
    mutating func endBatch() {
        lastRecorded = max(lastRecorded, batch ?? 0)
        batch = nil
    }
}
