import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct ByteHandoverTests {
    private static let key = JobKey(bytesOf: ImageRequest(source: .bytes(Data([1]), id: "a")))
    private static let other = JobKey(bytesOf: ImageRequest(source: .bytes(Data([1]), id: "b")))
    private static let bytes = LoadedBytes(data: Data([1, 2, 3]), origin: .custom)

    @Test func bytesAreHandedOverToEnteredLoads() {
        var handover = ByteHandover()
        handover.enter(Self.key)
        #expect(handover[Self.key] == nil)
        handover.put(Self.bytes, as: Self.key)
        #expect(handover[Self.key]?.data == Self.bytes.data)
        #expect(handover[Self.other] == nil)
    }

    @Test func bytesWithoutAnEnteredLoadAreDropped() {
        var handover = ByteHandover()
        handover.put(Self.bytes, as: Self.key)
        handover.enter(Self.key)
        #expect(handover[Self.key] == nil)
    }

    @Test func bytesStayUntilTheLastLoadLeaves() {
        var handover = ByteHandover()
        handover.enter(Self.key)
        handover.enter(Self.key)
        handover.put(Self.bytes, as: Self.key)
        handover.leave(Self.key)
        #expect(handover[Self.key] != nil)
        handover.leave(Self.key)
        #expect(handover[Self.key] == nil)
        handover.leave(Self.key)
        handover.enter(Self.key)
        #expect(handover[Self.key] == nil)
    }
}

/// Loads of one source are shared between renditions.
@Suite(.timeLimited) struct SharedBytesTests {
    /// Loads two renditions of one source concurrently.
    private func loadTwice(_ fixture: PipelineFixture, gate: Gate) async throws {
        let first = fixture.pipeline.start(fixture.request())
        await gate.waitForArrivals(1)
        let second = fixture.pipeline.start(fixture.request().fitting(width: 7))
        while fixture.pipeline.activity.originals.running < 2 { await Task.yield() }
        gate.open()
        _ = try await (first.response, second.response)
    }

    @Test func loadsOfOneSourceForTwoRenditionsAreOneStage() async throws {
        let stages = LoadStages()
        let gate = Gate()
        let fixture = PipelineFixture { $0.observers = [stages] }
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        try await loadTwice(fixture, gate: gate)
        #expect(fixture.loader.count(fixture.identity()) == 1)
        #expect(stages.count.now == 1)
    }

    /// The second load finds neither bytes nor the job of the first one, because it waits in between.
    @Test func aLoadThatStartsAfterAnEqualOneHasEndedUsesItsBytes() async throws {
        let (gate, allowed) = (Gate(), Shared(0))
        let fixture = PipelineFixture {
            $0.shouldLoad = { _ in
                allowed.withLock { $0 += 1 }
                return true
            }
        }
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let first = fixture.pipeline.start(fixture.request())
        await gate.waitForArrivals(1)
        fixture.pipeline.isPaused = true
        let second = fixture.pipeline.start(fixture.request().fitting(width: 7))
        await allowed.wait { $0 >= 2 }
        gate.open()
        _ = try await first.response
        fixture.pipeline.isPaused = false
        _ = try await second.response
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func anIdentityOfAnInterceptorIsLimitedToItsPipeline() {
        let (first, second) = (PipelineFixture().pipeline.services, PipelineFixture().pipeline.services)
        var request = PipelineFixture().request()
        #expect(first.byteIdentity(of: request) == nil)
        request.identity = "name"
        #expect(first.byteIdentity(of: request) == first.byteIdentity(of: request))
        #expect(first.byteIdentity(of: request) != second.byteIdentity(of: request))
    }

    private final class LoadStages: PipelineObserver {
        let count = Shared(0)

        func observe(_ event: PipelineEvent) {
            if case .stageBegan(let run) = event, run.stage == .load { count.withLock { $0 += 1 } }
        }
    }
}
