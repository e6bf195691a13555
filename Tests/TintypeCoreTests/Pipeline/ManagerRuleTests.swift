import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The rules of SDWebImageManager that its users rely on, and what its API offers in addition to loading.
@Suite("SDWebImageManager", .timeLimited) struct ManagerRuleTests {
    @Test func cancelAllEndsEveryLoadAndClearsIsRunning() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        for name in ["a", "b"] { fixture.answer(name, .gated(gate, .data(PipelineFixture.png))) }
        #expect(!fixture.pipeline.isRunning)
        let tasks = ["a", "b"].map { fixture.pipeline.start(fixture.request($0)) }
        await gate.waitForArrivals(2)
        #expect(fixture.pipeline.isRunning && fixture.pipeline.runningTasks.count == 2)
        fixture.pipeline.cancelAll()
        for task in tasks { await expectError(.cancelled) { try await task.response } }
        #expect(!fixture.pipeline.isRunning && fixture.pipeline.runningLoads == 0)
        // Later loads are not affected.
        gate.open()
        _ = try await fixture.pipeline.image(for: fixture.request())
    }

    @Test func cacheKeyForURLIsTheKeyAfterTheInterceptors() {
        struct Thumbnails: RequestInterceptor {
            func intercept(_ request: ImageRequest) -> ImageRequest { request.fitting(width: 7) }
        }
        let fixture = PipelineFixture { $0.interceptors = [Thumbnails()] }
        #expect(fixture.pipeline.cacheKey(for: fixture.request()) == fixture.request().fitting(width: 7).key)
    }

    @Test func shouldDownloadImageForURLCanRefuse() async throws {
        let fixture = PipelineFixture { $0.shouldLoad = { $0.source.identity != "closure:a" } }
        fixture.answer()
        fixture.answer("b")
        await expectError(.refused) { try await fixture.pipeline.image(for: fixture.request()) }
        #expect(fixture.loader.count(fixture.identity()) == 0 && fixture.pipeline.failureMemory.all.isEmpty)
        _ = try await fixture.pipeline.image(for: fixture.request("b"))
        // A cached image is not loaded, so it is not refused.
        fixture.storeOnDisk()
        _ = try await fixture.pipeline.image(for: fixture.request())
    }

    @Test func shouldBlockFailedURLDecidesWhatIsRemembered() async {
        let fixture = PipelineFixture {
            $0.failureMemory = FailureMemory.Settings { _, error in error.status == 410 }
        }
        fixture.answer("a", .failure(TintypeError(.badStatus, stage: .load, "HTTP 410", status: 410)))
        fixture.answer("b", .data(Data("<html>".utf8)))
        await expectError(.badStatus) { try await fixture.pipeline.image(for: fixture.request()) }
        await expectError(.failedBefore) { try await fixture.pipeline.image(for: fixture.request()) }
        for _ in 0..<2 {
            await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request("b")) }
        }
    }

    @Test func removeFailedURLAndRemoveAllFailedURLs() async {
        let fixture = PipelineFixture()
        for name in ["a", "b"] {
            fixture.answer(name, .data(Data("<html>".utf8)))
            await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request(name)) }
        }
        fixture.pipeline.failureMemory.forget(fixture.request())
        #expect(fixture.pipeline.failureMemory.all.count == 1)
        fixture.pipeline.failureMemory.forgetAll()
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request("b")) }
    }

    @Test(arguments: TintypeError.Code.allCases)
    func lastingErrorsAreRemembered(_ code: TintypeError.Code) {
        let lasting: Set<TintypeError.Code> = [
            .invalidSource, .notAnImage, .noCoder, .undecodable, .decoderCrashed, .undecipherable, .emptyBody,
            .limitExceeded, .insecure, .tooManyRedirects,
        ]
        #expect(TintypeError(code, stage: .load, "test").isLasting == lasting.contains(code))
    }

    @Test func theFailureMemoryIsBounded() async {
        let fixture = PipelineFixture { $0.failureMemory = FailureMemory.Settings(capacity: 2) }
        for name in ["a", "b", "c"] {
            fixture.answer(name, .data(Data("<html>".utf8)))
            await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request(name)) }
        }
        #expect(fixture.pipeline.failureMemory.all.count == 2)
    }

    @Test func aCancelledLoadEndsOnceWithError2002AndIsNotRemembered() async {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let task = fixture.pipeline.start(fixture.request())
        await gate.waitForArrivals(1)
        task.cancel()
        task.cancel()
        var ends = 0
        for await event in task.events { if case .finished = event { ends += 1 } }
        #expect(ends == 1 && fixture.pipeline.failureMemory.all.isEmpty)
        await expectError(.cancelled) { try await task.response }
    }

    @Test func theCallbackFormCallsAtOnceOnAMemoryHit() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        await Self.expectHit(fixture.pipeline, fixture.request())
    }

    @MainActor private static func expectHit(_ pipeline: ImagePipeline, _ request: ImageRequest) {
        var calls = 0
        let task = pipeline.load(request) { event in
            guard case .finished(.success) = event else { return }
            calls += 1
        }
        #expect(calls == 1 && task == nil)
    }

    @Test(arguments: [false, true]) @MainActor
    func theCallbackFormEndsOnceOnTheMainActor(_ cancels: Bool) async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let codes: [TintypeError.Code?] = await withCheckedContinuation { continuation in
            var ends: [TintypeError.Code?] = []
            let task = fixture.pipeline.load(fixture.request()) { event in
                MainActor.assertIsolated()
                guard case .finished(let result) = event else { return }
                if case .failure(let error) = result { ends.append(error.code) } else { ends.append(nil) }
                continuation.resume(returning: ends)
            }
            if cancels { task?.cancel() } else { gate.open() }
        }
        #expect(codes == [cancels ? .cancelled : nil])
    }

    @Test func progressiveResultsAreNeverStored() async throws {
        let gate = Gate()
        let fixture = PipelineFixture {
            $0.loaders = [BrokenLoader(gate: gate)]
            $0.coders = ImageCoderRegistry(decoders: [PreviewingDecoder()])
        }
        var previews = 0
        for await event in fixture.pipeline.start(fixture.request().previews(.progressive(every: .zero))).events {
            guard case .preview = event else { continue }
            previews += 1
            gate.open()
        }
        #expect(previews > 0 && fixture.memory.totalCount == 0 && fixture.disk.keys.isEmpty)
    }

    @Test func cancelAllMayRunWhileALoadIsAdded() async {
        let fixture = PipelineFixture()
        fixture.answer("a", .gated(Gate(), .data(PipelineFixture.png)))
        let canceller = Task.detached {
            while !Task.isCancelled {
                fixture.pipeline.cancelAll()
                // Otherwise this task would keep one of the threads of all tests.
                await Task.yield()
            }
        }
        for _ in 0..<500 { _ = try? await fixture.pipeline.start(fixture.request()).response }
        canceller.cancel()
        await canceller.value
        #expect(!fixture.pipeline.isRunning && fixture.pipeline.runningTasks.isEmpty)
    }
}

/// A decoder whose previews are the decoded image.
private struct PreviewingDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.png]
    let inner = GatedDecoder()

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try inner.info(of: bytes, isComplete: isComplete)
    }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try inner.decode(bytes, context: context)
    }

    func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        PreviewSteps(inner: inner, context: context)
    }
}

private final class PreviewSteps: IncrementalImageDecoder {
    let inner: GatedDecoder
    let context: DecodeContext

    init(inner: GatedDecoder, context: DecodeContext) {
        self.inner = inner
        self.context = context
    }

    func append(_ bytes: Data) throws(TintypeError) -> Image? { try inner.decode(bytes, context: context) }
}

/// Delivers some bytes, and fails when the gate opens.
private struct BrokenLoader: ImageLoader {
    let gate: Gate

    func canLoad(_ source: ImageSource) -> Bool { true }

    @concurrent
    func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        try PipelineFixture.png.withTypedBytes { bytes throws(TintypeError) in
            try context.received.append(bytes)
        }
        _ = await gate.wait()
        throw TintypeError(.truncatedBody, stage: .load, "test")
    }
}
