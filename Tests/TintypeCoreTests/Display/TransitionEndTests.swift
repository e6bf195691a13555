import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// The end of a load that waits for its transition, however the transition ends.
@Suite(.timeLimited) @MainActor struct TransitionEndTests {
    private let view = ViewFixture()
    private var display: FakeDisplay { view.display }
    private let waiting = Presentation(
        transition: ImageTransition(.fade, when: .always), completion: .afterTransition)

    /// Starts a transition to the image `a`.
    private func begin() async throws -> FakeReceiver {
        _ = try await view.storeInMemory()
        let receiver = view.load("a", waiting)
        _ = display.transition?.frame(at: .zero)
        #expect(receiver.ends.now == [])
        return receiver
    }

    @Test func theEndOfTheTransitionIsTheEndOfTheLoad() async throws {
        let receiver = try await begin()
        _ = display.transition?.frame(at: .seconds(1))
        #expect(receiver.ends.now == [nil])
        display.endTransition()
        view.binding.clear()
        #expect(receiver.ends.now == [nil])
    }

    @Test func anImageThatInterruptsTheTransitionEndsIt() async throws {
        let first = try await begin()
        let former = display.transition
        _ = try await view.storeInMemory("b")
        let second = view.load("b", waiting)
        #expect(first.ends.now == [nil] && second.ends.now == [] && former?.isOver == true)
        // Too late: the transition is over.
        former?.finish()
        #expect(second.ends.now == [])
        display.endTransition()
        #expect(first.ends.now == [nil] && second.ends.now == [nil])
    }

    @Test func clearingTheViewEndsTheTransition() async throws {
        let receiver = try await begin()
        view.binding.clear()
        #expect(receiver.ends.now == [nil] && display.transition?.isOver == true)
    }

    @Test func cancellingDoesNotInterruptTheTransition() async throws {
        let receiver = try await begin()
        view.binding.cancel()
        #expect(receiver.ends.now == [] && display.transition?.isOver == false)
        display.endTransition()
        #expect(receiver.ends.now == [nil])
    }

    @Test func aDisplayThatForgetsItsTransitionEndsIt() async throws {
        let receiver = try await begin()
        display.transition = nil
        #expect(receiver.ends.now == [nil])
    }

    @Test func aViewThatIsReleasedInTheMiddleEndsTheLoad() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        var display: FakeDisplay? = FakeDisplay()
        let receiver = FakeReceiver()
        display?.binding = ImageBinding(try #require(display), pipeline: fixture.pipeline)
        display?.binding?.load(fixture.request(), presentation: waiting) { receiver.receive($0) }
        _ = display?.transition?.frame(at: .zero)
        #expect(receiver.ends.now == [])
        display = nil
        await receiver.end()
        #expect(receiver.ends.now == [nil])
    }

    @Test func aBindingThatIsReleasedInTheMiddleEndsTheLoadOnce() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let receiver = FakeReceiver()
        var binding: ImageBinding? = ImageBinding(display, pipeline: fixture.pipeline)
        binding?.load(fixture.request(), presentation: waiting) { receiver.receive($0) }
        binding = nil
        await receiver.end()
        display.endTransition()
        #expect(receiver.ends.now == [nil])
    }

    @Test func theLastStepOfAnInterruptedTransitionMayLoadAgain() async throws {
        let image = try await view.storeInMemory("c")
        _ = try await view.storeInMemory("a")
        let (binding, fixture) = (view.binding, view.fixture)
        let custom = CustomTransition(
            name: "loads", animate: { _, _ in .start },
            complete: { _, isFinished in
                #expect(!isFinished)
                binding.load(fixture.request("c"))
            })
        binding.load(
            fixture.request("a"),
            presentation: Presentation(transition: ImageTransition(.custom(custom), when: .always)))
        _ = display.transition?.frame(at: .zero)
        // It is not in memory, so nothing is shown until it is loaded.
        let gate = view.gate("b")
        let second = view.load("b")
        #expect(display.shown.last == .image(image) && binding.content.kind == .image)
        #expect(second.ends.now == [.cancelled])
        gate.open()
    }

    @Test func theReceiverOfAnInterruptedTransitionMayLoadAgain() async throws {
        let image = try await view.storeInMemory("c")
        _ = try await view.storeInMemory("a")
        _ = try await view.storeInMemory("b")
        let (binding, fixture) = (view.binding, view.fixture)
        binding.load(fixture.request("a"), presentation: waiting) { event in
            if case .finished = event { binding.load(fixture.request("c")) }
        }
        binding.load(fixture.request("b"))
        #expect(display.shown.last == .image(image))
    }
}
