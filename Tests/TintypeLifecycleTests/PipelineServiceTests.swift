#if ServiceLifecycle
import Foundation
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing
import TestSupport
import TintypeCore
import TintypeTesting

@testable import TintypeLifecycle

/// The end of a pipeline that is a service.
@Suite(.timeLimited) struct PipelineServiceTests {
    private let loader = FakeLoader()
    private let disk = CountingCache()
    private let pipeline: ImagePipeline

    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 7, count: 100)

    init() {
        var configuration = PipelineConfiguration()
        configuration.loaders = [loader]
        configuration.coders = ImageCoderRegistry(decoders: [GatedDecoder()])
        configuration.cache = ImageCache(memory: nil, disk: disk)
        pipeline = ImagePipeline(configuration)
    }

    private func request(_ name: String) -> ImageRequest { ImageRequest(source: .closure(id: name) { Data() }) }

    /// Makes the loads of a source wait at a gate.
    private func holdBack(_ name: String) -> Gate {
        let gate = Gate()
        loader.setAnswer(.gated(gate, .data(Self.png)), for: "closure:\(name)")
        return gate
    }

    @Test func aShutdownWaitsForRunningLoadsAndWritesWhatTheyStored() async throws {
        let gate = holdBack("a")
        let task = pipeline.start(request("a"))
        await gate.waitForArrivals(1)
        try await testGracefulShutdown { trigger in
            async let end: Void = PipelineService(pipeline).run()
            trigger.triggerGracefulShutdown()
            // A service that does not wait would end meanwhile.
            for _ in 0..<100 { await Task.yield() }
            #expect(disk.flushes == 0)
            gate.open()
            try await end
        }
        #expect(try await task.response.origin == .network)
        #expect(disk.storesBeforeFlush == 1 && disk.flushes == 1)
    }

    @Test func aShutdownCancelsPrefetches() async throws {
        let gate = holdBack("a")
        let prefetcher = ImagePrefetcher(pipeline, settings: PrefetchSettings())
        let batch = prefetcher.prefetch([request("a"), request("b")])
        await gate.waitForArrivals(1)
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await PipelineService(pipeline, prefetchers: [prefetcher]).run()
        }
        _ = await batch.wait()
        await loader.waitForCancelled(1, of: "closure:a")
        #expect(disk.flushes == 1)
    }

    /// The group cancels its services when a graceful shutdown takes too long.
    @Test func aCancelledServiceCancelsLoadsAndStillWrites() async throws {
        let gate = holdBack("a")
        let load = pipeline.start(request("a"))
        await gate.waitForArrivals(1)
        try await testGracefulShutdown { _ in
            let service = Task { [pipeline] in try await PipelineService(pipeline).run() }
            service.cancel()
            try await service.value
        }
        await expectError(.cancelled) { try await load.response }
        #expect(disk.flushes == 1)
    }

    /// They would wait for ever.
    @Test func theLoadsOfAPausedPipelineAreCancelled() async throws {
        pipeline.isPaused = true
        let load = pipeline.start(request("a"))
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await PipelineService(pipeline).run()
        }
        await expectError(.cancelled) { try await load.response }
        #expect(disk.flushes == 1)
    }

    @Test func anErrorOfTheDiskIsTheErrorOfTheService() async throws {
        disk.fail()
        await expectError(.unwritable) {
            try await testGracefulShutdown { trigger in
                trigger.triggerGracefulShutdown()
                try await PipelineService(pipeline).run()
            }
        }
    }
}

/// A disk cache that keeps nothing, and counts.
private final class CountingCache: DataCaching {
    private struct Counts: Sendable {
        var stores = 0
        var storesBeforeFlush = 0
        var flushes = 0
        var fails = false
    }

    private let counts = Shared(Counts())

    var flushes: Int { counts.now.flushes }
    var storesBeforeFlush: Int { counts.now.storesBeforeFlush }

    func fail() { counts.withLock { $0.fails = true } }
    func entry(for key: CacheKey) -> CacheEntry? { nil }
    func store(_ entry: CacheEntry, for key: CacheKey) { counts.withLock { $0.stores += 1 } }
    func remove(_ key: CacheKey) {}
    func contains(_ key: CacheKey) -> Bool { false }
    func removeAll() async throws(TintypeError) {}

    func flush() async throws(TintypeError) {
        let fails = counts.withLock { counts in
            counts.storesBeforeFlush = counts.stores
            counts.flushes += 1
            return counts.fails
        }
        if fails { throw TintypeError(.unwritable, stage: .store, "the disk is full") }
    }
}
#endif
