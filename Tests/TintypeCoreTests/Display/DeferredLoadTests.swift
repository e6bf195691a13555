import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// Loads that begin when a view is drawn, and pause while it is hidden.
@Suite(.timeLimited) @MainActor struct DeferredLoadTests {
    private let view = ViewFixture()
    private var fixture: PipelineFixture { view.fixture }
    private var binding: ImageBinding { view.binding }
    private var display: FakeDisplay { view.display }
    private var loads: Int { fixture.loader.count(fixture.identity()) }

    // MARK: Deferred

    @Test func aDeferredLoadShowsAMemoryHitInTheSameCall() async throws {
        let image = try await view.storeInMemory()
        let receiver = view.load("a", Presentation(start: .deferred))
        #expect(display.shown == [.image(image)] && receiver.ends.now == [nil])
        #expect(binding.activity == .idle)
    }

    @Test func aDeferredLoadShowsItsPlaceholderAndLoadsLater() async throws {
        fixture.answer()
        let (placeholder, indicator) = (try Image.pixel(), FakeIndicator())
        binding.indicator = indicator
        let receiver = view.load("a", Presentation(whileLoading: .placeholder(placeholder), start: .deferred))
        #expect(display.shown == [.placeholder(placeholder)] && binding.activity == .deferred)
        #expect(binding.task == nil && loads == 0 && indicator.calls == [])
        binding.begin()
        #expect(binding.activity == .loading && indicator.calls == ["start"])
        await receiver.end()
        let image = try #require(view.image())
        #expect(display.shown.last == .image(image) && loads == 1)
        #expect(indicator.calls == ["start", "stop"])
        binding.begin()
        #expect(loads == 1)
    }

    @Test func anImageThatArrivedInMemoryMeanwhileIsShownWhenTheLoadBegins() async throws {
        let receiver = view.load("a", Presentation(start: .deferred, transition: .fade))
        let image = try await view.storeInMemory()
        binding.begin()
        #expect(display.shown == [.image(image)] && receiver.ends.now == [nil])
    }

    @Test func aDeferredLoadThatIsReplacedNeverStarts() async throws {
        fixture.answer("b")
        let first = view.load("a", Presentation(start: .deferred))
        let second = view.load("b")
        #expect(first.ends.now == [.cancelled])
        binding.begin()
        await second.end()
        #expect(loads == 0)
    }

    @Test(arguments: [DecodeOptions.DynamicRange.standard, .high], [Presentation.Sizing.fitsDisplay, .asRequested])
    func aDisplayOfAHighRangeAsksForIt(
        _ range: DecodeOptions.DynamicRange, _ sizing: Presentation.Sizing
    ) async throws {
        fixture.answer()
        display.dynamicRange = range
        display.wantedSize = PixelSize(width: 8, height: 8)
        await view.load("a", Presentation(sizing: sizing)).end()
        #expect(binding.request?.rendition.decode.range == range)
        #expect((binding.request?.rendition.decode.size == .full) == (sizing != .fitsDisplay))
    }

    @Test func aDeferredLoadTakesTheSizeThatTheDisplayHasWhenItBegins() async throws {
        fixture.answer()
        let receiver = view.load("a", Presentation(start: .deferred, sizing: .fitsDisplay))
        #expect(binding.request?.rendition.decode.size == .full)
        display.wantedSize = PixelSize(width: 20, height: 10)
        binding.begin()
        let size = DecodeOptions.Size.fit(PixelSize(width: 20, height: 10))
        #expect(binding.request?.rendition.decode.size == size && binding.task?.request.rendition.decode.size == size)
        await receiver.end()
        // It is the shown image: requesting it again does nothing.
        let again = view.load("a", Presentation(start: .deferred, sizing: .fitsDisplay))
        #expect(again.ends.now == [nil] && display.shown.count == 1)
    }

    // MARK: Hidden

    @Test func hidingLowersThePriorityAndShowingRaisesIt() async throws {
        let gate = view.gate()
        let receiver = view.load()
        binding.isVisible = false
        #expect(binding.task?.priority == .veryLow)
        binding.isVisible = true
        #expect(binding.task?.priority == .normal && view.timer.ringTime == nil)
        gate.open()
        await receiver.end()
    }

