import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Runs all operations concurrently, mainly for the thread sanitizer. `make tsan` runs 100,000 operations.
@Suite(.timeLimited) struct StressTests {
    private static let operations =
        ProcessInfo.processInfo.environment["TINTYPE_STRESS"].flatMap { Int($0) } ?? 4000

    @Test func mixedOperationsEndOnceAndLeaveNothingRunning() async throws {
        let seed = SeededRandom.printed("stress")
        let metrics = Counts()
        let fixture = PipelineFixture { $0.observers = [metrics, TraceRecorder(capacity: 1000)] }
        for number in 0..<40 {
            let broken = FakeLoader.Answer.failure(TintypeError(.unreachable, stage: .load, "test"))
            fixture.answer("\(number)", number % 7 == 0 ? broken : .data(PipelineFixture.png))
        }
        let workers = 8
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                var random = seed
                for _ in 0..<worker { _ = random.next() }
                group.addTask { [random] in
                    var worker = Worker(fixture: fixture, random: random)
                    await worker.run(Self.operations / workers)
                }
            }
        }
        try await fixture.pipeline.flush()
        // Jobs end before their waiters resume.
        while !fixture.pipeline.activity.isIdle || fixture.pipeline.isRunning { await Task.yield() }
        await metrics.ended.wait { [begun = metrics.begun.now] in $0 == begun }
        #expect(metrics.begun.now > 0)
    }

    /// Counts loads that began and that ended.
    private final class Counts: PipelineObserver {
        let begun = Shared(0)
        let ended = Shared(0)

        func observe(_ event: PipelineEvent) {
            switch event {
            case .loadBegan: begun.withLock { $0 += 1 }
            case .loadEnded: ended.withLock { $0 += 1 }
            default: break
            }
        }
    }
}

/// One of several concurrent users of a pipeline.
private struct Worker {
    let fixture: PipelineFixture
    var random: SeededRandom
    private var running: [ImageTask] = []
    private let prefetcher: ImagePrefetcher

    init(fixture: PipelineFixture, random: SeededRandom) {
        self.fixture = fixture
        self.random = random
        prefetcher = ImagePrefetcher(fixture.pipeline)
    }

    mutating func run(_ operations: Int) async {
        for _ in 0..<operations { await step() }
        prefetcher.cancelAll()
        for task in running { _ = try? await task.response }
    }

    private mutating func step() async {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: running.append(fixture.pipeline.start(request()))
        case 40..<55: anyTask()?.cancel()
        case 55..<65: anyTask()?.priority = ImagePriority.allCases.randomElement(using: &random) ?? .low
        case 65..<75: _ = try? await fixture.pipeline.image(for: request())
        case 75..<80: _ = fixture.pipeline.cachedImage(for: request())
        case 80..<84: await join()
        case 84..<88: prefetcher.prefetch((0..<3).map { _ in request() })
        case 88..<90: prefetcher.isPaused.toggle()
        case 90..<92: prefetcher.cancelAll()
        case 92..<94: fixture.memory.clear()
        case 94..<96: fixture.disk.clear()
        case 96..<97: fixture.pipeline.failureMemory.forgetAll()
        case 97..<98: _ = await fixture.pipeline.cachedData(for: request())
        default: await Task.yield()
        }
        if running.count > 50 { running.removeFirst(25) }
    }

    private mutating func request() -> ImageRequest {
        var request = fixture.request("\(Int.random(in: 0..<40, using: &random))")
        let freshness = LoadPolicy.Freshness.allCases.randomElement(using: &random) ?? .cached
        if Int.random(in: 0..<4, using: &random) == 0 { request = request.freshness(freshness) }
        if Int.random(in: 0..<3, using: &random) == 0 { request = request.fitting(width: 1) }
        if Int.random(in: 0..<5, using: &random) == 0 { request = request.orElse(fixture.request("1").source) }
        if Int.random(in: 0..<5, using: &random) == 0 {
            request = request.transformed(by: CountingTransformer(identifier: "t"))
        }
        return request
    }

    private mutating func anyTask() -> ImageTask? { running.randomElement(using: &random) }

    /// Follows a load's events to their end.
    private mutating func join() async {
        guard let task = anyTask() else { return }
        var ends = 0
        for await event in task.events { if case .finished = event { ends += 1 } }
        #expect(ends == 1)
    }
}
