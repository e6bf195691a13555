import Foundation

/// The state of an ``ImagePrefetcher``: its batches, in the order of their arrival, and its number of workers.
///
/// It knows no threads, tasks or time. Every operation costs O(1), except those that name a source or every batch.
struct PrefetchTable: Sendable {
    /// One image of one batch.
    struct Item: Hashable, Sendable {
        let batch: Int
        let index: Int
    }

    private struct Batch: Sendable {
        let items: PrefetchItems
        var next = 0
        var progress: PrefetchProgress
        /// The sources of images that are skipped.
        var cancelled: Set<String> = []

        init(_ items: PrefetchItems) {
            self.items = items
            progress = PrefetchProgress(total: items.count)
        }
    }

    private let concurrency: Int
    private var batches: [Int: Batch] = [:]
    /// The batches with images that have not begun, oldest first.
    private var queue: ArraySlice<Int> = []
    private var lastBatch = 0
    /// The number of workers that are running or about to start.
    private var workers = 0
    /// The number of workers that load an image. The others are about to take one, or to end.
    private var busyWorkers = 0
    /// Whether no further loads are started.
    private(set) var isPaused = false

    init(concurrency: Int) {
        self.concurrency = max(1, concurrency)
    }
}

// MARK: - Loading

extension PrefetchTable {
    /// Adds a batch and returns its number; `nil` for an empty batch, which is complete at once.
    mutating func add(_ items: PrefetchItems) -> Int? {
        guard items.count > 0 else { return nil }
        lastBatch += 1
        batches[lastBatch] = Batch(items)
        queue.append(lastBatch)
        return lastBatch
    }

    /// Returns the number of workers to start, and counts them as running.
    ///
    /// Each worker must call ``nextItem()`` until it returns `nil`, and ``end(_:succeeded:)`` for every image.
    mutating func workersToStart() -> Int {
        guard !isPaused else { return 0 }
        let former = workers
        workers = max(workers, min(concurrency, busyWorkers + itemsLeft(atMost: concurrency)))
        return workers - former
    }

    private func itemsLeft(atMost limit: Int) -> Int {
        var left = 0
        for number in queue {
            guard left < limit else { break }
            left += batches[number].map { $0.items.count - $0.next } ?? 0
        }
        return min(left, limit)
    }

    /// Returns the next image for a worker; `nil` ends the worker.
    mutating func nextItem() -> (item: Item, request: ImageRequest)? {
        guard !isPaused, let number = queue.first, let items = batches[number]?.items, let index = batches[number]?.next
        else {
            workers -= 1
            return nil
        }
        busyWorkers += 1
        batches[number]?.next += 1
        if index + 1 == items.count { queue.removeFirst() }
        return (Item(batch: number, index: index), items.request(at: index))
    }

    /// Whether an image has been cancelled, with its batch or by its source.
    func isCancelled(_ item: Item, _ source: String) -> Bool {
        batches[item.batch]?.cancelled.contains(source) ?? true
    }

    /// Records the end of an image; returns the progress of its batch, `nil` if the batch was cancelled.
    mutating func end(_ item: Item, succeeded: Bool) -> PrefetchProgress? {
        busyWorkers -= 1
        let count: WritableKeyPath<PrefetchProgress, Int> = succeeded ? \.finishedCount : \.skipped
        batches[item.batch]?.progress[keyPath: count] += 1
        guard let progress = batches[item.batch]?.progress else { return nil }
        if progress.isComplete { batches[item.batch] = nil }
        return progress
    }
}

// MARK: - Pausing and cancelling

extension PrefetchTable {
    /// Pauses or resumes all batches. Images that have begun are not affected.
    mutating func setPaused(_ paused: Bool) {
        isPaused = paused
    }

    /// Cancels a batch; returns its final progress, in which every image that was not loaded counts as skipped.
    mutating func cancel(_ batch: Int) -> PrefetchProgress? {
        guard var progress = batches.removeValue(forKey: batch)?.progress else { return nil }
        queue.removeAll { $0 == batch }
        progress.skipped = progress.total - progress.finishedCount
        return progress
    }

    /// Cancels every batch; returns the final progress of each.
    mutating func cancelAll() -> [Int: PrefetchProgress] {
        batches.keys.reduce(into: [:]) { $0[$1] = cancel($1) }
    }

    /// Cancels a source in every batch added so far.
    mutating func cancel(source: String) {
        for number in batches.keys { batches[number]?.cancelled.insert(source) }
    }
}

// MARK: - The images of a batch

/// The images of one batch. Requests are created only when they are loaded, so a long list costs no memory beyond the
/// array, which it shares with the caller.
enum PrefetchItems: Sendable {
    /// URLs, each with the settings of a template request.
    case urls([URL], as: ImageRequest?)
    /// Complete requests.
    case requests([ImageRequest])

    var count: Int {
        switch self {
        case .urls(let urls, _): urls.count
        case .requests(let requests): requests.count
        }
    }

    /// Returns the request of an image.
    func request(at index: Int) -> ImageRequest {
        switch self {
        case .urls(let urls, nil): return ImageRequest(url: urls[index])
        case .urls(let urls, .some(var request)):
            request.source = .url(urls[index])
            return request
        case .requests(let requests): return requests[index]
        }
    }
}
