import Foundation
import TintypeCore

/// Entries and index changes that wait to be written. Reads see them immediately.
///
/// A pure value: it has no files, threads or clock. It holds encoded bytes, never decoded images. The ``StagingBudget``
/// bounds it: an entry that does not fit is refused, because a cache need not store every entry. One thread writes
/// entries and another writes the index.
struct DiskStaging: Sendable {
    /// An entry that waits to be written or is being written.
    struct PendingEntry: Sendable {
        let key: CacheKey
        let entry: CacheEntry
        /// When its bytes were stored.
        let modified: DiskTime
        /// Whether it gets the extended data of the file that it replaces.
        let keepsExtended: Bool
        fileprivate let number: Int
    }

    /// The background work that the caller must start.
    struct Work: OptionSet, Sendable {
        let rawValue: UInt8
        static let writing = Work(rawValue: 1)
        static let recording = Work(rawValue: 2)
    }

    private var budget: StagingBudget
    private var pending: [CacheKey: PendingEntry] = [:]
    private var order: ArraySlice<(key: CacheKey, number: Int)> = []
    private var batch = IndexBatch()
    private var progress = StagingProgress()
    private var isWriting = false
    private var isRecording = false

    init(_ budget: StagingBudget) {
        self.budget = budget
    }

    /// The number of changes that justify a transaction while more may come.
    private static let batchSize = 256

    /// Whether nothing waits and no thread is working.
    var isIdle: Bool { pending.isEmpty && batch.isEmpty && !isWriting && !isRecording }

    /// Whether an entry waits under a key. Faster than ``pendingEntry(for:)``, which copies the entry or its absence.
    func hasPendingEntry(for key: CacheKey) -> Bool { pending.index(forKey: key) != nil }

    /// Returns the entry that waits under a key.
    func pendingEntry(for key: CacheKey) -> PendingEntry? { pending[key] }

    /// Whether an entry was written that the index does not contain yet. Such an entry must not be evicted.
    func isUnrecorded(_ name: EntryName) -> Bool {
        if case .added = batch.changes[name] { true } else { false }
    }

    // MARK: Adding work

    /// Adds an entry and replaces a pending one of the same key. Returns `nil` if the budget has no room.
    ///
    /// - Parameter keepsExtended: Whether an entry without extended data gets that of the entry that it replaces.
    mutating func add(
        _ entry: CacheEntry, for key: CacheKey, modified: DiskTime, keepsExtended: Bool = true
    ) -> Work? {
        let former = pending[key]
        discard(key)
        var entry = entry
        var keepsExtended = keepsExtended && entry.extended.isEmpty
        if keepsExtended, let former { (entry.extended, keepsExtended) = (former.entry.extended, former.keepsExtended) }
        guard budget.admit(entry.stagingCost(for: key)) else { return nil }
        let number = progress.assignNumber()
        pending[key] = PendingEntry(
            key: key, entry: entry, modified: modified, keepsExtended: keepsExtended, number: number)
        order.append((key, number))
        dropStalePositions()
        return startWriting()
    }

    /// Records a use. Starts the recorder only for a full batch.
    mutating func recordAccess(_ name: EntryName, at time: DiskTime) -> Work {
        _ = progress.assignNumber()
        batch.access(name, at: time)
        return batch.count >= Self.batchSize ? startRecording() : []
    }

    /// Discards the pending entry of a key and records the removal of its file.
    mutating func recordRemoval(_ key: CacheKey, _ name: EntryName) -> Work {
        discard(key)
        return recordRemoval(name)
    }

    /// Records the removal of a file. A pending entry of that name is not affected.
    mutating func recordRemoval(_ name: EntryName) -> Work {
        _ = progress.assignNumber()
        batch.remove(name)
        return startRecording()
    }

    /// Withdraws a removal that failed and is not in the index yet.
    mutating func withdrawRemoval(_ name: EntryName) { batch.withdrawRemoval(name) }

    /// Starts all waiting work, even a batch that is not full.
    mutating func start() -> Work { [startWriting(), startRecording()] }

    // MARK: Progress

    /// The number of the most recent change, for ``isDone(through:)``.
    var lastNumber: Int { progress.lastNumber }

    /// Whether every change up to a number is on disk or was abandoned. Later changes do not matter.
    func isDone(through number: Int) -> Bool {
        number
            <= (isRecording || !batch.isEmpty
                ? progress.lastRecorded : progress.lastWritten(firstPending: order.first?.number))
    }

    // MARK: Writing

    /// Takes the next entries to write. Returns `nil` and ends writing if there are none.
    mutating func takeEntries(upTo count: Int) -> [PendingEntry]? {
        progress.beginGroup(at: order.first?.number)
        guard !pending.isEmpty else {
            order = []
            progress.beginGroup(at: nil)
            isWriting = false
            return nil
        }
        let next = order.prefix(count).compactMap { isStale($0) ? nil : pending[$0.key] }
        order = order.dropFirst(count)
        return next
    }

    /// Removes an entry whose file has its final name, unless a newer entry has replaced it.
    ///
    /// - Returns: Whether the file may stay: `false` if the entry was removed while it was being written.
    mutating func finishWriting(_ entry: PendingEntry, _ record: IndexRecord) -> Bool {
        guard let current = pending[entry.key] else { return false }
        if current.number == entry.number { discard(entry.key) }
        batch.add(record)
        return true
    }

    /// Removes an entry that is in a segment, unless a newer entry has replaced it.
    ///
    /// - Parameter file: The name of the file that the entry replaces, if any.
    /// - Returns: Whether the record may stay: `false` if the entry was removed while it was being written.
    mutating func finishWriting(_ entry: PendingEntry, replacesFile file: EntryName?) -> Bool {
        if let file { batch.remove(file) }
        guard let current = pending[entry.key] else { return false }
        if current.number == entry.number { discard(entry.key) }
        batch.recordCount += 1
        return true
    }

    /// Removes an entry that could not be written.
    mutating func discardFailed(_ entry: PendingEntry) {
        if pending[entry.key]?.number == entry.number { discard(entry.key) }
    }

    // MARK: Recording

    /// Starts the recorder between two groups of entries, if a batch is full or a caller waits.
    mutating func continueRecording(isAwaited: Bool) -> Work {
        isAwaited || batch.count >= Self.batchSize ? startRecording() : []
    }

    /// Takes the next changes to record. Returns `nil` and ends recording if there are none.
    mutating func takeBatch() -> IndexBatch? {
        progress.endBatch()
        guard !batch.isEmpty else {
            isRecording = false
            return nil
        }
        progress.beginBatch(firstPending: order.first?.number)
        defer { batch = IndexBatch() }
        return batch
    }

    private mutating func startWriting() -> Work {
        guard !isWriting, !pending.isEmpty else { return [] }
        isWriting = true
        return .writing
    }

    private mutating func startRecording() -> Work {
        guard !isRecording, !batch.isEmpty else { return [] }
        isRecording = true
        return .recording
    }

    private mutating func discard(_ key: CacheKey) {
        guard let old = pending.removeValue(forKey: key) else { return }
        budget.release(old.entry.stagingCost(for: key))
    }

    // MARK: Order

    /// Whether the entry at this position was removed or stored again since.
    private func isStale(_ position: (key: CacheKey, number: Int)) -> Bool {
        pending[position.key]?.number != position.number
    }

    /// Bounds the queue when one key is stored faster than the disk takes it.
    private mutating func dropStalePositions() {
        guard order.count > 2 * pending.count + 128 else { return }
        order = ArraySlice(order.filter { !isStale($0) })
    }
}