    @Test func aHiddenLoadPausesAfterTheGracePeriodAndGoesOnWhenShown() async throws {
        let gate = view.gate()
        let indicator = FakeIndicator()
        binding.indicator = indicator
        let receiver = view.load("a", Presentation(whenHidden: .pauses(after: .seconds(3))))
        await gate.waitForArrivals(1)
        binding.isVisible = false
        view.timer.advance(by: .seconds(2))
        #expect(binding.activity == .loading)
        view.timer.advance(by: .seconds(1))
        #expect(binding.activity == .paused && binding.task == nil && !fixture.pipeline.isRunning)
        #expect(indicator.calls == ["start", "stop"])
        binding.isVisible = true
        #expect(binding.activity == .loading && indicator.calls == ["start", "stop", "start"])
        gate.open()
        await receiver.end()
        // The receiver does not learn of the pause.
        #expect(receiver.ends.now == [nil] && loads == 2)
        let image = try #require(view.image())
        #expect(display.shown == [.image(image)])
    }

    @Test func aShortLookElsewhereDoesNotInterruptTheLoad() async throws {
        let gate = view.gate()
        let receiver = view.load()
        await gate.waitForArrivals(1)
        binding.isVisible = false
        view.timer.advance(by: .seconds(1))
        binding.isVisible = true
        view.timer.advance(by: .seconds(10))
        gate.open()
        await receiver.end()
        #expect(loads == 1)
    }

    @Test func aDownloadPastHalfContinues() async throws {
        let gate = view.gate()
        let receiver = view.load()
        await gate.waitForArrivals(1)
        try view.receive(60, of: 108)
        while binding.progress.received < 60 { try await Task.pause() }
        binding.isVisible = false
        view.timer.advance(by: .seconds(60))
        #expect(binding.activity == .loading && binding.task?.priority == .veryLow)
        gate.open()
        await receiver.end()
        #expect(receiver.ends.now == [nil] && loads == 1)
    }

    @Test func aLoadOfAHiddenViewHasAGracePeriodToo() async throws {
        let gate = view.gate()
        binding.isVisible = false
        let receiver = view.load()
        #expect(binding.task?.priority == .veryLow)
        await gate.waitForArrivals(1)
        view.timer.advance(by: .seconds(2))
        #expect(binding.activity == .paused)
        gate.open()
        binding.isVisible = true
        await receiver.end()
        #expect(receiver.ends.now == [nil])
    }

    @Test func aVisibleViewUsesNoTimer() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let made = Shared(0)
        let binding = ImageBinding(display, pipeline: fixture.pipeline) {
            made.withLock { $0 += 1 }
            return ManualPlaybackTimer()
        }
        let receiver = FakeReceiver()
        binding.load(fixture.request()) { receiver.receive($0) }
        binding.begin()
        await receiver.end()
        binding.isVisible = false
        binding.isVisible = true
        #expect(made.now == 0)
    }

    // MARK: Exactly one end

    @Test(arguments: [Presentation.Start.deferred, .immediate])
    func aLoadThatNeverRunsToItsEndIsCancelledWithItsBinding(_ start: Presentation.Start) async throws {
        let gate = view.gate()
        let (timer, receiver) = (ManualPlaybackTimer(), FakeReceiver())
        var binding: ImageBinding? = ImageBinding(display, pipeline: fixture.pipeline, makeTimer: { timer })
        binding?.load(fixture.request(), presentation: Presentation(start: start)) { receiver.receive($0) }
        binding?.isVisible = false
        timer.advance(by: .seconds(5))
        #expect(binding?.activity == (start == .deferred ? .deferred : .paused))
        binding = nil
        await receiver.end()
        gate.open()
        #expect(receiver.ends.now == [.cancelled])
    }

    @Test func cancellingEndsAPausedLoad() async throws {
        let gate = view.gate()
        let receiver = view.load()
        await gate.waitForArrivals(1)
        binding.isVisible = false
        view.timer.advance(by: .seconds(2))
        binding.cancel()
        #expect(receiver.ends.now == [.cancelled] && binding.activity == .idle)
        binding.isVisible = true
        #expect(binding.activity == .idle && loads == 1)
    }
}
