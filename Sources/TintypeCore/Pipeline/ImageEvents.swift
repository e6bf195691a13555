/// An event of a running load.
public enum ImageEvent: Sendable {
    /// The header of the original has arrived before the rest, if the request asks for it: see
    /// ``LoadPolicy/Delivery/header``.
    /// At most once.
    case info(ImageInfo)
    /// More bytes have arrived. A slow listener gets only the newest.
    case progress(LoadProgress)
    /// A partial image that shows more than the one before. A slow listener gets only the newest.
    case preview(ImageResponse)
    /// The result: exactly one, and the last event.
    case finished(Result<ImageResponse, TintypeError>)
}

/// A snapshot of a running load. The newest one is complete, so earlier ones need not be stored for slow or late
/// listeners.
package struct LoadStatus: Sendable {
    var progress = LoadProgress()
    /// The newest preview.
    var preview: ImageResponse?
    /// The number of previews so far.
    var previewCount = 0
    /// The header of the original, once it has been read.
    var header: EarlyHeader?
    /// Reads the header from the bytes that have arrived, for a receiver that asks for it.
    var headerReader: PreviewPump?

    /// Returns the status with a preview of `scale` pixels per point. `nil` leaves the scale.
    func atScale(_ scale: Double?) -> LoadStatus {
        guard preview != nil, scale != nil else { return self }
        var status = self
        status.preview = preview?.atScale(scale)
        return status
    }
}

/// The events of one load for one listener. Iterate over it once, because each event is delivered to one iterator only.
/// ``ImageTask/events`` returns a new sequence for each listener.
package struct ImageEvents: AsyncSequence, Sendable {
    private let subscription: Subscription

    init(task: ImageTask, number: Int) {
        subscription = Subscription(task: task, number: number)
    }

    /// Returns an iterator. All iterators of one sequence share its events.
    package func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// Ends after ``ImageEvent/finished(_:)``, or when the listening task is cancelled.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// Returns the next event, or `nil` after the last one and once the listening task is cancelled.
        package mutating func next() async -> ImageEvent? {
            await subscription.task.nextEvent(of: subscription.number)
        }
    }

    /// Ends the subscription when neither the sequence nor an iterator is left.
    fileprivate final class Subscription: Sendable {
        let task: ImageTask
        let number: Int

        init(task: ImageTask, number: Int) {
            self.task = task
            self.number = number
        }

        deinit {
            task.closeStream(number)
        }
    }
}

/// The events that one listener has not seen yet: at most one of each kind.
struct EventBuffer: Sendable {
    private var info: ImageInfo?
    private var progress: LoadProgress?
    private var preview: ImageResponse?
    private var end: Result<ImageResponse, TintypeError>?
    /// Whether the last event was returned.
    private(set) var isDrained = false

    mutating func add(_ event: ImageEvent) {
        switch event {
        case .info(let newest): info = newest
        case .progress(let newest): progress = newest
        case .preview(let newest): preview = newest
        case .finished(let result): end = result
        }
    }

    /// Returns the next event: the header first, then progress, then a preview, then the end. `nil` if there is none,
    /// or after the end.
    mutating func next() -> ImageEvent? {
        if let newest = info {
            info = nil
            return .info(newest)
        }
        if let newest = progress {
            progress = nil
            return .progress(newest)
        }
        if let newest = preview {
            preview = nil
            return .preview(newest)
        }
        if let result = end {
            end = nil
            isDrained = true
            return .finished(result)
        }
        return nil
    }
}
