/// Loads the images of the rows that a scrolled list will show next.
///
///     let ahead = ListPrefetcher(ImagePrefetcher(pipeline), ahead: 20) { row in [ImageRequest(url: photos[row].url)] }
///     // Whenever the list is scrolled:
///     ahead.show(first..<last, of: photos.count)
///
/// When the direction changes, rows on the other side are cancelled and those on this side begin. A view that shows a
/// row shares the load that has begun for it. The requests should be those of the views, so that the same renditions
/// are made. All methods may be called from any thread and do not block.
public final class ListPrefetcher: Sendable {
    private struct State: Sendable {
        var window: ListWindow
        var batches: [Int: PrefetchBatch] = [:]
    }

    private let prefetcher: ImagePrefetcher
    private let requests: @Sendable (Int) -> [ImageRequest]
    private let state: Locked<State>

    /// Creates a prefetcher of a list.
    ///
    /// - Parameters:
    ///   - prefetcher: Loads the images. It may serve several lists.
    ///   - ahead: The number of rows that are loaded before they are visible.
    ///   - requests: Returns the requests of a row, from 0. Called on the thread of ``show(_:of:)``.
    public init(
        _ prefetcher: ImagePrefetcher, ahead: Int = 12, requests: @escaping @Sendable (_ row: Int) -> [ImageRequest]
    ) {
        self.prefetcher = prefetcher
        self.requests = requests
        state = Locked(State(window: ListWindow(ahead: ahead)))
    }

    /// Tells which rows are visible, whenever that changes.
    ///
    /// - Parameters:
    ///   - rows: The visible rows.
    ///   - count: The number of all rows.
    public func show(_ rows: Range<Int>, of count: Int) {
        let (begun, ended) = state.withLock { state in
            let change = state.window.show(rows, of: count)
            return (change.begun, change.ended.compactMap { state.batches.removeValue(forKey: $0) })
        }
        prefetcher.cancel(ended)
        for row in begun { keep(prefetcher.prefetch(requests(row)), for: row) }
    }

    /// Keeps the batch of a row, unless another thread has moved the window on meanwhile.
    private func keep(_ batch: PrefetchBatch, for row: Int) {
        let isWanted = state.withLock { state in
            guard state.window.contains(row), state.batches[row] == nil else { return false }
            state.batches[row] = batch
            return true
        }
        if !isWanted { batch.cancel() }
    }

    /// Cancels all rows, because the list has other images now, or is no longer shown.
    public func reset() {
        let ended = state.withLock { state -> [PrefetchBatch] in
            let rows = state.window.reset()
            return rows.compactMap { state.batches.removeValue(forKey: $0) }
        }
        prefetcher.cancel(ended)
    }
}
