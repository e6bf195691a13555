import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// SDWebImage's rules for views, on a display that records the shown images.
@Suite("UIView+WebCache", .timeLimited) @MainActor struct ViewRuleTests {
    private let fixture = PipelineFixture()
    private let display = FakeDisplay()
    private let gate = Gate()

    private func binding() -> ImageBinding { ImageBinding(display, pipeline: fixture.pipeline) }

    private func load(
        _ binding: ImageBinding, _ request: ImageRequest, _ presentation: Presentation = Presentation()
    ) -> FakeReceiver {
        let receiver = FakeReceiver()
        binding.load(request, presentation: presentation) { receiver.receive($0) }
        return receiver
    }

    private func gated(_ name: String = "a") { fixture.answer(name, .gated(gate, .data(PipelineFixture.png))) }

    private func image(_ name: String = "a") throws -> Image {
        try #require(fixture.memory.image(for: fixture.request(name).key))
    }

    // MARK: Showing

    @Test func thePlaceholderIsShownThenTheImage() async throws {
        gated()
        let placeholder = try Image.pixel()
        let binding = binding()
        let receiver = load(binding, fixture.request(), Presentation(whileLoading: .placeholder(placeholder)))
        #expect(display.shown == [.placeholder(placeholder)])
        gate.open()
        await receiver.end()
        #expect(display.shown == [.placeholder(placeholder), .image(try image())])
    }

    @Test func aMemoryHitIsSetInTheSameCallWithoutAFlash() async throws {
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let presentation = Presentation(whileLoading: .placeholder(try .pixel()), transition: .fade)
        let receiver = load(binding(), fixture.request(), presentation)
        #expect(display.shown == [.image(try image())] && receiver.ends.now == [nil])
    }

    @Test func delayPlaceholderShowsItAfterTheFailureOnly() async throws {
        fixture.answer("a", .failure(TintypeError(.unreachable, stage: .load, "test")))
        let failure = try Image.pixel()
        let binding = binding()
        let receiver = load(binding, fixture.request(), Presentation(failureImage: failure))
        #expect(display.shown.isEmpty)
        await receiver.end()
        #expect(display.shown == [.failure(.unreachable, failure)] && receiver.ends.now == [.unreachable])
    }

    @Test func avoidAutoSetImageLeavesShowingToTheCaller() async throws {
        fixture.answer()
        let binding = binding()
        let receiver = load(binding, fixture.request(), Presentation(delivery: .manual))
        await receiver.end()
        #expect(display.shown.isEmpty && receiver.ends.now == [nil])
    }

    @Test func forceTransitionAppliesToMemoryHits() async throws {
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let always = Presentation(transition: ImageTransition(.fade, when: .always))
        _ = load(binding(), fixture.request(), always)
        #expect(display.shown == [.fading(try image())])
    }

    @Test func anImageThatWasLoadedHasItsTransition() async throws {
        fixture.answer()
        let binding = binding()
        await load(binding, fixture.request(), Presentation(transition: .fade)).end()
        #expect(display.shown == [.fading(try image())])
    }

    @Test func waitTransitionCompletesAfterTheTransition() async throws {
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let presentation = Presentation(
            transition: ImageTransition(.fade, when: .always), completion: .afterTransition)
        let binding = binding()
        let receiver = load(binding, fixture.request(), presentation)
        #expect(receiver.ends.now.isEmpty)
        display.endTransition()
        #expect(receiver.ends.now == [nil] && binding.activity == .idle)
    }

    @Test func theCurrentImageCanStayWhileLoading() async throws {
        fixture.answer()
        gated("b")
        let binding = binding()
        await load(binding, fixture.request()).end()
        _ = load(binding, fixture.request("b"), Presentation(whileLoading: .current))
        #expect(display.shown == [.image(try image())])
    }

    @Test func aMissingURLShowsThePlaceholderAndIsInvalid() async throws {
        let placeholder = try Image.pixel()
        let receiver = FakeReceiver()
        binding().clear(presentation: Presentation(whileLoading: .placeholder(placeholder))) { receiver.receive($0) }
        #expect(display.shown == [.placeholder(placeholder)] && receiver.ends.now == [.invalidSource])
    }

