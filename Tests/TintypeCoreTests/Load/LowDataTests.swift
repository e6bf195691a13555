import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Sources with fewer bytes, for programs that save data.
@Suite(.timeLimited) struct LowDataTests {
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

    @Test func aRequestForCachesAloneFindsTheImage() async throws {
        await expectError(.notCached) { try await fixture.pipeline.image(for: request.freshness(.cacheOnly)) }
        fixture.storeOnDisk("low")
        _ = try await fixture.pipeline.image(for: request.freshness(.cacheOnly))
        #expect(fixture.memory.contains(fixture.request("low").key))
        fixture.storeOnDisk("high")
        _ = try await fixture.pipeline.image(for: request.freshness(.cacheOnly))
        #expect(fixture.memory.contains(request.key) && counts == [0, 0])
    }

    @Test(arguments: [LoadPolicy.Freshness.revalidate, .http])
    func aCachedImageIsRevalidatedThoughDataIsSaved(_ freshness: LoadPolicy.Freshness) async throws {
        fixture.loader.judge(.stale(usableOnError: false))
        fixture.storeOnDisk("high")
        _ = try await fixture.pipeline.image(for: request.freshness(freshness))
        #expect(counts == [1, 0])
    }

    @Test func anAlternativeReplacesASmallerSourceThatFails() async throws {
        fixture.answer("other")
        let withOther = request.orElse(fixture.request("other").source)
        _ = try await fixture.pipeline.image(for: withOther)
        #expect(counts == [0, 1] && fixture.loader.count("closure:other") == 0)
        fixture.memory.clear()
        fixture.disk.clear()
        fixture.answer("low", .failure(TintypeError(.badStatus, stage: .load, "test")))
        await expectError(.badStatus) { try await fixture.pipeline.image(for: request) }
        _ = try await fixture.pipeline.image(for: withOther)
        #expect(counts[0] == 0 && fixture.loader.count("closure:other") == 1)
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
