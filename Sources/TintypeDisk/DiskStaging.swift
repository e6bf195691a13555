import Foundation
import TintypeCore

/// What waits to be written: entries, and changes to the bookkeeping. Reads see it from the moment it is here.
///
/// It knows no files, threads or time. Encoded bytes wait here, never decoded pictures, and not without bound: beyond
/// ``capacity`` an entry is turned away, since a cache may forget. One thread writes entries, another the bookkeeping.
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

    /// Bytes that may wait.
    let capacity: Int

    private var waiting: [CacheKey: Waiting] = [:]
    private var order: ArraySlice<(key: CacheKey, number: Int)> = []
    private var batch = IndexBatch()
    private var byteCount = 0
    private var lastNumber = 0
    private var isWriting = false
    private var isRecording = false

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Changes that are worth a transaction of their own while more may come.
    private static let batchSize = 256

    /// Whether nothing waits and no one works.
    var isIdle: Bool { waiting.isEmpty && batch.isEmpty && !isWriting && !isRecording }

    /// An entry that is not written yet.
    func waiting(for key: CacheKey) -> Waiting? { waiting[key] }

    /// Whether something is known of a file that the index does not know yet, so that it is not to be evicted.
    func isPending(_ name: EntryName) -> Bool { batch.changes[name] != nil }

    // MARK: What comes in

    /// Returns `nil` when there is no room.
    mutating func add(_ entry: CacheEntry, for key: CacheKey, modified: DiskTime) -> Work? {
        discard(key)
        guard byteCount + entry.byteCount <= capacity else { return nil }
        lastNumber += 1
        waiting[key] = Waiting(key: key, entry: entry, modified: modified, number: lastNumber)
        order.append((key, lastNumber))
        byteCount += entry.byteCount
        return startWriting()
    }

    mutating func recordAccess(_ name: EntryName, at time: DiskTime) -> Work {
        batch.access(name, at: time)
        return batch.count >= Self.batchSize ? startRecording() : []
    }

    mutating func recordRemoval(_ key: CacheKey, _ name: EntryName) -> Work {
        discard(key)
        return recordRemoval(name)
    }

    /// A file that is gone, whatever waits to take its place.
    mutating func recordRemoval(_ name: EntryName) -> Work {
        batch.remove(name)
        return startRecording()
    }

    /// Begins with whatever waits, even if it would not be worth it yet.
    mutating func start() -> Work { [startWriting(), startRecording()] }

    // MARK: Writing

    /// The next entries to write; `nil` when nothing is left, and writing is over.
    mutating func nextEntries(_ count: Int) -> [Waiting]? {
        guard !waiting.isEmpty else {
            order = []
            isWriting = false
            return nil
        }
        let next = order.prefix(count).compactMap { place in
            waiting[place.key].flatMap { $0.number == place.number ? $0 : nil }
        }
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

    /// What the writer starts between two handfuls: the bookkeeping, when enough has gathered.
    mutating func continueRecording() -> Work { batch.count >= Self.batchSize ? startRecording() : [] }

    /// The next changes to record; `nil` when nothing is left, and recording is over.
    mutating func nextBatch() -> IndexBatch? {
        guard !batch.isEmpty else {
            isRecording = false
            return nil
        }
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
        byteCount -= old.entry.byteCount
    }
}

extension CacheEntry {
    /// Bytes that it keeps in memory: not those that lie in a file.
    fileprivate var byteCount: Int { (file == nil ? data.count : 0) + metadata.count + extended.count }
}
