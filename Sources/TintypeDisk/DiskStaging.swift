import Foundation
import TintypeCore

/// What waits to be written: entries, and changes to the bookkeeping. Reads see it from the moment it is here.
///
/// It knows no files, threads or time. Encoded bytes wait here, never decoded pictures, and not without bound: what the
/// ``WaitingRoom`` has no room for is turned away, since a cache may forget. One thread writes entries, another the
/// bookkeeping.
struct DiskStaging: Sendable {
    /// An entry that waits, or is being written.
    struct Waiting: Sendable {
        let key: CacheKey
        let entry: CacheEntry
        /// When its bytes were stored.
        let modified: DiskTime
        fileprivate let number: Int
    }

    /// What the caller has to start, if anything.
    struct Work: OptionSet, Sendable {
        let rawValue: UInt8
        static let writing = Work(rawValue: 1)
        static let recording = Work(rawValue: 2)
    }

    private(set) var room: WaitingRoom
    private var waiting: [CacheKey: Waiting] = [:]
    private var order: ArraySlice<(key: CacheKey, number: Int)> = []
    private var batch = IndexBatch()
    private var progress = StagingProgress()
    private var isWriting = false
    private var isRecording = false

    init(_ room: WaitingRoom) {
        self.room = room
    }

    /// Changes that are worth a transaction of their own while more may come.
    private static let batchSize = 256

    /// Whether nothing waits and no one works.
    var isIdle: Bool { waiting.isEmpty && batch.isEmpty && !isWriting && !isRecording }

    /// An entry that is not written yet.
    func waiting(for key: CacheKey) -> Waiting? { waiting[key] }

    /// Whether an entry was written that the index does not know yet, so that it is not to be evicted.
    func isNew(_ name: EntryName) -> Bool {
        if case .added = batch.changes[name] { true } else { false }
    }

    // MARK: What comes in

    /// Returns `nil` when there is no room.
    mutating func add(_ entry: CacheEntry, for key: CacheKey, modified: DiskTime) -> Work? {
        discard(key)
        guard room.enter(entry.load(key)) else { return nil }
        let number = progress.next()
        waiting[key] = Waiting(key: key, entry: entry, modified: modified, number: number)
        order.append((key, number))
        dropStalePlaces()
        return startWriting()
    }

    mutating func recordAccess(_ name: EntryName, at time: DiskTime) -> Work {
        _ = progress.next()
        batch.access(name, at: time)
        return batch.count >= Self.batchSize ? startRecording() : []
    }

    mutating func recordRemoval(_ key: CacheKey, _ name: EntryName) -> Work {
        discard(key)
        return recordRemoval(name)
    }

    /// A file that is gone, whatever waits to take its place.
    mutating func recordRemoval(_ name: EntryName) -> Work {
        _ = progress.next()
        batch.remove(name)
        return startRecording()
    }

    /// Begins with whatever waits, even if it would not be worth it yet.
    mutating func start() -> Work { [startWriting(), startRecording()] }

    // MARK: How far it is

    /// The number of what came in last, for ``isDone(through:)``.
    var lastNumber: Int { progress.lastNumber }

    /// Whether everything that came in up to a number is on the disk, or was given up; whatever came after it.
    func isDone(through number: Int) -> Bool {
        number
            <= (isRecording || !batch.isEmpty ? progress.recorded : progress.written(firstWaiting: order.first?.number))
    }

    // MARK: Writing

    /// The next entries to write; `nil` when nothing is left, and writing is over.
    mutating func nextEntries(_ count: Int) -> [Waiting]? {
        progress.beginHandful(at: order.first?.number)
        guard !waiting.isEmpty else {
            order = []
            progress.beginHandful(at: nil)
            isWriting = false
            return nil
        }
        let next = order.prefix(count).compactMap { isStale($0) ? nil : waiting[$0.key] }
        order = order.dropFirst(count)
        return next
    }

    /// Forgets an entry whose file has its name now, unless another took its place meanwhile.
    ///
    /// - Returns: whether its file may stay: not when the entry was removed while it was being written.
    mutating func written(_ entry: Waiting, _ record: IndexRecord) -> Bool {
        guard let standing = waiting[entry.key] else { return false }
        if standing.number == entry.number { discard(entry.key) }
        batch.add(record)
        return true
    }

    /// Forgets an entry that could not be written.
    mutating func failed(_ entry: Waiting) {
        if waiting[entry.key]?.number == entry.number { discard(entry.key) }
    }

    // MARK: Recording

    /// What the writer starts between two handfuls: the bookkeeping, when enough has gathered or someone waits for it.
    mutating func continueRecording(isAwaited: Bool) -> Work {
        isAwaited || batch.count >= Self.batchSize ? startRecording() : []
    }

    /// The next changes to record; `nil` when nothing is left, and recording is over.
    mutating func nextBatch() -> IndexBatch? {
        progress.endBatch()
        guard !batch.isEmpty else {
            isRecording = false
            return nil
        }
        progress.beginBatch(firstWaiting: order.first?.number)
        defer { batch = IndexBatch() }
        return batch
    }

    private mutating func startWriting() -> Work {
        guard !isWriting, !waiting.isEmpty else { return [] }
        isWriting = true
        return .writing
    }

    private mutating func startRecording() -> Work {
        guard !isRecording, !batch.isEmpty else { return [] }
        isRecording = true
        return .recording
    }

    private mutating func discard(_ key: CacheKey) {
        guard let old = waiting.removeValue(forKey: key) else { return }
        room.leave(old.entry.load(key))
    }

    // MARK: The order

    /// One that was stored again, or removed, leaves its old place behind.
    private func isStale(_ place: (key: CacheKey, number: Int)) -> Bool { waiting[place.key]?.number != place.number }

    /// So that a key which is stored again and again, faster than the disk takes it, has no more places than it needs.
    private mutating func dropStalePlaces() {
        guard order.count > 2 * waiting.count + 128 else { return }
        order = ArraySlice(order.filter { !isStale($0) })
    }
}

extension CacheEntry {
    fileprivate func load(_ key: CacheKey) -> WaitingRoom.Load {
        WaitingRoom.Load(
            memory: (file == nil ? data.count : 0) + metadata.count + extended.count + key.source.utf8.count
                + key.rendition.utf8.count + Self.overhead,
            onDisk: file == nil ? 0 : data.count, files: file == nil ? 0 : 1)
    }

    /// Bytes that an entry takes in tables, however small it is.
    private static var overhead: Int { 512 }
}

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
