import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Animated images in the pipeline.
@Suite(.timeLimited) struct AnimatedLoadTests {
    private let drawn: DrawnAnimation
    private let fixture: PipelineFixture
    private let transformer = CountingTransformer(identifier: "t")

    init() throws {
        let drawn = try AnimatedImageTests.sprites(5)
        self.drawn = drawn
        fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [drawn], encoders: [FakeEncoder()])
        }
        fixture.answer()
    }

    private func request(_ scope: Set<TransformScope>) -> ImageRequest {
        fixture.request().transformed(by: transformer).with {
            $0.rendition.transformScope = scope
            $0.policy.delivery.completion = .whenStored
        }
    }

    @Test func framesAreTransformedOnDemand() async throws {
        let image = try await fixture.pipeline.image(for: request([.animated]))
        #expect(transformer.count.now == 1 && drawn.decoded.now == [0])
        let animation = try #require(image.animation)
        _ = try animation.frame(at: 1)
        #expect(transformer.count.now == 2 && drawn.decoded.now == [0, 1])
        #expect(fixture.memory.image(for: request([.animated]).key)?.animation === animation)
    }

    @Test(arguments: [LoadPolicy.Preparation.automatic, .always, .allFrames])
    func aRequestPreloadsAllFramesIfItAsksForThem(_ preparation: LoadPolicy.Preparation) async throws {
        let request = request([.animated]).with { $0.policy.preparation = preparation }
        let image = try await fixture.pipeline.image(for: request)
        let isPreloaded = preparation == .allFrames
        #expect(drawn.decoded.now == (isPreloaded ? [0, 1, 2, 3, 4] : [0]))
        let animation = try #require(image.animation)
        #expect((1..<5).allSatisfy { (animation.pool.heldFrame(at: $0) != nil) == isPreloaded })
        // Memory knows what the frames cost.
        let cost = MemoryEntry.cost(of: image, for: request.key)
        #expect(fixture.memory.image(for: request.key) === image && fixture.memory.totalCost == cost)
        #expect(request.key == self.request([.animated]).key)
    }

    @Test func framesThatExceedTheLimitAreNotPreloadedAndTheLoadSucceeds() async throws {
        let size = PixelSize(width: 512, height: 512)
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: size)
        let animation = try AnimatedImage(Array(repeating: TimedImage(pixels, duration: 0.1), count: 2000))
        fixture.answer(
            "large", .image(Image(pixels: pixels, info: ImageInfo(format: .gif, size: size), animation: animation)))
        let request = fixture.request("large").with { $0.policy.preparation = .allFrames }
        #expect(try await fixture.pipeline.image(for: request).animation === animation)
        #expect(animation.pool.heldFrame(at: 1) == nil)
    }

    @Test func outsideTheScopeAnAnimationIsNotTransformed() async throws {
        let image = try await fixture.pipeline.image(for: request([]))
        #expect(transformer.count.now == 0 && image.animation?.frameCount == 5)
    }

    /// A still frame stored under the key would be mistaken for the whole animation.
    @Test(arguments: [[TransformScope.animated], []] as [Set<TransformScope>])
    func onlyTheOriginalOfAnAnimationIsStoredOnDisk(_ scope: Set<TransformScope>) async throws {
        _ = try await fixture.pipeline.image(for: request(scope))
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [fixture.request().key.original])
        fixture.memory.clear()
        let again = try await fixture.pipeline.image(for: request(scope))
        #expect(again.animation?.frameCount == 5 && fixture.loader.count(fixture.identity()) == 1)
    }

    @Test(arguments: [ImageFormat.png, .jpeg])
    func aChangedAnimationIsStoredOnDiskWhereTheRequestAsksForIt(_ format: ImageFormat) async throws {
        let encoder = CountingAnimationEncoder()
        let fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [drawn], encoders: [FakeEncoder(), encoder])
        }
        fixture.answer()
        let request = request([.animated]).with { $0.policy.caching.form = .encoded(format) }
        _ = try await fixture.pipeline.image(for: request)
        let isStored = format == .png
        #expect(encoder.frameCounts.now == (isStored ? [5] : []))
        #expect((fixture.disk.stored(request.key)?.format == .png) == isStored)
        fixture.memory.clear()
        let count = transformer.count.now
        let again = try await fixture.pipeline.image(for: request)
        #expect(again.animation?.frameCount == 5 && again.info.frameCount == 5)
        #expect((transformer.count.now == count) == isStored)
    }

    @Test func aFirstFrameRenditionIsTransformedAndStoredOnDisk() async throws {
        let request = request([]).frames(.first)
        let image = try await fixture.pipeline.image(for: request)
        #expect(image.animation == nil && transformer.count.now == 1)
        #expect(fixture.disk.keys.contains(request.key))
    }

    @Test func aSmallerVariantOfAnAnimationIsAnAnimation() async throws {
        _ = try await fixture.pipeline.image(for: fixture.request())
        let small = fixture.request().fitting(width: 4).with { $0.policy.caching.match = .larger }
        let image = try await fixture.pipeline.image(for: small)
        #expect(image.size.width == 4 && image.animation?.size.width == 4)
        #expect(try image.animation?.frame(at: 3).size == image.size)
    }
}

/// Encodes animations, and images of one frame, as the same few bytes. Records the number of frames.
final class CountingAnimationEncoder: AnimatedImageEncoder {
    let formats: Set<ImageFormat> = [.png, .gif]
    let frameCounts = Shared<[Int]>([])

    func encode(_ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions) throws(TintypeError) -> Data {
        PipelineFixture.png
    }

    func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        frameCounts.withLock { $0.append(animation.frameCount) }
        return PipelineFixture.png
    }
}
