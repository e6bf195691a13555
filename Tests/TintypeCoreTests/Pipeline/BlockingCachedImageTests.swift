import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// A blocking lookup of a cached image loads nothing, whatever the request names besides its source.
@Suite(.timeLimit(.minutes(15))) struct BlockingCachedImageTests {
    /// Refuses every request.
    private struct Interceptor: AsyncRequestInterceptor {
        @concurrent
        func intercept(_ request: ImageRequest) async throws(TintypeError) -> InterceptedRequest {
            throw TintypeError(.refused, stage: .request, "asked")
        }
    }

    private let fixture = PipelineFixture { $0.savesData = { true } }
    private let other: ImageSource

    init() {
        for name in ["a", "b"] { fixture.answer(name) }
        other = fixture.request("b").source
    }

    private func loads(of fixture: PipelineFixture) -> [Int] {
        ["a", "b"].map { fixture.loader.count(fixture.identity($0)) }
    }

    @Test func aMissLoadsNoOtherSource() async {
        let plain = fixture.request()
        let requests = [
            plain, plain.orElse(other), plain.lowResolutionFirst(other), plain.with { $0.lowData = other },
            plain.thumbnailFirst(width: 2).orElse(other).with { $0.lowData = other },
        ]
        for request in requests { #expect(await image(for: request, in: fixture) == nil) }
        #expect(loads(of: fixture) == [0, 0])
    }

    @Test func theImageOnDiskIsFoundWhateverElseIsNamed() async {
        fixture.storeOnDisk()
        let request = fixture.request().thumbnailFirst(width: 2).orElse(other).with { $0.lowData = other }
        #expect(await image(for: request, in: fixture) != nil)
        #expect(loads(of: fixture) == [0, 0] && fixture.memory.contains(request.key))
    }

    @Test func anAlternativeOnDiskIsFound() async {
        fixture.storeOnDisk("b")
        #expect(await image(for: fixture.request().orElse(other), in: fixture) != nil)
        #expect(loads(of: fixture) == [0, 0])
    }

    @Test func asyncInterceptorsAreNotAsked() async {
        let fixture = PipelineFixture { $0.asyncInterceptors = [Interceptor()] }
        fixture.storeOnDisk("b")
        #expect(await image(for: fixture.request("b"), in: fixture) != nil)
        fixture.memory.clear()
        #expect(await image(for: fixture.request().orElse(other), in: fixture) != nil)
    }

    private func image(for request: ImageRequest, in fixture: PipelineFixture) async -> Image? {
        await onNewThread { fixture.pipeline.blockingCachedImage(for: request) }
    }
}
