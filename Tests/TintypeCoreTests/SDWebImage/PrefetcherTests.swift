import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The behaviour of SDWebImagePrefetcher, and what its users miss in it.
@Suite("SDWebImagePrefetcher", .timeLimited) struct PrefetcherTests {
    private let fixture = PipelineFixture()
    private let gate = Gate()

    private func requests(_ names: String...) -> [ImageRequest] {
        for name in names { fixture.answer(name, .gated(gate, .data(PipelineFixture.png))) }
        return names.map { fixture.request($0) }
    }

    private func count(_ name: String) -> Int { fixture.loader.count(fixture.identity(name)) }

    @Test func aBatchCountsFinishedAndSkipped() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline)
        fixture.answer("a")
        fixture.answer("b", .failure(TintypeError(.unreachable, stage: .load, "test")))
        let batch = prefetcher.prefetch([fixture.request("a"), fixture.request("b")])
        let progress = await batch.wait()
        #expect(progress.finishedCount == 1 && progress.skipped == 1 && progress.total == 2 && progress.isComplete)
    }

    @Test func didPrefetchURLIsCalledForEach() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline)
        fixture.answer("a")
        fixture.answer("b", .failure(TintypeError(.unreachable, stage: .load, "test")))
        let outcomes = Shared<[String: TintypeError.Code?]>([:])
        let batch = prefetcher.prefetch([fixture.request("a"), fixture.request("b")]) { source, error in
            outcomes.withLock { $0[source.identity] = .some(error?.code) }
        }
        _ = await batch.wait()
        #expect(outcomes.now == [fixture.identity("a"): nil, fixture.identity("b"): .unreachable])
    }

    @Test func anEmptyBatchIsCompleteAtOnce() async {
        let batch = ImagePrefetcher(fixture.pipeline).prefetch([URL]())
        #expect(batch.progress.isComplete && batch.progress.finishedCount == 0 && batch.progress.skipped == 0)
        #expect(await batch.wait().isComplete)
    }

    @Test func progressIsReportedForEachImage() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline)
        for name in ["a", "b", "c"] { fixture.answer(name) }
        let batch = prefetcher.prefetch(["a", "b", "c"].map { fixture.request($0) })
        var last = -1
        for await progress in batch.updates {
            #expect(progress.finishedCount > last)
            last = progress.finishedCount
        }
        #expect(last == 3)
    }

    @Test func everyImageOfALargeBatchIsReportedOnceBeforeTheBatchEnds() async {
        let names = (0..<20).map { "\($0)" }
        for name in names { fixture.answer(name) }
        let reported = Shared<[String]>([])
        let batch = ImagePrefetcher(fixture.pipeline).prefetch(names.map { fixture.request($0) }) { source, error in
            if error == nil { reported.withLock { $0.append(source.identity) } }
        }
        let progress = await batch.wait()
        #expect(progress.finishedCount == 20 && progress.skipped == 0)
        #expect(reported.now.sorted() == names.map { fixture.identity($0) }.sorted())
    }

    @Test func batchesFromSeveralTasksMayShareAnImage() async {
        for name in ["a", "b", "c"] { fixture.answer(name) }
        let (fixture, prefetcher) = (fixture, ImagePrefetcher(fixture.pipeline))
        await withTaskGroup(of: PrefetchProgress.self) { group in
            for names in [["a", "b"], ["b", "c"]] {
                group.addTask { await prefetcher.prefetch(names.map { fixture.request($0) }).wait() }
            }
            for await progress in group { #expect(progress.finishedCount == 2 && progress.skipped == 0) }
        }
    }

    @Test func threeLoadsRunConcurrentlyByDefault() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline)
        let batch = prefetcher.prefetch(requests("a", "b", "c", "d", "e"))
        await gate.waitForArrivals(3)
        #expect(["a", "b", "c", "d", "e"].map(count) == [1, 1, 1, 0, 0])
        gate.open()
        #expect(await batch.wait().finishedCount == 5)
    }

    @Test func memoryIsTheDefaultDestination() async throws {
        for name in ["a", "b"] { fixture.answer(name) }
        _ = await ImagePrefetcher(fixture.pipeline).prefetch([fixture.request("a")]).wait()
        #expect(fixture.memory.contains(fixture.request("a").key))
        let toDisk = ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(destination: .disk))
        _ = await toDisk.prefetch([fixture.request("b")]).wait()
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [fixture.request("a").key, fixture.request("b").key])
        #expect(fixture.memory.totalCount == 1)
    }

    @Test func imagesOnDiskAreNotDecoded() async {
        fixture.storeOnDisk()
        let toDisk = ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(destination: .disk))
        #expect(await toDisk.prefetch([fixture.request()]).wait().finishedCount == 1)
        #expect(fixture.decoder.decodeCount == 0 && count("a") == 0)
    }

    @Test func aRenditionIsStoredOnDiskUnderItsKey() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 9, height: 9)))
        fixture.answer()
        let request = fixture.request().fitting(width: 1)
        let toDisk = ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(destination: .disk))
        _ = await toDisk.prefetch([request]).wait()
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [request.key, request.key.original] && fixture.memory.totalCount == 0)
    }

    @Test func pixelsOfOtherSourcesAreNotStoredEither() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 99, height: 99)))
        fixture.answer("a", .failure(TintypeError(.unreachable, stage: .load, "test")))
        for name in ["b", "low"] { fixture.answer(name) }
        let request = fixture.request().orElse(fixture.request("b").source)
            .lowResolutionFirst(fixture.request("low").source)
            .cached(original: CacheRules())
        let toDisk = ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(destination: .disk))
        #expect(await toDisk.prefetch([request]).wait().isComplete)
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [fixture.request("b").key] && fixture.memory.totalCount == 0)
        #expect(fixture.loader.count(fixture.identity("low")) == 0)
    }

    @Test func cancellingABatchDoesNotAffectOthers() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline)
        let first = prefetcher.prefetch(requests("a", "b"))
        let second = prefetcher.prefetch(requests("c"))
        await gate.waitForArrivals(3)
        first.cancel()
        #expect(first.progress.skipped == 2 && first.progress.isComplete)
        gate.open()
        #expect(await second.wait().finishedCount == 1)
    }

    @Test func cancellingOneURLDoesNotAffectTheRestOfTheBatch() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(concurrency: 1))
        let requests = requests("a", "b", "c")
        // Never opened: a cancelled request must not succeed meanwhile.
        fixture.answer("a", .gated(Gate(), .data(PipelineFixture.png)))
        let batch = prefetcher.prefetch(requests)
        await fixture.loader.waitForLoads(1, of: fixture.identity("a"))
        prefetcher.cancel(fixture.request("a").source)
        prefetcher.cancel(fixture.request("c").source)
        gate.open()
        let progress = await batch.wait()
        #expect(progress.finishedCount == 1 && progress.skipped == 2)
        #expect(["a", "b", "c"].map(count) == [1, 1, 0])
    }

    @Test func cancelPrefetchingCancelsEverything() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline)
        let batches = [prefetcher.prefetch(requests("a", "b")), prefetcher.prefetch(requests("c", "d"))]
        await gate.waitForArrivals(3)
        prefetcher.cancelAll()
        for batch in batches { #expect(await batch.wait().skipped == 2) }
        while !fixture.pipeline.activity.isIdle { await Task.yield() }
        #expect(count("d") == 0)
    }

    @Test func cancellingTheLoadsOfThePipelineEndsTheBatch() async {
        let batch = ImagePrefetcher(fixture.pipeline).prefetch(requests("a", "b", "c"))
        await gate.waitForArrivals(3)
        fixture.pipeline.cancelAll()
        let progress = await batch.wait()
        #expect(progress.skipped == 3 && progress.finishedCount == 0)
        gate.open()
    }

    @Test func aPausedPrefetcherStartsNothingUntilItIsResumed() async {
        let prefetcher = ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(concurrency: 1))
        let batch = prefetcher.prefetch(requests("a", "b"))
        await gate.waitForArrivals(1)
        prefetcher.isPaused = true
        gate.open()
        for await progress in batch.updates where progress.finishedCount == 1 { break }
        #expect(count("b") == 0)
        prefetcher.isPaused = false
        #expect(await batch.wait().finishedCount == 2)
    }

    @Test func prefetchingHasTheLowestPriority() async throws {
        let batch = ImagePrefetcher(fixture.pipeline).prefetch(requests("a"))
        await gate.waitForArrivals(1)
        #expect(fixture.loader.lastContext(fixture.identity())?.priority == .veryLow)
        gate.open()
        _ = await batch.wait()
    }

    @Test func aViewsRequestSharesThePrefetchAndRaisesItsPriority() async throws {
        for destination in [PrefetchSettings.Destination.memory, .disk] {
            let fixture = PipelineFixture()
            let gate = Gate()
            fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
            let prefetcher = ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(destination: destination))
            let batch = prefetcher.prefetch([fixture.request()])
            await gate.waitForArrivals(1)
            let task = fixture.pipeline.start(fixture.request().priority(.high))
            let context = try #require(fixture.loader.lastContext(fixture.identity()))
            await context.job.waitForPriority(.high)
            gate.open()
            _ = try await task.response
            #expect(await batch.wait().finishedCount == 1)
            #expect(fixture.loader.count(fixture.identity()) == 1)
        }
    }

    @Test func cancellingABatchDoesNotAffectAViewThatJoined() async throws {
        let batch = ImagePrefetcher(fixture.pipeline).prefetch(requests("a"))
        await gate.waitForArrivals(1)
        let task = fixture.pipeline.start(fixture.request())
        batch.cancel()
        gate.open()
        _ = try await task.response
        #expect(count("a") == 1)
    }

    @Test func aHundredThousandURLsBecomeRequestsOnlyWhenStarted() async throws {
        let created = Shared(0)
        struct Counting: RequestInterceptor {
            let created: Shared<Int>
            func intercept(_ request: ImageRequest) -> ImageRequest {
                created.withLock { $0 += 1 }
                return request
            }
        }
        let fixture = PipelineFixture { $0.interceptors = [Counting(created: created)] }
        let urls = try (0..<100_000).map { try #require(URL(string: "https://example.org/\($0)")) }
        let gate = Gate()
        for url in urls.prefix(3) {
            fixture.loader.setAnswer(.gated(gate, .data(PipelineFixture.png)), for: url.absoluteString)
        }
        let prefetcher = ImagePrefetcher(fixture.pipeline)
        let batch = prefetcher.prefetch(urls)
        await gate.waitForArrivals(3)
        #expect(created.now == 3 && fixture.pipeline.runningTasks.count == 3)
        batch.cancel()
        #expect(batch.progress.skipped == 100_000)
    }
}
