import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A loader's guard applies to cached images, too, and costs nothing while there is none.
@Suite(.timeLimited) struct LoaderGuardTests {
    /// A loader that loads nothing, and refuses one source while it has a guard.
    private final class Guard: GuardingLoader {
        let guardFlag = GuardFlag(false)
        let checks = Shared(0)
        private let refused: String

        init(refusing identity: String) {
            refused = identity
        }

        func canLoad(_ source: ImageSource) -> Bool { false }

        func check(_ request: ImageRequest) throws(TintypeError) {
            checks.withLock { $0 += 1 }
            guard guardFlag.isSet, request.source.identity == refused else { return }
            throw TintypeError(.forbidden, stage: .load, "test")
        }

        @concurrent
        func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
            throw TintypeError(.invalidSource, stage: .load, "test")
        }
    }

    private struct Setting: RequestExtraKey {
        static let defaultValue = 0
    }

    private func fixture(_ loader: Guard) -> PipelineFixture {
        let fixture = PipelineFixture { $0.loaders.append(ImageLoaderChain([loader])) }
        fixture.answer()
        fixture.answer("b")
        return fixture
    }

    private func isInMemory(_ request: ImageRequest, _ pipeline: ImagePipeline) -> Bool {
        guard case .finished = pipeline.start(request).status else { return false }
        return pipeline.cachedImage(for: request) != nil
    }

    @Test func aMemoryHitAsksNoLoaderWithoutAGuard() async throws {
        let loader = Guard(refusing: "closure:a")
        let fixture = fixture(loader)
        _ = try await fixture.pipeline.image(for: fixture.request())
        let before = loader.checks.now
        #expect(isInMemory(fixture.request(), fixture.pipeline) && loader.checks.now == before)
        // A request with settings may bring a guard.
        var request = fixture.request()
        request.extras[Setting.self] = 1
        #expect(isInMemory(request, fixture.pipeline) && loader.checks.now > before)
    }

    @Test func aGuardAppliesToMemoryAndDisk() async throws {
        let loader = Guard(refusing: "closure:a")
        let fixture = fixture(loader)
        fixture.storeOnDisk()
        fixture.storeOnDisk("b")
        for name in ["a", "b"] { _ = try await fixture.pipeline.image(for: fixture.request(name)) }
        loader.guardFlag.isSet = true
        let request = fixture.request()
        #expect(!isInMemory(request, fixture.pipeline) && isInMemory(fixture.request("b"), fixture.pipeline))
        let reads = fixture.disk.reads
        for freshness in LoadPolicy.Freshness.allCases {
            await expectError(.forbidden) { try await fixture.pipeline.image(for: request.freshness(freshness)) }
        }
        #expect(await fixture.pipeline.cachedData(for: request) == nil)
        #expect(fixture.pipeline.blockingCachedData(for: request) == nil)
        #expect(fixture.disk.reads == reads && fixture.loader.count(fixture.identity()) == 0)
        // An alternative is checked as a request of its own.
        let alternative = request.with { $0.alternatives = [fixture.request("b").source] }
        _ = try await fixture.pipeline.image(for: alternative)
    }

    @Test func theGuardOfARequestsOwnLoaderAppliesToCachedImages() async throws {
        let fixture = fixture(Guard(refusing: ""))
        _ = try await fixture.pipeline.image(for: fixture.request())
        let loader = Guard(refusing: "closure:a")
        loader.guardFlag.isSet = true
        let request = fixture.request().with { $0.overrides = RequestOverrides(loader: loader) }
        #expect(!isInMemory(request, fixture.pipeline))
        await expectError(.forbidden) { try await fixture.pipeline.image(for: request) }
    }
}
