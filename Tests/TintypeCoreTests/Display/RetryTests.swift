import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// Loads that are repeated: after a failure, and for a display that has grown.
@Suite(.timeLimited) @MainActor struct RetryTests {
    private let view = ViewFixture()
    private var fixture: PipelineFixture { view.fixture }
    private var binding: ImageBinding { view.binding }
    private var display: FakeDisplay { view.display }

    private func fail(_ presentation: Presentation = Presentation()) async {
        fixture.answer("a", .failure(TintypeError(.notAnImage, stage: .decode, "test")))
        await view.load("a", presentation).end()
    }

    @Test func theDisplayLearnsOfTheFailureAndItsError() async throws {
        let placeholder = try Image.pixel()
        await fail(Presentation(whileLoading: .placeholder(placeholder)))
        #expect(display.shown == [.placeholder(placeholder), .failure(.notAnImage, placeholder)])
        #expect(binding.failure?.code == .notAnImage && binding.content.error?.code == .notAnImage)
    }

    @Test func aRetryIgnoresThatTheSourceIsRememberedAsFailed() async throws {
        await fail()
        let again = view.load()
        await again.end()
        #expect(again.ends.now == [.failedBefore])
        fixture.answer()
        let receiver = FakeReceiver()
        #expect(binding.retry { receiver.receive($0) })
        #expect(binding.failure == nil && binding.activity == .loading)
        await receiver.end()
        let image = try #require(view.image())
        #expect(receiver.ends.now == [nil] && display.shown.last == .image(image))
        #expect(fixture.pipeline.failureMemory.all.isEmpty)
    }

