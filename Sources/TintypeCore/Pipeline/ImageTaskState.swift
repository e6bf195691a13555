/// The state of an ``ImageTask``: the newest snapshot of its load, the result, and the listeners to its events.
///
/// Each call returns the events to deliver; ``ImageTask`` delivers them after unlocking.
struct ImageTaskState: Sendable {
    typealias End = Result<ImageResponse, TintypeError>
    /// One wait for one event.
    typealias Listener = SharedPromise<ImageEvent?>
    /// An event for a waiting listener, or `nil` if there is nothing more for it.
    typealias Delivery = (listener: Listener, event: ImageEvent?)

    private(set) var status = LoadStatus()
    /// Whether the request asks for the header before the image.
    var deliversInfo = false
    /// The number of images that were shown before the previews of the load.
    private var placeholderCount = 0
    private(set) var end: End?
    private var streams: [Int: Stream] = [:]
    private var lastNumber = 0

    private struct Stream: Sendable {
        var buffer = EventBuffer()
        var listener: Listener?
    }
}

// MARK: - Changes of the load

extension ImageTaskState {
    /// Adopts the newer parts of a snapshot. Two snapshots may arrive in either order.
    mutating func update(_ newest: LoadStatus) -> [Delivery] {
        guard end == nil else { return [] }
        var deliveries: [Delivery] = []
        if deliversInfo, status.header == nil, let header = newest.header {
            status.header = header
            deliveries += add(.info(header.info))
        }
        if newest.progress.isNewer(than: status.progress) {
            status.progress = newest.progress
            deliveries += add(.progress(newest.progress))
        }
        let previewCount = placeholderCount + newest.previewCount
        if previewCount > status.previewCount, let preview = newest.preview {
            deliveries += show(preview, count: previewCount)
        }
        return deliveries
    }

    /// Shows an image before the previews of the load.
    mutating func show(_ placeholder: ImageResponse) -> [Delivery] {
        guard end == nil else { return [] }
        placeholderCount += 1
        return show(placeholder, count: placeholderCount)
    }

    private mutating func show(_ preview: ImageResponse, count: Int) -> [Delivery] {
        (status.preview, status.previewCount) = (preview, count)
        return add(.preview(preview))
    }

    /// Ends the load.
    ///
    /// - Returns: `nil` if it has already ended.
    mutating func finish(_ result: End) -> [Delivery]? {
        guard end == nil else { return nil }
        end = result
        status.preview = nil
        return add(.finished(result))
    }

    private mutating func add(_ event: ImageEvent) -> [Delivery] {
        guard !streams.isEmpty else { return [] }
        return streams.keys.sorted().compactMap { number in
            streams[number]?.buffer.add(event)
            return takeDelivery(number)
        }
    }

    private mutating func takeDelivery(_ number: Int) -> Delivery? {
        guard let listener = streams[number]?.listener, let event = streams[number]?.buffer.next() else { return nil }
        streams[number]?.listener = nil
        return (listener, event)
    }
}

// MARK: - The listeners

extension ImageTaskState {
    /// Opens a stream of events that begins with the current state.
    mutating func openStream() -> Int {
        lastNumber += 1
        var stream = Stream()
        if let header = status.header { stream.buffer.add(.info(header.info)) }
        if status.progress != LoadProgress() { stream.buffer.add(.progress(status.progress)) }
        if let preview = status.preview { stream.buffer.add(.preview(preview)) }
        if let end { stream.buffer.add(.finished(end)) }
        streams[lastNumber] = stream
        return lastNumber
    }

    /// Closes a stream. A waiting listener gets `nil`.
    mutating func closeStream(_ number: Int) -> [Delivery] {
        streams.removeValue(forKey: number)?.listener.map { [($0, nil)] } ?? []
    }

    /// Asks for the next event of a stream. The listener gets it at once if there is one, and `nil` if there will never
    /// be one.
    mutating func listen(_ listener: Listener, to number: Int) -> [Delivery] {
        guard let stream = streams[number], !stream.buffer.isDrained, stream.listener == nil else {
            return [(listener, nil)]
        }
        streams[number]?.listener = listener
        return takeDelivery(number).map { [$0] } ?? []
    }
}
