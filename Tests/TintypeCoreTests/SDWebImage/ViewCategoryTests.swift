import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// A counterpart of each of SDWebImage's tests of its view categories, on displays that record what they show. The name
/// of the original is above each test.
@Suite("View categories", .timeLimited) @MainActor struct ViewCategoryTests {
    private let view = ViewFixture()
    private var fixture: PipelineFixture { view.fixture }
    private var binding: ImageBinding { view.binding }
    private var display: FakeDisplay { view.display }

    private func image(_ name: String = "a") throws -> Image { try #require(view.image(name)) }

    // MARK: Image views

    // testUIImageViewSetImageWithURL
    @Test func anImageViewShowsTheImageOfItsRequest() async throws {
        fixture.answer()
        let receiver = view.load()
        #expect(binding.request?.source.identity == fixture.identity())
        await receiver.end()
        let image = try self.image()
        #expect(receiver.ends.now == [nil] && display.shown == [.image(image)])
    }

    // testUIImageViewSetImageWithURLDiskSync
    @Test func aProgramCanReadTheDiskBeforeTheViewIsShown() throws {
        fixture.storeOnDisk()
        #expect(fixture.pipeline.blockingCachedImage(for: fixture.request()) != nil)
        let receiver = view.load()
        let image = try self.image()
        #expect(display.shown == [.image(image)] && receiver.ends.now == [nil])
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    // testUIImageViewSetHighlightedImageWithURL, testMKAnnotationViewSetImageWithURL,
    // testUIButtonSetImageWithURLNormalState, testUIButtonSetImageWithURLHighlightedState,
    // testUIButtonSetBackgroundImageWithURLNormalState, testNSButtonSetImageWithURL,
    // testNSButtonSetAlternateImageWithURL
    @Test(arguments: AnySlot.allCases) func everySlotOfAViewShowsItsImage(_ slot: AnySlot) async throws {
        fixture.answer()
        let control = FakeControl()
        let (slots, receiver) = (control.slots(fixture.pipeline), FakeReceiver())
        slots[slot].load(fixture.request()) { receiver.receive($0) }
        #expect(slots[slot].request?.source.identity == fixture.identity())
        await receiver.end()
        let image = try self.image()
        #expect(receiver.ends.now == [nil] && control.shown == [slot: ObjectIdentifier(image)])
    }

    // testUIButtonBackgroundImageCancelCurrentImageLoad
    @Test func cancellingASlotLeavesItWithoutALoad() {
        let gate = view.gate()
        let control = FakeControl()
        let slots = control.slots(fixture.pipeline)
        slots[.background].load(fixture.request())
        slots[.background].cancel()
        #expect(slots[.background].task == nil && slots[.background].activity == .idle)
        gate.open()
    }

    // testUIViewInternalSetImageWithURL
    @Test func anyViewIsToldWhatIsThePlaceholderAndWhatTheImage() async throws {
        fixture.answer()
        let placeholder = try Image.pixel()
        await view.load("a", Presentation(whileLoading: .placeholder(placeholder))).end()
        let image = try self.image()
        #expect(display.shown == [.placeholder(placeholder), .image(image)])
    }

    // MARK: Cancelling

    // testUIViewCancelWithDelayPlaceholderShouldCallbackOnceBeforeSecond
    @Test func aCancelledLoadWithADelayedPlaceholderEndsOnceBeforeTheNext() async throws {
        let gate = view.gate()
        let (delayed, placeholder) = (try Image.pixel(), try Image.pixel())
        let first = view.load("a", Presentation(failureImage: delayed))
        binding.task?.cancel()
        let second = view.load("a", Presentation(whileLoading: .placeholder(placeholder)))
        #expect(first.ends.now == [.cancelled] && second.ends.now == [])
        gate.open()
        await second.end()
        // The cancelled load shows no failure.
        let image = try self.image()
        #expect(display.shown == [.placeholder(placeholder), .image(image)])
        #expect(first.ends.now == [.cancelled] && second.ends.now == [nil])
    }

    // testUIViewCancelWithoutDelayPlaceholderShouldCallbackOnceBeforeSecond
    @Test func aCancelledLoadWithAPlaceholderEndsOnceBeforeTheNext() async throws {
        let gate = view.gate()
        let placeholders = [try Image.pixel(), try Image.pixel()]
        let first = view.load("a", Presentation(whileLoading: .placeholder(placeholders[0])))
        binding.cancel()
        let second = view.load("a", Presentation(whileLoading: .placeholder(placeholders[1])))
        gate.open()
        await second.end()
        let image = try self.image()
        #expect(display.shown == [.placeholder(placeholders[0]), .placeholder(placeholders[1]), .image(image)])
        #expect(first.ends.now == [.cancelled] && second.ends.now == [nil])
    }

    // testUIViewCancelCurrentImageLoad
    @Test func aCancelledViewHasNoLoad() {
        let gate = view.gate()
        _ = view.load()
        #expect(binding.task != nil)
        binding.cancel()
        #expect(binding.task == nil && binding.activity == .idle)
        gate.open()
    }

    // testUIViewCancelCurrentImageLoadWithTransition
    @Test func aTransitionThatIsInterruptedIsNeverCompleted() async throws {
        let second = try await view.storeInMemory("b")
        fixture.answer("a")
        let log = Shared<[String]>([])
        let custom = CustomTransition(
            name: "custom", prepare: { _ in log.withLock { $0.append("prepare") } }, animate: { _, _ in .end },
            complete: { _, isFinished in log.withLock { $0.append(isFinished ? "finished" : "interrupted") } })
        let presentation = Presentation(transition: ImageTransition(.custom(custom), duration: .seconds(1)))
        await view.load("a", presentation).end()
        _ = display.transition?.frame(at: .zero)
        binding.cancel()
        let receiver = view.load("b", presentation)
        #expect(receiver.ends.now == [nil] && display.shown.last == .image(second))
        _ = display.transition?.frame(at: .seconds(5))
        #expect(log.now == ["prepare", "interrupted"])
    }

    // testUIViewCancelCallbackWithError
    @Test func theReceiverOfACancelledLoadGetsTheError() {
        let gate = view.gate()
        let receiver = view.load()
        binding.cancel()
        #expect(receiver.ends.now == [.cancelled])
        gate.open()
    }

    // MARK: Progress

    // testUIViewImageProgressKVOWork
    @Test func progressEndsAtOneForALoadedImage() async throws {
        let gate = view.gate()
        let receiver = view.load()
        await gate.waitForArrivals(1)
        #expect(binding.progress.fraction == nil)
        try view.receive(54, of: 108)
        while binding.progress.received < 54 { try await Task.pause() }
        #expect(binding.progress.fraction == 0.5)
        gate.open()
        await receiver.end()
        #expect(binding.progress.fraction == 1)
    }

    @Test func progressEndsAtOneForACachedImage() async throws {
        fixture.storeOnDisk()
        await view.load().end()
        #expect(binding.progress.fraction == 1 && fixture.loader.count(fixture.identity()) == 0)
        // From memory, and for the image that is shown already.
        binding.clear()
        #expect(binding.progress.fraction == nil)
        _ = view.load()
        #expect(binding.progress.fraction == 1)
        _ = view.load()
        #expect(binding.progress.fraction == 1)
    }

    // testUIViewIndicatorWork
    @Test func theIndicatorShowsTheProgressAndEndsAtOne() async throws {
        let gate = view.gate()
        let indicators = [FakeIndicator(), FakeIndicator()]
        // The last one counts.
        for indicator in indicators { binding.indicator = indicator }
        let receiver = view.load()
        await gate.waitForArrivals(1)
        try view.receive(27, of: 108)
        while binding.progress.received < 27 { try await Task.pause() }
        #expect(indicators[1].progress.last?.fraction == 0.25)
        gate.open()
        await receiver.end()
        #expect(indicators[1].progress.last?.fraction == 1 && indicators[1].calls == ["start", "stop"])
        #expect(indicators[0].calls == [] && indicators[0].progress == [])
    }

    // MARK: Transitions

    // testUIViewTransitionFromNetworkWork
    @Test(arguments: ImageTransition.Kind.standard)
    func everyTransitionIsShownForALoadedImage(_ kind: ImageTransition.Kind) async throws {
        fixture.answer()
        let placeholder = try Image.pixel()
        let transition = ImageTransition(kind, duration: .seconds(1), when: .always)
        await view.load("a", Presentation(whileLoading: .placeholder(placeholder), transition: transition)).end()
        let running = try #require(display.transition)
        #expect(running.transition == transition && running.old.image === placeholder)
        let image = try self.image()
        #expect(running.new.image === image && running.new.kind == .image)
        #expect(running.frame(at: .zero) != .end && !running.isOver)
    }

    // testUIViewTransitionFromDiskWork
    @Test func aTransitionIsShownForAnImageFromDisk() async throws {
        fixture.storeOnDisk()
        let receiver = view.load("a", Presentation(transition: .fade)) { $0.policy.freshness = .cacheOnly }
        await receiver.end()
        let image = try self.image()
        #expect(display.shown == [.fading(image)])
    }

    // MARK: Requests

    // testUIViewOperationKeyContextWorks
    @Test func interceptorsSeeTheRequestOfAView() async throws {
        let seen = Shared<[String]>([])
        let fixture = PipelineFixture(loader: .ofViews()) {
            $0.interceptors = [RecordingInterceptor(seen: seen)]
        }
        fixture.answer()
        let view = ViewFixture(fixture)
        await view.load().end()
        #expect(seen.now.first == fixture.identity())
    }

    // MARK: Animated image views

    private func animatedFixture() throws -> ViewFixture {
        let drawn = try AnimatedImageTests.sprites(3)
        return ViewFixture(
            PipelineFixture(loader: .ofViews()) {
                $0.coders = ImageCoderRegistry(decoders: [drawn], encoders: [FakeEncoder()])
            })
    }

    // test22AnimatedImageViewCategory
    @Test func anAnimationPlaysInItsView() async throws {
        let view = try animatedFixture()
        view.fixture.answer()
        await view.load().end()
        #expect(view.binding.content.image?.isAnimated == true)
        let player = ContentPlayer(timer: view.timer)
        player.show(view.binding.content)
        #expect(player.player?.status == .playing && player.pixels != nil)
    }

    // test24AnimatedImageViewCategoryDiskCache
    @Test func anAnimationFromDiskIsOneToo() async throws {
        let view = try animatedFixture()
        view.fixture.storeOnDisk()
        await view.load().end()
        #expect(view.binding.content.image?.isAnimated == true)
        #expect(view.fixture.loader.count(view.fixture.identity()) == 0)
    }

    // test23AnimatedImageViewCategoryProgressive: ContentPlayerTests.aGrowingPreviewContinues
    // test25AnimatedImageStopAnimatingNormal: ContentPlayerTests.aHiddenViewSetsNoTimer
    // test21AnimatedImageViewIsProgressive: ContentPlayerTests.anAnimationWhoseLoadFailsLoopsOverWhatHasArrived
}

/// The image slots of Apple's views.
enum AnySlot: CaseIterable, Sendable { case image, highlighted, annotation, background, alternate }

@MainActor private final class FakeControl {
    fileprivate(set) var shown: [AnySlot: ObjectIdentifier] = [:]

    func slots(_ pipeline: ImagePipeline) -> ImageSlots<AnySlot> {
        ImageSlots(pipeline: pipeline) { [weak self] in ControlImage($0, of: self) }
    }
}

private final class ControlImage: ImageDisplay {
    private weak var control: FakeControl?
    private let slot: AnySlot

    init(_ slot: AnySlot, of control: FakeControl?) { (self.slot, self.control) = (slot, control) }

    func show(_ content: ImageContent) { control?.shown[slot] = content.image.map { ObjectIdentifier($0) } }
}

/// Records the identity of every source.
private struct RecordingInterceptor: RequestInterceptor {
    let seen: Shared<[String]>

    func intercept(_ request: ImageRequest) -> ImageRequest {
        seen.withLock { $0.append(request.source.identity) }
        return request
    }
}