    @Test func aRetryPresentsTheImageAsBefore() async throws {
        let (placeholder, failure) = (try Image.pixel(), try Image.pixel())
        await fail(
            Presentation(whileLoading: .placeholder(placeholder), failureImage: failure, transition: .fade))
        fixture.answer()
        let receiver = FakeReceiver()
        binding.retry { receiver.receive($0) }
        await receiver.end()
        let image = try #require(view.image())
        #expect(
            display.shown == [
                .placeholder(placeholder), .failure(.notAnImage, failure), .placeholder(placeholder),
                .fading(image),
            ])
    }

    @Test func nothingIsRetriedUnlessTheLoadHasFailed() async throws {
        #expect(!binding.retry())
        fixture.answer()
        await view.load().end()
        #expect(!binding.retry())
        let gate = view.gate("b")
        _ = view.load("b")
        #expect(!binding.retry())
        binding.cancel()
        gate.open()
        #expect(!binding.retry())
        await fail()
        binding.clear()
        #expect(!binding.retry())
    }

    @Test func aDeferredRequestIsRetriedAtOnce() async throws {
        fixture.answer("a", .failure(TintypeError(.unreachable, stage: .load, "test")))
        let first = view.load("a", Presentation(start: .deferred))
        binding.begin()
        await first.end()
        fixture.answer()
        let receiver = FakeReceiver()
        binding.retry { receiver.receive($0) }
        await receiver.end()
        #expect(receiver.ends.now == [nil])
    }

    // MARK: A display that has grown

    /// Returns a view whose enlargements wait for the loader: bytes in a cache might be decoded before a test looks.
    private func fixtureOfSize(_ size: PixelSize) -> ViewFixture {
        let info = ImageInfo(format: .png, size: size)
        return ViewFixture(
            PipelineFixture(info: info, loader: .ofViews()) {
                $0.cache = ImageCache(memory: MemoryCache(limits: CacheLimits(cost: 1 << 20)), disk: nil)
            })
    }

    @Test func aDisplayThatHasGrownGetsMorePixels() async throws {
        let view = fixtureOfSize(PixelSize(width: 400, height: 300))
        let (binding, display) = (view.binding, view.display)
        view.fixture.answer()
        display.wantedSize = PixelSize(width: 40, height: 30)
        await view.load("a", Presentation(sizing: .fitsDisplay, transition: .fade)).end()
        binding.refit()
        #expect(binding.activity == .idle)
        display.wantedSize = PixelSize(width: 80, height: 60)
        let gate = view.gate()
        binding.refit()
        #expect(binding.activity == .loading)
        gate.open()
        while binding.activity != .idle { try await Task.pause() }
        #expect(binding.content.image?.size == PixelSize(width: 80, height: 60))
        // Without a placeholder or a transition in between.
        #expect(display.shown.count == 2 && display.shown.last == binding.content.image.map { .image($0) })
        display.wantedSize = PixelSize(width: 40, height: 30)
        binding.refit()
        #expect(binding.activity == .idle)
    }

    /// Interceptors may be slow, and for a file its date is read.
    @Test func theEndOfALoadComputesTheRequestAgainOnlyIfTheDisplayHasAnotherSize() async {
        struct Counting: RequestInterceptor {
            let count = Shared(0)
            func intercept(_ request: ImageRequest) -> ImageRequest {
                count.withLock { $0 += 1 }
                return request
            }
        }
        let interceptor = Counting()
        let info = ImageInfo(format: .png, size: PixelSize(width: 400, height: 300))
        let view = ViewFixture(
            PipelineFixture(info: info, loader: .ofViews()) { $0.interceptors = [interceptor] })
        view.fixture.answer()
        view.display.wantedSize = PixelSize(width: 40, height: 30)
        await view.load("a", Presentation(sizing: .fitsDisplay)).end()
        view.binding.refit()
        #expect(interceptor.count.now == 1)
        view.display.wantedSize = PixelSize(width: 80, height: 60)
        view.binding.refit()
        #expect(interceptor.count.now > 1)
    }

    @Test func aDisplayThatGrowsDuringTheLoadGetsMorePixelsAfterIt() async throws {
        let view = fixtureOfSize(PixelSize(width: 400, height: 300))
        let gate = view.gate()
        view.display.wantedSize = PixelSize(width: 40, height: 30)
        let receiver = view.load("a", Presentation(sizing: .fitsDisplay))
        await gate.waitForArrivals(1)
        view.display.wantedSize = PixelSize(width: 80, height: 60)
        view.binding.refit()
        gate.open()
        await receiver.end()
        while view.binding.activity != .idle { try await Task.pause() }
        #expect(view.binding.content.image?.size == PixelSize(width: 80, height: 60))
    }

    /// Toolkits that describe their views load at each update.
    @Test(arguments: [80, 30])
    func theSameRequestAgainKeepsTheImageWhateverTheSizeOfTheDisplayIs(_ width: Int) async throws {
        let view = fixtureOfSize(PixelSize(width: 400, height: 300))
        let (binding, display) = (view.binding, view.display)
        let presentation = Presentation(start: .deferred, sizing: .fitsDisplay)
        view.fixture.answer()
        display.wantedSize = PixelSize(width: 40, height: 30)
        let first = view.load("a", presentation)
        binding.begin()
        await first.end()
        display.wantedSize = PixelSize(width: width, height: width * 3 / 4)
        let gate = view.gate()
        let again = view.load("a", presentation)
        #expect(again.ends.now == [nil] && display.shown.count == 1)
        // A larger image replaces it; requesting it once more does not interrupt that.
        let task = binding.task
        #expect((task != nil) == (width > 40))
        let onceMore = view.load("a", presentation)
        #expect(onceMore.ends.now == [nil] && display.shown.count == 1 && binding.task === task)
        gate.open()
        while binding.activity != .idle { try await Task.pause() }
        #expect(binding.content.image?.size.width == max(width, 40))
        // The policy of the request is not forgotten.
        _ = view.load("a", presentation) { $0.policy.freshness = .reload }
        #expect(binding.activity == .deferred)
    }

    @Test func anEnlargementThatFailsIsNoFailureAndIsTriedAgain() async throws {
        let view = fixtureOfSize(PixelSize(width: 400, height: 300))
        let (binding, display) = (view.binding, view.display)
        view.fixture.answer()
        display.wantedSize = PixelSize(width: 40, height: 30)
        await view.load("a", Presentation(sizing: .fitsDisplay)) { $0.policy.failureMemory = .ignored }.end()
        let gate = Gate()
        view.fixture.answer("a", .gated(gate, .failure(TintypeError(.unreachable, stage: .load, "test"))))
        display.wantedSize = PixelSize(width: 80, height: 60)
        binding.refit()
        #expect(binding.activity == .loading)
        gate.open()
        while binding.activity != .idle { try await Task.pause() }
        #expect(binding.failure == nil && !binding.retry() && display.shown.count == 1)
        #expect(binding.request?.rendition.decode.size == .fit(PixelSize(width: 40, height: 30)))
        view.fixture.answer()
        binding.refit()
        while binding.activity != .idle { try await Task.pause() }
        #expect(binding.content.image?.size == PixelSize(width: 80, height: 60))
    }

    @Test func aDisplayLargerThanTheSourceGetsNoMorePixels() async throws {
        let view = fixtureOfSize(PixelSize(width: 40, height: 30))
        view.fixture.answer()
        view.display.wantedSize = PixelSize(width: 100, height: 100)
        await view.load("a", Presentation(sizing: .fitsDisplay)).end()
        view.display.wantedSize = PixelSize(width: 200, height: 200)
        view.binding.refit()
        #expect(view.binding.activity == .idle)
    }

    @Test func aDisplayThatIsCoveredGetsACoveringImage() async throws {
        let view = fixtureOfSize(PixelSize(width: 400, height: 200))
        view.fixture.answer()
        (view.display.wantedSize, view.display.fit) = (PixelSize(width: 100, height: 100), .cover)
        await view.load("a", Presentation(sizing: .fitsDisplay)).end()
        #expect(view.binding.content.image?.size == PixelSize(width: 200, height: 100))
        view.display.wantedSize = PixelSize(width: 150, height: 150)
        view.binding.refit()
        while view.binding.activity != .idle { try await Task.pause() }
        #expect(view.binding.content.image?.size == PixelSize(width: 300, height: 150))
    }

    @Test func aDisplayThatIsToBeCoveredGetsMorePixels() async throws {
        let view = fixtureOfSize(PixelSize(width: 400, height: 200))
        let (binding, display) = (view.binding, view.display)
        view.fixture.answer()
        display.wantedSize = PixelSize(width: 100, height: 100)
        await view.load("a", Presentation(sizing: .fitsDisplay)).end()
        #expect(binding.content.image?.size == PixelSize(width: 100, height: 50))
        let gate = view.gate()
        display.fit = .cover
        binding.refit()
        #expect(binding.activity == .loading)
        gate.open()
        while binding.activity != .idle { try await Task.pause() }
        #expect(binding.content.image?.size == PixelSize(width: 200, height: 100))
        display.fit = .contain
        binding.refit()
        #expect(binding.activity == .idle)
    }

    /// An image of 400×200 pixels in a display of 100×100 pixels, which then changes.
    @Test(
        arguments: [
            // The width of the display limits the image, so that a greater height changes nothing.
            (.contain, 100, 300, .contain, nil), (.contain, 300, 100, .contain, PixelSize(width: 200, height: 100)),
            // The larger display contains an image with fewer pixels than the one that covered it.
            (.cover, 110, 110, .contain, nil), (.cover, 300, 300, .contain, PixelSize(width: 300, height: 150)),
            // The smaller display needs more pixels to be covered, unless it is much smaller.
            (.contain, 90, 90, .cover, PixelSize(width: 180, height: 90)), (.contain, 40, 40, .cover, nil),
        ] as [(ImageFit, Int, Int, ImageFit, PixelSize?)])
    func theImageIsLoadedAgainOnlyForMorePixels(
        _ former: ImageFit, _ width: Int, _ height: Int, _ fit: ImageFit, _ expected: PixelSize?
    ) async throws {
        let view = fixtureOfSize(PixelSize(width: 400, height: 200))
        let (binding, display) = (view.binding, view.display)
        view.fixture.answer()
        (display.wantedSize, display.fit) = (PixelSize(width: 100, height: 100), former)
        await view.load("a", Presentation(sizing: .fitsDisplay)).end()
        let gate = view.gate()
        (display.wantedSize, display.fit) = (PixelSize(width: width, height: height), fit)
        binding.refit()
        #expect((binding.activity == .loading) == (expected != nil))
        gate.open()
        while binding.activity != .idle { try await Task.pause() }
        if let expected { #expect(binding.content.image?.size == expected) }
    }
}
