/// What one subscriber to a load's events has not seen yet: at most one of each kind.
struct EventBuffer: Sendable {
    private var progress: LoadProgress?
    private var preview: ImageResponse?
    private var end: Result<ImageResponse, TintypeError>?
    private(set) var isDrained = false

    mutating func add(_ event: ImageEvent) {
        switch event {
        case .progress(let newest): progress = newest
        case .preview(let newest): preview = newest
        case .finished(let result): end = result
        }
    }

    /// The next event in the order in which they make sense; `nil` while there is none, and for ever after the end.
    mutating func next() -> ImageEvent? {
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
