import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The memory tier of a program, in place of ``MemoryCache`` (`memoryCacheClass` of SDWebImage).
@Suite(.timeLimited) struct MemoryCachingTests {
    /// Keeps the newest image alone.
    private final class OneImage: MemoryCaching {
        private let content = Locked<(key: CacheKey, image: Image)?>(nil)

        func image(for key: CacheKey) -> Image? { content.withLock { $0?.key == key ? $0?.image : nil } }
        func contains(_ key: CacheKey) -> Bool { image(for: key) != nil }
        func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int {
            content.withLock { content in
                defer { content = (key, image) }
                return content == nil || content?.key == key ? 0 : 1
            }
        }
        func remove(_ key: CacheKey) { content.withLock { if $0?.key == key { $0 = nil } } }
        func clear() { content.withLock { $0 = nil } }
        func shrink(for pressure: MemoryPressure) { clear() }
    }

    @Test func aProgramReplacesTheMemoryTierAlone() async throws {
        let own = OneImage()
        let disk = FakeDataCache()
        let fixture = PipelineFixture { $0.cache = ImageCache(memory: own, disk: disk) }
        for name in ["a", "b"] { fixture.answer(name) }
        let first = try await fixture.pipeline.image(for: fixture.request("a"))
        #expect(own.image(for: fixture.request("a").key) === first)
        let hit = try await fixture.pipeline.response(for: fixture.request("a"))
        #expect(hit.origin == .memory)
        _ = try await fixture.pipeline.image(for: fixture.request("b"))
        try await fixture.pipeline.flush()
        #expect(!own.contains(fixture.request("a").key) && own.contains(fixture.request("b").key))
        let read = try await fixture.pipeline.response(for: fixture.request("a"))
        #expect(read.origin == .disk)
        #expect(fixture.memory.totalCount == 0)
        try await fixture.pipeline.configuration.cache.remove(fixture.request("a").key, from: .memory)
        #expect(!own.contains(fixture.request("a").key) && disk.contains(fixture.request("a").key))
    }
}
