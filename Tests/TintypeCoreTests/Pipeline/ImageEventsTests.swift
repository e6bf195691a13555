import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct EventBufferTests {
    @Test func onlyTheNewestProgressIsDelivered() throws {
        var buffer = EventBuffer()
        buffer.add(.progress(LoadProgress(received: 1)))
        buffer.add(.progress(LoadProgress(received: 2)))
        guard case .progress(let progress) = buffer.next() else { throw TestFailure() }
        #expect(progress.received == 2)
        #expect(isEmpty(buffer.next()))
    }

    @Test func theResultIsTheLastEvent() throws {
        var buffer = EventBuffer()
        buffer.add(.finished(.failure(.cancelled)))
        buffer.add(.progress(LoadProgress(received: 1)))
        guard case .progress = buffer.next() else { throw TestFailure() }
        #expect(!buffer.isDrained)
        guard case .finished = buffer.next() else { throw TestFailure() }
        #expect(buffer.isDrained)
        #expect(isEmpty(buffer.next()))
    }

    private func isEmpty(_ event: ImageEvent?) -> Bool {
        if case .none = event { true } else { false }
    }

    private struct TestFailure: Error {}
}
