import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Pausing a whole pipeline.
@Suite(.timeLimited) struct PauseTests {
    private let fixture = PipelineFixture()

    /// Starts a load, and returns when it has missed the disk.
    private func start(_ request: ImageRequest) async -> ImageTask {
        let reads = fixture.disk.reads
        let task = fixture.pipeline.start(request)
        await fixture.disk.waitForReads(reads + 1)
        return task
    }

    @Test func aPausedPipelineAsksNoLoaderUntilItIsResumed() async throws {
        for name in ["a", "b"] { fixture.answer(name) }
        fixture.pipeline.isPaused = true
        let tasks = [await start(fixture.request("a")), await start(fixture.request("b"))]
        for _ in 0..<100 { await Task.yield() }
        #expect(fixture.loader.count("closure:a") + fixture.loader.count("closure:b") == 0)
        #expect(fixture.pipeline.isPaused && fixture.pipeline.runningLoads == 2)
        fixture.pipeline.isPaused = false
        for task in tasks { _ = try await task.response }
        _ = try await fixture.pipeline.image(for: fixture.request("a"))
        #expect(fixture.loader.count("closure:a") == 1 && fixture.loader.count("closure:b") == 1)
    }

    @Test func cachesAnswerWhileAPipelineIsPaused() async throws {
        fixture.storeOnDisk()
        fixture.pipeline.isPaused = true
        #expect(try await fixture.pipeline.response(for: fixture.request()).origin == .disk)
        #expect(try await fixture.pipeline.response(for: fixture.request()).origin == .memory)
    }

    @Test func runningLoadsGoOnWhileAPipelineIsPaused() async throws {
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let task = fixture.pipeline.start(fixture.request())
        await gate.waitForArrivals(1)
        fixture.pipeline.isPaused = true
        gate.open()
        #expect(try await task.response.origin == .network)
    }

    @Test func aLoadThatWaitsForTheEndOfAPauseCanBeCancelled() async {
        fixture.answer()
        fixture.pipeline.isPaused = true
        let task = await start(fixture.request())
        task.cancel()
        await expectError(.cancelled) { try await task.response }
        while fixture.pipeline.runningLoads > 0 { await Task.yield() }
        fixture.pipeline.isPaused = false
        #expect(fixture.loader.count("closure:a") == 0)
    }

    @Test func pausesMayBeRepeated() async throws {
        let pause = LoadPause()
        for _ in 0..<3 {
            pause.isPaused = true
            pause.isPaused = true
            let hasEnded = Shared(false)
            // Runs until it waits, or ends.
            let waiting = Task.immediate {
                try await pause.wait()
                hasEnded.withLock { $0 = true }
            }
            #expect(!hasEnded.now)
            pause.isPaused = false
            try await waiting.value
            try await pause.wait()
        }
        #expect(!pause.isPaused)
    }
}
