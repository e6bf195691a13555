import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct ImageTaskTests {
    private func task() -> ImageTask { ImageTask(request: ImageRequest(source: .bytes(.init(), id: "x"))) }

    private func response() throws -> ImageResponse {
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3))
        return ImageResponse(
            image: Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size)), origin: .data)
    }

    @Test func onlyTheFirstResultCounts() async throws {
        let task = task()
        task.finish(.success(try response()))
        task.cancel()
        task.finish(.failure(.cancelled))
        #expect(try await task.response.origin == .data)
    }

    @Test func everyWaiterGetsTheResult() async throws {
        let task = task()
        let end = try response()
        let origins = try await withThrowingTaskGroup(of: ImageOrigin.self) { group in
            for _ in 0..<100 { group.addTask { try await task.response.origin } }
            group.addTask {
                task.finish(.success(end))
                return .data
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(origins.count == 101)
    }

    @Test func aTaskNamesTheTransformsOfItsRequest() {
        let fixture = PipelineFixture()
        let tasks = [fixture.request("a"), fixture.request("b").transformed(by: FlipTransformer(vertical: true))]
            .map { fixture.pipeline.start($0) }
        let transforms = tasks.map { task in task.request.rendition.transforms.map { $0.identifier } }
        #expect(transforms == [[], [FlipTransformer(vertical: true).identifier]])
        for task in tasks { task.cancel() }
    }

    @Test func cancellingAWaiterDoesNotCancelTheLoad() async throws {
        let task = task()
        let waiter = Task { try await task.response }
        waiter.cancel()
        await expectError(.cancelled) { try await waiter.value }
        guard case .running = task.status else {
            Issue.record("the load should continue")
            return
        }
        task.cancel()
    }

    @Test func cancellingEndsWithCancelled() async {
        let task = task()
        task.cancel()
        guard case .failed(let error) = task.status else {
            Issue.record("it should have failed")
            return
        }
        #expect(error.code == .cancelled)
    }

    @Test func aLateListenerGetsTheProgressAndTheResult() async throws {
        let task = task()
        task.update(LoadStatus(progress: LoadProgress(received: 5, expected: 10)))
        let events = task.events
        task.finish(.success(try response()))
        var kinds: [String] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds == ["progress 5", "finished"])
        var late: [String] = []
        for await event in task.events { late.append(event.kind) }
        #expect(late.last == "finished")
    }

    @Test(arguments: [
        LoadProgress(received: 3), LoadProgress(received: 3, expected: 20), LoadProgress(received: 5),
    ]) func progressNeverGoesBack(_ older: LoadProgress) {
        let task = task()
        task.update(LoadStatus(progress: LoadProgress(received: 5, expected: 10)))
        task.update(LoadStatus(progress: older))
        guard case .running(let progress) = task.status else {
            Issue.record("it has ended")
            return
        }
        #expect(progress == LoadProgress(received: 5, expected: 10))
    }

    @Test func aCancelledListenerGetsNoEvents() async {
        let task = task()
        let listener = Task {
            var count = 0
            for await _ in task.events { count += 1 }
            return count
        }
        listener.cancel()
        #expect(await listener.value == 0)
        task.cancel()
    }

    @Test func aCancelledListenerGetsNoQueuedEvents() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let load = fixture.pipeline.start(fixture.request())
        _ = try await load.response
        let events = load.events
        let listener = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = events.makeAsyncIterator()
            return await iterator.next(isolation: #isolation).map { _ in false } ?? true
        }
        #expect(await listener.value)
    }
}

extension ImageEvent {
    fileprivate var kind: String {
        switch self {
        case .info(let info): "info \(info.size)"
        case .progress(let progress): "progress \(progress.received)"
        case .preview: "preview"
        case .finished: "finished"
        }
    }
}