    // MARK: Replacing

    @Test func aNewURLCancelsTheOldLoad() async throws {
        gated("a")
        fixture.answer("b")
        let binding = binding()
        let first = load(binding, fixture.request("a"))
        await gate.waitForArrivals(1)
        let second = load(binding, fixture.request("b"))
        #expect(first.ends.now == [.cancelled])
        await second.end()
        await fixture.loader.waitForCancelled(1, of: fixture.identity("a"))
        #expect(display.shown == [.image(try image("b"))])
    }

    @Test func avoidAutoCancelImageLetsTheOldLoadContinue() async throws {
        gated("a")
        fixture.answer("b")
        let binding = binding()
        let first = load(binding, fixture.request("a"))
        await gate.waitForArrivals(1)
        await load(binding, fixture.request("b"), Presentation(replacement: .besideFormer)).end()
        gate.open()
        await first.end()
        #expect(first.ends.now == [nil])
        // The last requested image stays.
        #expect(display.shown == [.image(try image("b"))])
    }

    @Test func aRecycledViewNeverShowsTheImageOfItsFormerURL() async throws {
        gated("a")
        fixture.answer("b")
        let binding = binding()
        _ = load(binding, fixture.request("a"))
        await gate.waitForArrivals(1)
        let other = fixture.pipeline.start(fixture.request("a"))
        let second = load(binding, fixture.request("b"))
        gate.open()
        _ = try await other.response
        await second.end()
        #expect(!display.shown.contains(.image(try image("a"))))
    }

    @Test func loadingTheShownRequestAgainDoesNothing() async throws {
        fixture.answer()
        let binding = binding()
        await load(binding, fixture.request()).end()
        let shown = display.shown
        let receiver = load(binding, fixture.request(), Presentation(whileLoading: .placeholder(try .pixel())))
        #expect(display.shown == shown && receiver.ends.now == [nil] && binding.task == nil)
    }

