import Testing

@testable import TintypeCore

@Suite struct ImageTaskStateTests {
    private let preview: ImageResponse

    init() throws {
        preview = ImageResponse(image: try .pixel(), origin: .network)
    }

    private func status(previews count: Int) -> LoadStatus {
        LoadStatus(preview: preview, previewCount: count)
    }

    /// Returns the number of events that a stream has, up to ten.
    private func eventCount(of number: Int, in state: inout ImageTaskState) -> Int {
        for count in 0..<10 where state.listen(ImageTaskState.Listener(), to: number).first?.event == nil {
            return count
        }
        return 10
    }

    @Test func aPreviewIsDeliveredOnce() {
        var state = ImageTaskState()
        let stream = state.openStream()
        _ = state.update(status(previews: 1))
        let count = eventCount(of: stream, in: &state)
        let again = state.update(status(previews: 1))
        let next = state.update(status(previews: 2))
        #expect(count == 1 && again.isEmpty && next.count == 1)
    }

    @Test func afterTheEndNothingChanges() {
        var state = ImageTaskState()
        _ = state.update(status(previews: 1))
        let (first, second) = (state.finish(.success(preview)), state.finish(.failure(.cancelled)))
        _ = state.update(LoadStatus(progress: LoadProgress(received: 9), preview: preview, previewCount: 2))
        let stream = state.openStream()
        // Only the end: the preview is released with it.
        let count = eventCount(of: stream, in: &state)
        #expect(first != nil && second == nil && count == 1 && state.status.progress.received == 0)
    }

    @Test func aStreamHasOneListener() {
        var state = ImageTaskState()
        let stream = state.openStream()
        let (first, second) = (ImageTaskState.Listener(), ImageTaskState.Listener())
        let waiting = state.listen(first, to: stream)
        let refused = state.listen(second, to: stream)
        let delivered = state.update(status(previews: 1))
        #expect(waiting.isEmpty && refused.count == 1 && refused.first?.listener === second)
        #expect(delivered.count == 1 && delivered.first?.listener === first)
    }

    // MARK: Headers, placeholders and streams

    private typealias Listener = ImageTaskState.Listener

    /// The kind of an event.
    private func kind(_ delivery: ImageTaskState.Delivery?) -> String? {
        switch delivery?.event {
        case .info: "info"
        case .progress: "progress"
        case .preview: "preview"
        case .finished: "finished"
        case nil: nil
        }
    }

    @Test func aHeaderIsDeliveredOnceToARequestThatAsksForIt() {
        let status = LoadStatus(header: EarlyHeader(preview.image.info))
        var other = ImageTaskState()
        let stream = other.openStream()
        #expect(other.update(status).isEmpty && eventCount(of: stream, in: &other) == 0)

        var state = ImageTaskState()
        state.deliversInfo = true
        let first = state.openStream()
        _ = state.listen(Listener(), to: first)
        #expect(kind(state.update(status).first) == "info")
        _ = state.update(status)
        #expect(eventCount(of: first, in: &state) == 0)
    }

    @Test func progressIsDeliveredToAListenerThatWaits() {
        var state = ImageTaskState()
        _ = state.listen(Listener(), to: state.openStream())
        #expect(kind(state.update(LoadStatus(progress: LoadProgress(received: 9))).first) == "progress")
    }

    @Test func aPlaceholderCountsAsAPreview() {
        var state = ImageTaskState()
        _ = state.listen(Listener(), to: state.openStream())
        #expect(kind(state.show(preview).first) == "preview" && state.status.previewCount == 1)
        _ = state.show(preview)
        _ = state.update(status(previews: 1))
        #expect(state.status.previewCount == 3)
        _ = state.finish(.success(preview))
        #expect(state.show(preview).isEmpty && state.status.preview == nil)
    }

    @Test func aStreamBeginsWithTheCurrentState() {
        var state = ImageTaskState()
        state.deliversInfo = true
        _ = state.update(
            LoadStatus(
                progress: LoadProgress(received: 9), preview: preview, previewCount: 1,
                header: EarlyHeader(preview.image.info)))
        let stream = state.openStream()
        let kinds = (0..<4).map { _ in kind(state.listen(Listener(), to: stream).first) }
        #expect(kinds == ["info", "progress", "preview", nil])
    }

    @Test func listenersAreInTheOrderOfTheirStreams() {
        var state = ImageTaskState()
        let listeners = (0..<3).map { _ in Listener() }
        for listener in listeners { _ = state.listen(listener, to: state.openStream()) }
        let delivered = state.update(status(previews: 1)).map(\.listener)
        #expect(delivered.count == 3 && zip(delivered, listeners).allSatisfy { $0 === $1 })
    }
}
