import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct ImagePipelineTests {
    // MARK: The path of a request

    @Test func aLoadedImageIsDecodedAndStored() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let response = try await fixture.pipeline.response(for: fixture.request())
        #expect(response.origin == .network)
        #expect(response.data == PipelineFixture.png && response.byteCount == PipelineFixture.png.count)
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) === response.image)
        #expect(fixture.disk.keys == [fixture.request().key])
    }

    @Test func aMemoryHitReadsNeitherDiskNorLoader() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let reads = fixture.disk.reads
        let response = try await fixture.pipeline.response(for: fixture.request())
        #expect(response.origin == .memory)
        #expect(fixture.disk.reads == reads && fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func aDiskHitMakesNoTransfer() async throws {
        let fixture = PipelineFixture()
        fixture.disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: fixture.request().key)
        let response = try await fixture.pipeline.response(for: fixture.request())
        #expect(response.origin == .disk)
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    @Test func aRenditionAndItsOriginalAreStored() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        var request = fixture.request()
        request.rendition.transforms = [CountingTransformer(identifier: "t")]
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [request.key, request.key.original])
        #expect(fixture.memory.contains(request.key) && !fixture.memory.contains(request.key.original))
    }

    @Test func flushIncludesTheCachesOfRequests() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let (rendered, original, unused) = (FakeDataCache(), FakeDataCache(), FakeDataCache())
        func overrides(_ cache: FakeDataCache, _ original: FakeDataCache? = nil) -> RequestOverrides {
            RequestOverrides(
                cache: ImageCache(memory: nil, disk: cache),
                originalCache: original.map { ImageCache(memory: nil, disk: $0) })
        }
        let own = overrides(rendered, original)
        let request = fixture.request().transformed(by: CountingTransformer(identifier: "t")).overrides(own)
        for _ in 0..<2 { _ = try await fixture.pipeline.image(for: request) }
        _ = try? await fixture.pipeline.image(for: request.overrides(overrides(unused)).freshness(.cacheOnly))
        try await fixture.pipeline.flush()
        #expect(rendered.stored(request.key) != nil && original.stored(request.key.original) != nil)
        #expect(rendered.flushes == 1 && original.flushes == 1 && fixture.disk.flushes == 1 && unused.flushes == 0)
        // Nothing was stored in between.
        try await fixture.pipeline.flush()
        #expect(rendered.flushes == 1 && fixture.disk.flushes == 2)
    }

    @Test func theNumberOfFlushedCachesIsBounded() async throws {
        var table = FlushTargets()
        let disks = (0...FlushTargets.capacity).map { _ in FakeDataCache() }
        let overrides = disks.map { RequestOverrides(cache: ImageCache(memory: nil, disk: $0)) }
        let evicted = overrides.map { table.add($0) }
        #expect(evicted.dropLast().allSatisfy { $0 == nil })
        try await evicted.last??.flush()
        #expect(disks.map(\.flushes) == [1] + disks.dropFirst().map { _ in 0 })
        let repeated = table.add(overrides[1])
        let memoryAlone = table.add(RequestOverrides(cache: ImageCache(memory: MemoryCache())))
        #expect(repeated == nil && memoryAlone == nil)
        for target in table.takeAll() { try await target.flush() }
        #expect(disks.allSatisfy { $0.flushes == 1 } && table.takeAll().isEmpty)
    }

    @Test func imagesInTheMemoryOfARequestsCacheAreNotHeld() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let disk = FakeDataCache()
        weak var memory: MemoryCache?
        func load() async throws {
            let own = MemoryCache()
            memory = own
            let overrides = RequestOverrides(cache: ImageCache.chain([ImageCache(memory: own, disk: disk)]))
            _ = try await fixture.pipeline.image(for: fixture.request().overrides(overrides))
        }
        try await load()
        while memory != nil { await Task.yield() }
        #expect(disk.keys.count == 1 && disk.flushes == 0)
        try await fixture.pipeline.flush()
        #expect(disk.flushes == 1)
    }

    @Test func allPartsAreFlushedAlthoughOneFails() async throws {
        /// A loader whose files cannot be written.
        struct Broken: FlushableLoader {
            let flushes = Shared(0)
            func canLoad(_ source: ImageSource) -> Bool { true }

            @concurrent
            func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
                LoadedBytes(data: PipelineFixture.png, origin: .network)
            }

            func flush() async throws(TintypeError) {
                flushes.withLock { $0 += 1 }
                throw TintypeError(.unwritable, stage: .store, "test")
            }
        }
        let (own, brought) = (Broken(), Broken())
        let fixture = PipelineFixture { $0.loaders = [own] }
        await expectError(.unwritable) { try await fixture.pipeline.flush() }
        #expect(own.flushes.now == 1 && fixture.disk.flushes == 1)
        // A loader that a request brings is flushed once after its load.
        let request = fixture.request().overrides(RequestOverrides(loader: brought))
        _ = try await fixture.pipeline.image(for: request)
        await expectError(.unwritable) { try await fixture.pipeline.flush() }
        await expectError(.unwritable) { try await fixture.pipeline.flush() }
        #expect(own.flushes.now == 3 && brought.flushes.now == 1 && fixture.disk.flushes == 3)
    }

    @Test func aStoredRenditionIsNotTransformedAgain() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let transformer = CountingTransformer(identifier: "t")
        var request = fixture.request()
        request.rendition.transforms = [transformer]
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        fixture.memory.clear()
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        #expect(transformer.count.now == 1 && fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func aNewRenditionIsMadeFromTheOriginalOnDisk() async throws {
        let fixture = PipelineFixture()
        fixture.disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: fixture.request().key)
        var request = fixture.request()
        request.rendition.transforms = [CountingTransformer(identifier: "t")]
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    // MARK: Sharing

    @Test func aThousandLoadsMakeOneTransferAndOneDecode() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let tasks = (0..<1000).map { _ in fixture.pipeline.start(fixture.request()) }
        gate.open()
        for task in tasks { _ = try await task.response }
        #expect(fixture.loader.count(fixture.identity()) == 1)
        #expect(fixture.decoder.decodeCount == 1)
    }

    @Test func differentRenditionsShareTheTransferAndTheDecode() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let tasks = (0..<10).map { number in
            var request = fixture.request()
            request.rendition.transforms = [CountingTransformer(identifier: "\(number)")]
            return fixture.pipeline.start(request)
        }
        let plain = fixture.pipeline.start(fixture.request())
        await gate.waitForArrivals(1)
        // 11 subscribers of renditions, 10 of the original, 2 of one decode.
        while fixture.pipeline.activity.renditions.subscribers < 21 { await Task.yield() }
        while fixture.pipeline.activity.originals.subscribers < 2 { await Task.yield() }
        gate.open()
        for task in tasks + [plain] { _ = try await task.response }
        #expect(fixture.loader.count(fixture.identity()) == 1)
        #expect(fixture.decoder.decodeCount == 1)
    }

    @Test func bytesThatAreStillBeingDecodedAreNotLoadedAgain() async throws {
        let decodes = DecodesBegun()
        let fixture = PipelineFixture(decoderIsOpen: false) { $0.observers = [decodes] }
        fixture.answer()
        let first = fixture.pipeline.start(fixture.request())
        await fixture.decoder.waitForDecodes(1)
        let second = fixture.pipeline.start(fixture.request().fitting(width: 7))
        // `reload` never uses bytes of an earlier transfer.
        let third = fixture.pipeline.start(fixture.request().freshness(.reload))
        await decodes.count.wait { $0 >= 3 }
        fixture.decoder.open()
        for task in [first, second, third] { _ = try await task.response }
        #expect(fixture.loader.count(fixture.identity()) == 2)
    }

    @Test func equalBeginningsOfChainsAreTransformedOnce() async throws {
        let fixture = PipelineFixture(decoderIsOpen: false)
        fixture.answer()
        let shared = CountingTransformer(identifier: "shared")
        let tasks = ["x", "y"].map { name in
            var request = fixture.request()
            request.rendition.transforms = [shared, CountingTransformer(identifier: name)]
            return fixture.pipeline.start(request)
        }
        // Two subscribers of the ends, two of the common beginning, one of the original.
        while fixture.pipeline.activity.renditions.subscribers < 5 { await Task.yield() }
        fixture.decoder.open()
        for task in tasks { _ = try await task.response }
        #expect(shared.count.now == 1)
    }

    // MARK: Cancelling

    @Test func cancellingEndsTheWaitAtOnceAndStopsTheTransfer() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let load = Task { try await fixture.pipeline.image(for: fixture.request()) }
        await gate.waitForArrivals(1)
        load.cancel()
        let result = await load.result
        expectError(.cancelled) { try result.get() }
        await fixture.loader.waitForCancelled(1, of: fixture.identity())
        while !fixture.pipeline.activity.isIdle { await Task.yield() }
        #expect(fixture.disk.keys.isEmpty && fixture.memory.totalCount == 0)
    }

    @Test func cancellingSomeLoadsDoesNotStopTheOthers() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let tasks = (0..<100).map { _ in fixture.pipeline.start(fixture.request()) }
        await gate.waitForArrivals(1)
        for task in tasks.dropLast() { task.cancel() }
        gate.open()
        _ = try await tasks.last?.response
        #expect(fixture.loader.cancelledCount(fixture.identity()) == 0)
        for task in tasks.dropLast() {
            await expectError(.cancelled) { try await task.response }
        }
    }

    @Test func aCancelledCallerStartsNothing() async {
        let fixture = PipelineFixture()
        fixture.answer()
        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.pipeline.image(for: fixture.request())
        }
        let result = await load.result
        expectError(.cancelled) { try result.get() }
        #expect(fixture.loader.count(fixture.identity()) == 0)
        while !fixture.pipeline.activity.isIdle { await Task.yield() }
    }

    // MARK: Memory hits

    @Test func aMemoryHitReturnsWithoutSuspending() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let image = try await fixture.pipeline.image(for: fixture.request())
        // A task that is resumed on an executor runs only after the current task has left it. If the call below
        // suspended, the other task of the main actor would run first.
        let order = Shared<[String]>([])
        try await onMainActor(fixture, order)
        #expect(order.now.first == "hit")
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) === image)
    }

    @MainActor private func onMainActor(_ fixture: PipelineFixture, _ order: Shared<[String]>) async throws {
        let other = Task { @MainActor in order.withLock { $0.append("other") } }
        _ = try await fixture.pipeline.image(for: fixture.request())
        order.withLock { $0.append("hit") }
        await other.value
    }

    @Test func aTaskStartedOnAMemoryHitHasEnded() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        guard case .finished(let response) = fixture.pipeline.start(fixture.request()).status else {
            Issue.record("it should have ended")
            return
        }
        #expect(response.origin == .memory)
    }

    // MARK: Policies

    @Test func reloadIgnoresTheCachesAndFillsThem() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        var request = fixture.request()
        request.policy.freshness = .reload
        #expect(try await fixture.pipeline.response(for: request).origin == .network)
        #expect(fixture.loader.count(fixture.identity()) == 2)
    }

    @Test func cacheOnlyLoadsNothing() async {
        let fixture = PipelineFixture()
        fixture.answer()
        var request = fixture.request()
        request.policy.freshness = .cacheOnly
        await expectError(.notCached) { try await fixture.pipeline.image(for: request) }
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    @Test func disabledTiersAreNeitherReadNorFilled() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        var request = fixture.request()
        request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
        request.policy.caching.original.disk = .off
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.memory.totalCount == 0 && fixture.disk.keys.isEmpty && fixture.disk.reads == 0)
    }

    @Test func dataAlwaysAddsTheBytesToAMemoryHit() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        var request = fixture.request()
        request.policy.delivery.data = .always
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.origin == .memory && response.data == PipelineFixture.png)
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func interceptorsRunBeforeTheKeyIsMade() async throws {
        struct Renaming: RequestInterceptor {
            func intercept(_ request: ImageRequest) -> ImageRequest {
                var request = request
                request.source = .closure(id: "b") { Data() }
                return request
            }
        }
        let fixture = PipelineFixture { $0.interceptors = [Renaming()] }
        fixture.answer("b")
        _ = try await fixture.pipeline.image(for: fixture.request("a"))
        #expect(fixture.loader.count(fixture.identity("b")) == 1)
        #expect(fixture.pipeline.cachedImage(for: fixture.request("a")) != nil)
    }

    // MARK: Failures

    @Test func anErrorNamesItsSourceAndStoresNothing() async {
        let fixture = PipelineFixture()
        fixture.answer("a", .failure(TintypeError(.badStatus, stage: .load, "HTTP 404 Not Found")))
        let error = await expectError(.badStatus) { try await fixture.pipeline.image(for: fixture.request()) }
        #expect(error?.subject == fixture.identity())
        #expect(fixture.disk.keys.isEmpty && fixture.memory.totalCount == 0)
    }

    @Test func emptyBytesAndBytesThatAreNotAnImageAreNotStored() async {
        let fixture = PipelineFixture()
        fixture.answer("empty", .data(Data()))
        fixture.answer("html", .data(Data("<!DOCTYPE html><html></html>".utf8)))
        fixture.answer("gif", .data(Data("GIF89a".utf8)))
        await expectError(.emptyBody) { try await fixture.pipeline.image(for: fixture.request("empty")) }
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request("html")) }
        await expectError(.noCoder) { try await fixture.pipeline.image(for: fixture.request("gif")) }
        #expect(fixture.disk.keys.isEmpty)
    }

    @Test func aDamagedEntryIsReplacedFromTheNetwork() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        fixture.disk.store(CacheEntry(data: Data("not an image".utf8), format: .png), for: fixture.request().key)
        let response = try await fixture.pipeline.response(for: fixture.request())
        #expect(response.origin == .network)
        #expect(fixture.disk.entry(for: fixture.request().key)?.data == PipelineFixture.png)
    }

    @Test func aDamagedRenditionIsMadeAgain() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        var request = fixture.request()
        request.rendition.transforms = [CountingTransformer(identifier: "t")]
        fixture.disk.store(CacheEntry(data: Data("not an image".utf8), format: .png), for: request.key)
        #expect(try await fixture.pipeline.response(for: request).origin == .network)
    }

    @Test func bytesBeyondTheLimitAreRefused() async {
        let fixture = PipelineFixture { $0.maximumByteCount = 50 }
        fixture.answer()
        await expectError(.limitExceeded) { try await fixture.pipeline.image(for: fixture.request()) }
    }

    @Test func aSourceWithoutALoaderIsAnError() async throws {
        let fixture = PipelineFixture { $0.loaders = [FileLoader()] }
        let url = try #require(URL(string: "gopher://example.org/a"))
        await expectError(.invalidSource) { try await fixture.pipeline.image(for: url) }
    }
}
