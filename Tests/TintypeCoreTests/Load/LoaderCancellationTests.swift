import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A load ends as cancelled only if it was. Code of the program may wait for a task of its own that was cancelled.
@Suite(.timeLimited) struct LoaderCancellationTests {
    /// A loader that ends as if its caller had cancelled it.
    private struct EndingLoader: ImageLoader {
        func canLoad(_ source: ImageSource) -> Bool { true }

        @concurrent
        func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
            throw .cancelled
        }
    }

    private func expectFailure(_ loader: any ImageLoader, _ source: ImageSource) async {
        let pipeline = PipelineFixture { $0.loaders = [loader] }.pipeline
        await expectError(.transport) { try await pipeline.image(for: ImageRequest(source: source)) }
    }

    @Test func aLoaderThatThrowsACancellationFails() async {
        await expectFailure(EndingLoader(), .closure(id: "a") { Data() })
    }

    @Test func aClosureThatThrowsACancellationFails() async {
        await expectFailure(ClosureLoader(), .closure(id: "a") { throw CancellationError() })
        await expectFailure(ClosureLoader(), .closure(id: "b") { throw TintypeError.cancelled })
    }

    @Test func aCancelledLoadIsCancelled() async {
        let gate = Gate()
        let source = ImageSource.closure(id: "a") {
            _ = await gate.wait()
            throw CancellationError()
        }
        let task = PipelineFixture { $0.loaders = [ClosureLoader()] }.pipeline.start(ImageRequest(source: source))
        await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        await expectError(.cancelled) { try await task.response }
    }
}
