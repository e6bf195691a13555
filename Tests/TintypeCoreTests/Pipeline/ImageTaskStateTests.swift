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
}
