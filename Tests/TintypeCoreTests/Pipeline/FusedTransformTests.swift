import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Adjacent transforms of single pixels run in one pass, and still share intermediate renditions.
@Suite(.timeLimited) struct FusedTransformTests {
    /// Counts the runs of transforms.
    private final class Passes: PipelineObserver {
        let count = Shared(0)

        func observe(_ event: PipelineEvent) {
            if case .stageEnded(let run, _) = event, run.stage == .transform { count.withLock { $0 += 1 } }
        }
    }

    private let tint = TintTransformer(Color(red: 200, green: 100, blue: 50, alpha: 128), mode: .normal)
    private let sepia = ColorTransformer(.sepia)
    private let flat = FlattenTransformer(on: .black)

    private func fixture(_ passes: Passes) -> PipelineFixture {
        let fixture = PipelineFixture { $0.observers = [passes] }
        fixture.answer()
        return fixture
    }

    private func request(_ fixture: PipelineFixture, _ transforms: [any ImageTransformer]) -> ImageRequest {
        fixture.request().with { $0.rendition.transforms = transforms }
    }

    @Test func adjacentPixelTransformsTakeOnePassAndEqualSeparateOnes() async throws {
        let passes = Passes()
        let fixture = fixture(passes)
        let image = try await fixture.pipeline.image(for: request(fixture, [tint, sepia, flat]))
        #expect(passes.count.now == 1)
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255))
        let expected = try flat.transform(sepia.transform(tint.transform(white)))
        #expect(PixelDifference(between: image.pixels, and: expected)?.maximum == 0)
    }

    @Test func otherTransformsTakeASeparatePass() async throws {
        let passes = Passes()
        let fixture = fixture(passes)
        let blur = BlurTransformer(radius: 1)
        _ = try await fixture.pipeline.image(for: request(fixture, [tint, sepia, blur, flat, tint]))
        #expect(passes.count.now == 3)
    }

    @Test func intermediateRenditionsInMemoryAreUsed() async throws {
        let passes = Passes()
        let fixture = fixture(passes)
        let all: [any ImageTransformer] = [tint, sepia, flat]
        for count in 1...3 {
            _ = try await fixture.pipeline.image(for: request(fixture, Array(all.prefix(count))))
            // The load starts from the intermediate rendition in memory.
            #expect(passes.count.now == count && fixture.decoder.decodeCount == 1)
        }
    }

    @Test func aCommonBeginningIsTransformedOnce() async throws {
        let fixture = PipelineFixture(decoderIsOpen: false)
        fixture.answer()
        let shared = CountingTransformer(identifier: "shared")
        let tasks = [[shared, tint, sepia], [shared, tint, flat]].map { (transforms: [any ImageTransformer]) in
            fixture.pipeline.start(request(fixture, transforms))
        }
        // Two subscribers of the ends, two of the common beginning, one of the original.
        while fixture.pipeline.activity.renditions.subscribers < 5 { await Task.yield() }
        fixture.decoder.open()
        for task in tasks { _ = try await task.response }
        #expect(shared.count.now == 1)
    }

    @Test func aChainHasTheKeyOfItsParts() async throws {
        let passes = Passes()
        let fixture = fixture(passes)
        _ = try await fixture.pipeline.image(for: request(fixture, [tint, sepia]))
        let chained = request(fixture, [TransformerChain([TransformerChain([tint]), sepia])])
        #expect(try await fixture.pipeline.response(for: chained).origin == .memory)
    }

    @Test func aChainUsesTheRenditionOfItsBeginning() async throws {
        let fixture = fixture(Passes())
        let shared = CountingTransformer(identifier: "shared")
        let first = request(fixture, [shared])
        _ = try await fixture.pipeline.image(for: first)
        _ = try await fixture.pipeline.image(for: request(fixture, [TransformerChain([shared, flat])]))
        #expect(shared.count.now == 1)
    }
}
