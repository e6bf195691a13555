/// What an ``ImageTask`` knows: how far its load is, how it ended, and who wants to be told.
///
/// Each call returns whom to tell what; ``ImageTask`` tells them when its lock is free.
struct ImageTaskState: Sendable {
    typealias End = Result<ImageResponse, TintypeError>
    typealias Waiter = CheckedContinuation<End, Never>
    typealias Listener = CheckedContinuation<ImageEvent?, Never>

    private(set) var status = LoadStatus()
    private(set) var end: End?
    private var waiters: [Int: Waiter] = [:]
    private var streams: [Int: Stream] = [:]
    private var lastNumber = 0

    private struct Stream: Sendable {
        var buffer = EventBuffer()
        var listener: Listener?
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

// MARK: - What happens to the load

extension ImageTaskState {
    /// Takes the newer parts of `newest`: two statuses may arrive in either order.
    mutating func update(_ newest: LoadStatus) -> [(Listener, ImageEvent?)] {
        guard end == nil else { return [] }
        var told: [(Listener, ImageEvent?)] = []
        if newest.progress.isNewer(than: status.progress) {
            status.progress = newest.progress
            told += tell(.progress(newest.progress))
        }
        if newest.previewCount > status.previewCount, let preview = newest.preview {
            status.preview = preview
            status.previewCount = newest.previewCount
            told += tell(.preview(preview))
        }
        return told
    }

    /// Ends the load; only the first end counts.
    mutating func finish(_ result: End) -> (waiters: [Waiter], listeners: [(Listener, ImageEvent?)])? {
        guard end == nil else { return nil }
        end = result
        status.preview = nil
        defer { waiters = [:] }
        return (waiters.sorted { $0.key < $1.key }.map(\.value), tell(.finished(result)))
    }

    private mutating func tell(_ event: ImageEvent) -> [(Listener, ImageEvent?)] {
        streams.keys.sorted().compactMap { number in
            streams[number]?.buffer.add(event)
            return deliver(number)
        }
    }

    private mutating func deliver(_ number: Int) -> (Listener, ImageEvent?)? {
        guard let listener = streams[number]?.listener, let event = streams[number]?.buffer.next() else { return nil }
        streams[number]?.listener = nil
        return (listener, event)
    }
}

// MARK: - Who waits for the end

extension ImageTaskState {
    /// Returns the end if there is one already.
    mutating func addWaiter(_ waiter: Waiter, number: Int) -> End? {
        if end == nil { waiters[number] = waiter }
        return end
    }

    mutating func removeWaiter(_ number: Int) -> Waiter? {
        waiters.removeValue(forKey: number)
    }
}

// MARK: - Who follows the events

extension ImageTaskState {
    /// A stream that begins with the current state.
    mutating func openStream() -> Int {
        let number = nextNumber()
        var stream = Stream()
        if status.progress != LoadProgress() { stream.buffer.add(.progress(status.progress)) }
        if let preview = status.preview { stream.buffer.add(.preview(preview)) }
        if let end { stream.buffer.add(.finished(end)) }
        streams[number] = stream
        return number
    }

    mutating func closeStream(_ number: Int) -> Listener? {
        streams.removeValue(forKey: number)?.listener
    }

    /// Asks for the next event: told at once if there is one, or if there will never be one.
    mutating func listen(_ listener: Listener, to number: Int) -> (Listener, ImageEvent?)? {
        guard let stream = streams[number], !stream.buffer.isDrained, stream.listener == nil else {
            return (listener, nil)
        }
        streams[number]?.listener = listener
        return deliver(number)
    }
}
