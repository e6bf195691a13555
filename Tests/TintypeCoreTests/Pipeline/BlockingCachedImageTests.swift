import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A blocking lookup of a cached image loads nothing, whatever the request names besides its source.
@Suite(.timeLimited) struct BlockingCachedImageTests {
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

    /// Counts the lookups in memory that are reported.
    private final class Lookups: PipelineObserver {
        let count = Shared(0)

        func observe(_ event: PipelineEvent) {
            if case .lookedUp(_, .memory, _) = event { count.withLock { $0 += 1 } }
        }
    }

    /// The second lookup would find nothing.
    @Test(arguments: [false, true]) func anImageInMemoryIsLookedUpOnce(_ removesOnHit: Bool) async throws {
        let (cache, lookups, changes) = (CountingCache(removesOnHit: removesOnHit), Lookups(), Shared(0))
        let fixture = PipelineFixture {
            $0.cache = cache
            $0.observers = [lookups]
        }
        let request = fixture.request().with {
            $0.resultModifier = { image in
                changes.withLock { $0 += 1 }
                return image
            }
        }
        _ = cache.store(try .pixel(), for: request.key, timeToLive: nil)
        #expect(await image(for: request, in: fixture) != nil)
        #expect(cache.lookups(of: request.key) == 1 && lookups.count.now == 1 && changes.now == 1)
    }

    @Test func anImageOnDiskIsReadAndDecodedOnce() async throws {
        fixture.storeOnDisk()
        let request = fixture.request().freshness(.cacheOnly).with {
            ($0.policy.caching.rendition.memory, $0.policy.caching.original.memory) = (.off, .off)
        }
        _ = try await fixture.pipeline.image(for: request)
        let reads = fixture.disk.reads
        #expect(await image(for: request, in: fixture) != nil)
        #expect(fixture.disk.reads == 2 * reads && fixture.decoder.decodeCount == 2)
    }

    private func image(for request: ImageRequest, in fixture: PipelineFixture) async -> Image? {
        await onNewThread { fixture.pipeline.blockingCachedImage(for: request) }
    }
}
