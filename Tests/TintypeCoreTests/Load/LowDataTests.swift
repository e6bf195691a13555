import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// Sources with fewer bytes, for programs that save data.
@Suite(.timeLimit(.minutes(15))) struct LowDataTests {
    private let savesData = Shared(true)
    private let fixture: PipelineFixture

    init() {
        let savesData = savesData
        fixture = PipelineFixture { $0.savesData = { savesData.now } }
        for name in ["high", "low"] { fixture.answer(name) }
    }

    private var request: ImageRequest {
        fixture.request("high").with { $0.lowData = fixture.request("low").source }
    }

    private var counts: [Int] { ["high", "low"].map { fixture.loader.count("closure:\($0)") } }

    @Test func whileDataIsSavedTheSmallerSourceIsLoaded() async throws {
        _ = try await fixture.pipeline.image(for: request)
        #expect(counts == [0, 1] && fixture.memory.contains(fixture.request("low").key))
        #expect(!fixture.memory.contains(request.key))
        savesData.withLock { $0 = false }
        _ = try await fixture.pipeline.image(for: request)
        #expect(counts == [1, 1] && fixture.memory.contains(request.key))
    }

    @Test func aCachedImageIsUsedThoughDataIsSaved() async throws {
        fixture.storeOnDisk("high")
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        #expect(try await fixture.pipeline.response(for: request).origin == .memory)
        #expect(counts == [0, 0])
    }

    @Test func aRequestWithoutASmallerSourceLoadsItsOwn() async throws {
        _ = try await fixture.pipeline.image(for: fixture.request("high"))
        #expect(counts == [1, 0])
    }

    @Test func requestsWithOtherSmallerSourcesAreNotShared() async throws {
        let gate = Gate()
        for name in ["low", "lower"] { fixture.answer(name, .gated(gate, .data(PipelineFixture.png))) }
        let tasks = [request, request.with { $0.lowData = fixture.request("lower").source }].map {
            fixture.pipeline.start($0)
        }
        await gate.waitForArrivals(2)
        gate.open()
        for task in tasks { _ = try await task.response }
        #expect(counts == [0, 1] && fixture.loader.count("closure:lower") == 1)
    }
}