    @Test func repeatingARequestWhileItLoadsSharesTheWork() async throws {
        gated()
        let binding = binding()
        let first = load(binding, fixture.request())
        await gate.waitForArrivals(1)
        let second = load(binding, fixture.request())
        gate.open()
        await second.end()
        #expect(first.ends.now == [.cancelled] && second.ends.now == [nil])
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func aReceiverMayStartTheNextLoad() async throws {
        gated("a")
        fixture.answer("b")
        _ = try await fixture.pipeline.image(for: fixture.request("b"))
        let binding = binding()
        binding.load(fixture.request("a")) { [fixture] event in
            if case .finished = event { binding.load(fixture.request("b")) }
        }
        binding.clear()
        #expect(display.shown.last == .image(try image("b")))
    }

    // MARK: Releasing

    @Test func cancelCurrentImageLoadKeepsTheShownImage() async throws {
        gated()
        let binding = binding()
        let placeholder = try Image.pixel()
        let receiver = load(binding, fixture.request(), Presentation(whileLoading: .placeholder(placeholder)))
        await gate.waitForArrivals(1)
        binding.cancel()
        #expect(receiver.ends.now == [.cancelled] && display.shown == [.placeholder(placeholder)])
        #expect(!fixture.pipeline.isRunning)
    }

    @Test func releasingABindingCancels() async throws {
        gated()
        var binding: ImageBinding? = binding()
        let receiver = FakeReceiver()
        binding?.load(fixture.request()) { receiver.receive($0) }
        await gate.waitForArrivals(1)
        binding = nil
        await receiver.end()
        #expect(receiver.ends.now == [.cancelled] && !fixture.pipeline.isRunning)
    }

    @Test func releasingABindingStopsItsIndicator() throws {
        gated()
        let indicator = FakeIndicator()
        var binding: ImageBinding? = binding()
        binding?.indicator = indicator
        binding?.load(fixture.request())
        #expect(indicator.calls == ["start"])
        binding = nil
        #expect(indicator.calls == ["start", "stop"])
        gate.open()
    }

    @Test func releasingAViewCancels() async throws {
        gated()
        var view: FakeDisplay? = FakeDisplay()
        let receiver = FakeReceiver()
        view?.binding = ImageBinding(try #require(view), pipeline: fixture.pipeline)
        view?.binding?.load(fixture.request()) { receiver.receive($0) }
        await gate.waitForArrivals(1)
        view = nil
        await receiver.end()
        #expect(receiver.ends.now == [.cancelled] && !fixture.pipeline.isRunning)
    }

    @Test func aBindingThatOutlivesItsViewCancelsAtTheNextEvent() async throws {
        gated()
        var view: FakeDisplay? = FakeDisplay()
        let binding = ImageBinding(try #require(view), pipeline: fixture.pipeline)
        let receiver = load(binding, fixture.request())
        await gate.waitForArrivals(1)
        view = nil
        gate.open()
        await receiver.end()
        #expect(receiver.ends.now == [.cancelled] && binding.task == nil)
    }

    @Test func completionDoesNotWaitForTheTransitionOfAReleasedView() async throws {
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        var view: FakeDisplay? = FakeDisplay()
        let binding = ImageBinding(try #require(view), pipeline: fixture.pipeline)
        view = nil
        let always = ImageTransition(.fade, when: .always)
        let receiver = load(binding, fixture.request(), Presentation(transition: always, completion: .afterTransition))
        #expect(receiver.ends.now == [nil])
    }

    // MARK: State of the load

    @Test func imageURLProgressAndIndicator() async throws {
        gated()
        let binding = binding()
        let indicator = FakeIndicator()
        binding.indicator = indicator
        let receiver = load(binding, fixture.request())
        #expect(binding.request?.key == fixture.request().key && binding.task != nil)
        #expect(indicator.calls == ["start"])
        gate.open()
        await receiver.end()
        #expect(indicator.calls == ["start", "stop"] && binding.task == nil)
    }

    @Test func progressCountsTheReceivedBytes() async throws {
        gated()
        let binding = binding()
        let indicator = FakeIndicator()
        binding.indicator = indicator
        let receiver = load(binding, fixture.request())
        while fixture.loader.count(fixture.identity()) == 0 { try await Task.pause() }
        let received = try #require(fixture.loader.lastContext(fixture.identity())).received
        try received.expect(100)
        try Data(count: 40).withTypedBytes { bytes throws(TintypeError) in try received.append(bytes) }
        while binding.progress.received < 40 { try await Task.pause() }
        #expect(binding.progress == LoadProgress(received: 40, expected: 100))
        #expect(indicator.progress.last == binding.progress)
        binding.cancel()
        await receiver.end()
        #expect(indicator.calls == ["start", "stop"])
    }

    @Test func anIndicatorSetWhileLoadingIsStarted() async throws {
        gated()
        let binding = binding()
        let receiver = load(binding, fixture.request())
        let indicator = FakeIndicator()
        binding.indicator = indicator
        #expect(indicator.calls == ["start"])
        gate.open()
        await receiver.end()
        #expect(indicator.calls == ["start", "stop"])
    }

    @Test func aRefreshShowsTheImageInMemoryThenTheNewOne() async throws {
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let old = try image()
        fixture.clock.advance(by: .seconds(10))
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png + Data([1]))))
        let binding = binding()
        let receiver = load(
            binding, fixture.request().freshness(.revalidate), Presentation(whileLoading: .placeholder(try .pixel())))
        #expect(display.shown == [.preview(old)] && receiver.previews.now == 1)
        gate.open()
        await receiver.end()
        #expect(display.shown.last == .image(try image()) && display.shown.last != .image(old))
    }

    @Test func fullSizeRequestsCanFitTheDisplay() async throws {
        display.wantedSize = PixelSize(width: 20, height: 10)
        display.scale = 2
        fixture.answer()
        let binding = binding()
        await load(binding, fixture.request(), Presentation(sizing: .fitsDisplay)).end()
        let request = try #require(binding.request)
        #expect(request.rendition.decode.size == .fit(PixelSize(width: 20, height: 10)))
        #expect(request.rendition.decode.scale == 2)
        _ = load(binding, fixture.request().fitting(width: 5), Presentation(sizing: .fitsDisplay))
        #expect(binding.request?.rendition.decode.size == .fit(PixelSize(width: 5, height: 0)))
    }
}
