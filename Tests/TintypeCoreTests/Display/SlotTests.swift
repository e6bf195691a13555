import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// A button with an image for each state, and a background.
@MainActor private final class FakeButton {
    enum Slot: Hashable, Sendable { case normal, highlighted, background }

    fileprivate(set) var shown: [Slot: [ImageContent.Kind]] = [:]
    fileprivate(set) var expected: [Slot: ExpectedSize?] = [:]
}

/// One image of a button.
private final class ButtonImage: ImageDisplay {
    private weak var button: FakeButton?
    private let slot: FakeButton.Slot

    init(_ slot: FakeButton.Slot, of button: FakeButton?) { (self.slot, self.button) = (slot, button) }

    func show(_ content: ImageContent) { button?.shown[slot, default: []].append(content.kind) }
    func expect(_ size: ExpectedSize?) { button?.expected[slot] = size }
    var scale: Double { 2 }
    var fit: ImageFit { slot == .background ? .cover : .contain }
    var wantedSize: PixelSize? {
        slot == .background ? PixelSize(width: 200, height: 60) : PixelSize(width: 20, height: 20)
    }
}

@Suite(.timeLimited) @MainActor struct SlotTests {
    private let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 400, height: 400)))
    private let button = FakeButton()
    private let slots: ImageSlots<FakeButton.Slot>

    init() { slots = Self.slots(of: button, fixture.pipeline) }

    private static func slots(of button: FakeButton, _ pipeline: ImagePipeline) -> ImageSlots<FakeButton.Slot> {
        ImageSlots(pipeline: pipeline) { [weak button] in ButtonImage($0, of: button) }
    }

    private func load(
        _ name: String, _ slot: FakeButton.Slot, _ presentation: Presentation = Presentation()
    ) -> FakeReceiver {
        let receiver = FakeReceiver()
        slots[slot].load(fixture.request(name), presentation: presentation) { receiver.receive($0) }
        return receiver
    }

    @Test func theLoadsOfSlotsAreIndependent() async throws {
        fixture.answer("a")
        fixture.answer("b")
        let (first, second) = (load("a", .normal), load("b", .highlighted))
        await first.end()
        await second.end()
        #expect(first.ends.now == [nil] && second.ends.now == [nil])
        #expect(button.shown == [.normal: [.image], .highlighted: [.image]])
        #expect(slots[.normal] === slots[.normal] && slots[.normal] !== slots[.highlighted])
    }

    @Test func cancellingOneSlotLeavesTheOthers() async throws {
        let gate = Gate()
        for name in ["a", "b"] { fixture.answer(name, .gated(gate, .data(PipelineFixture.png))) }
        let (first, second) = (load("a", .normal), load("b", .background))
        slots[.background].cancel()
        #expect(second.ends.now == [.cancelled] && slots[.background].task == nil && slots[.normal].task != nil)
        gate.open()
        await first.end()
        #expect(first.ends.now == [nil] && button.shown[.background] == nil)
    }

    @Test func eachSlotHasASizeAFitAndAScale() async throws {
        fixture.answer()
        let fitting = Presentation(sizing: .fitsDisplay)
        await load("a", .background, fitting).end()
        await load("a", .normal, fitting).end()
        #expect(slots[.background].content.image?.size == PixelSize(width: 200, height: 200))
        #expect(slots[.normal].content.image?.size == PixelSize(width: 20, height: 20))
        #expect(slots[.normal].content.image?.scale == 2)
    }

    @Test func expectationsGoToTheirSlot() {
        let hint = PixelSize(width: 4, height: 3)
        _ = load("a", .normal, Presentation(start: .deferred, expectedSize: hint))
        #expect(button.expected == [.normal: ExpectedSize(hint, basis: .hint)])
    }

    @Test func visibilityBeginningAndCancellingApplyToAllSlots() async throws {
        let gate = Gate()
        for name in ["a", "b", "c"] { fixture.answer(name, .gated(gate, .data(PipelineFixture.png))) }
        let deferred = Presentation(start: .deferred, whenHidden: .yields)
        let receivers = [load("a", .normal, deferred), load("b", .background, deferred)]
        slots.begin()
        #expect(slots[.normal].task?.priority == .normal && slots[.background].task != nil)
        slots.isVisible = false
        #expect(slots[.normal].task?.priority == .veryLow && slots[.background].task?.priority == .veryLow)
        // A slot that is used first while the view is hidden is hidden too.
        #expect(!slots[.highlighted].isVisible)
        slots.cancel()
        #expect(receivers.allSatisfy { $0.ends.now == [.cancelled] })
        gate.open()
    }

    @Test func aViewWithoutTransitionsShowsTheImageAtOnce() async throws {
        fixture.answer()
        let presentation = Presentation(transition: .fade, completion: .afterTransition)
        await load("a", .normal, presentation).end()
        #expect(button.shown == [.normal: [.image]])
    }

    @Test func slotsDoNotOwnTheirView() {
        var view: FakeButton? = FakeButton()
        weak let weakView = view
        let slots = view.map { Self.slots(of: $0, fixture.pipeline) }
        _ = slots?[.normal]
        view = nil
        #expect(weakView == nil)
    }
}
