/// What an ``ImagePrefetcher`` has to do: batches in the order they came, of which so many pictures are loaded at once.
///
/// It knows no threads, tasks or time. Every operation costs O(1), but for those that name a source or everything.
struct PrefetchTable: Sendable {
    /// One picture of one batch.
    struct Item: Hashable, Sendable {
        let batch: Int
        let index: Int
    }

    private struct Batch: Sendable {
        let items: PrefetchItems
        var next = 0
        var progress: PrefetchProgress
        /// Sources that are skipped when their turn comes.
        var cancelled: Set<String> = []

        init(_ items: PrefetchItems) {
            self.items = items
            progress = PrefetchProgress(total: items.count)
        }
    }

    private let concurrency: Int
    private var batches: [Int: Batch] = [:]
    /// Batches that have pictures left to begin, the oldest first.
    private var line: ArraySlice<Int> = []
    private var lastBatch = 0
    private(set) var workers = 0
    private(set) var isPaused = false

    init(concurrency: Int) {
        self.concurrency = max(1, concurrency)
    }

    var batchCount: Int { batches.count }
}

// MARK: - What there is to do

extension PrefetchTable {
    /// Adds a batch; `nil` when it is empty, and so done.
    mutating func add(_ items: PrefetchItems) -> Int? {
        guard items.count > 0 else { return nil }
        lastBatch += 1
        batches[lastBatch] = Batch(items)
        line.append(lastBatch)
        return lastBatch
    }

    /// How many workers have to be started, who ask ``next()`` until there is nothing more. Counted as running from now.
    mutating func workersToStart() -> Int {
        guard !isPaused else { return 0 }
        let begun = workers
        workers = max(workers, min(concurrency, workers + itemsLeft(atMost: concurrency)))
        return workers - begun
    }

    private func itemsLeft(atMost limit: Int) -> Int {
        var left = 0
        for number in line {
            guard left < limit else { break }
            left += batches[number].map { $0.items.count - $0.next } ?? 0
        }
        return min(left, limit)
    }

    /// What a worker does next; `nil` ends the worker.
    mutating func next() -> (item: Item, request: ImageRequest)? {
        guard !isPaused, let number = line.first, let items = batches[number]?.items, let index = batches[number]?.next
        else {
            workers -= 1
            return nil
        }
        batches[number]?.next += 1
        if index + 1 == items.count { line.removeFirst() }
        return (Item(batch: number, index: index), items.request(at: index))
    }

    /// Whether the turn of a picture came too late.
    func isCancelled(_ item: Item, _ source: String) -> Bool {
        batches[item.batch]?.cancelled.contains(source) ?? true
    }

    /// Notes how a picture ended; returns how far its batch is, unless that was cancelled.
    mutating func end(_ item: Item, succeeded: Bool) -> PrefetchProgress? {
        if succeeded { batches[item.batch]?.progress.finished += 1 } else { batches[item.batch]?.progress.skipped += 1 }
        guard let progress = batches[item.batch]?.progress else { return nil }
        if progress.isComplete { batches[item.batch] = nil }
        return progress
    }
}

// MARK: - What is not to be done

extension PrefetchTable {
    mutating func setPaused(_ paused: Bool) {
        isPaused = paused
    }

    /// Gives a batch up; returns how it ended, with everything that was not finished as skipped.
    mutating func cancel(_ batch: Int) -> PrefetchProgress? {
        guard var progress = batches.removeValue(forKey: batch)?.progress else { return nil }
        line.removeAll { $0 == batch }
        progress.skipped = progress.total - progress.finished
        return progress
    }

    /// Gives every batch up; returns how each ended.
    mutating func cancelAll() -> [Int: PrefetchProgress] {
        batches.keys.reduce(into: [:]) { $0[$1] = cancel($1) }
    }

    /// Gives a source up, in every batch that there is now.
    mutating func cancel(source: String) {
        for number in batches.keys { batches[number]?.cancelled.insert(source) }
    }
}
