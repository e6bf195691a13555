import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Changes of the final image that no cache sees.
@Suite(.timeLimited) struct ResultModifierTests {
    private func doubled(_ request: ImageRequest) -> ImageRequest {
        request.with { $0.resultModifier = { $0.atScale($0.scale * 2) } }
    }

    @Test func theFinalResultIsModifiedAndNoCacheKnowsIt() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let request = doubled(fixture.request())
        #expect(request.key == fixture.request().key)
        #expect(try await fixture.pipeline.image(for: request).scale == 2)
        #expect(fixture.memory.image(for: request.key)?.scale == 1)
        // From memory, however it is asked for.
        #expect(try await fixture.pipeline.response(for: request).image.scale == 2)
        #expect(try await fixture.pipeline.start(request).response.image.scale == 2)
        #expect(fixture.pipeline.cachedImage(for: request)?.scale == 2)
        #expect(fixture.pipeline.cachedImage(for: fixture.request())?.scale == 1)
        fixture.memory.clear()
        #expect(try await fixture.pipeline.image(for: request).scale == 2, "from the disk")
    }

    @Test func requestsWithDifferentModifiersShareOneLoad() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let plain = fixture.pipeline.start(fixture.request())
        let modified = fixture.pipeline.start(doubled(fixture.request().with { $0.rendition.decode.scale = 3 }))
        await gate.waitForArrivals(1)
        #expect(fixture.pipeline.runningLoads == 1)
        gate.open()
        #expect(try await plain.response.image.scale == 1)
        #expect(try await modified.response.image.scale == 6)
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func theResultOfAnAlternativeIsModifiedToo() async throws {
        let fixture = PipelineFixture()
        fixture.answer("b")
        let request = doubled(fixture.request().orElse(fixture.request("b").source))
        #expect(try await fixture.pipeline.image(for: request).scale == 2)
    }
}
