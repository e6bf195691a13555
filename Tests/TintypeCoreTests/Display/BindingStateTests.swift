import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct BindingStateTests {
    private typealias Action = BindingState.Action
    private let a = CacheKey(source: "a")
    private let b = CacheKey(source: "b")
    private let placeholder: Presentation
    private let fading = Presentation(transition: .fade)

    init() throws {
        placeholder = Presentation(whileLoading: .placeholder(try .pixel()))
    }

    @Test func aPictureThatHasToBeWaitedFor() {
        var state = BindingState()
        #expect(state.want(a, placeholder, mayReuse: true) == [.start(1)])
        #expect(state.wait(1) == [.show(.placeholder), .startIndicator])
        #expect(state.preview(1) == [.show(.preview)])
        #expect(state.finish(1, succeeded: true, fromMemory: false) == [.stopIndicator, .show(.image)])
        #expect(state.content == .image && state.shownKey == a && !state.isLive(1))
    }

    @Test func aPictureInMemoryIsShownWithoutPlaceholderIndicatorOrTransition() {
        var state = BindingState()
        _ = state.want(a, Presentation(whileLoading: placeholder.whileLoading, transition: .fade), mayReuse: true)
        #expect(state.finish(1, succeeded: true, fromMemory: true) == [.show(.image)])
    }

    @Test func theTransitionIsForPicturesThatWereWaitedForUnlessForced() {
        var state = BindingState()
        _ = state.want(a, fading, mayReuse: true)
        #expect(state.finish(1, succeeded: true, fromMemory: false) == [.show(.image, .fade)])
        let always = ImageTransition(.fade, when: .always)
        _ = state.want(b, Presentation(transition: always), mayReuse: true)
        #expect(state.finish(2, succeeded: true, fromMemory: true) == [.show(.image, always)])
    }

    @Test func thePictureThatIsShownAlreadyIsLeftAlone() {
        var state = shown(a)
        #expect(state.want(a, placeholder, mayReuse: true) == [.reuse])
        #expect(state.want(a, placeholder, mayReuse: false) == [.start(3)])
    }

    @Test func goingBackToWhatIsShownIsNotCoveredByTheLoadThatGoesOn() {
        var state = shown(a)
        let beside = Presentation(whileLoading: .current, replacement: .besideFormer)
        #expect(state.want(b, beside, mayReuse: true) == [.start(2)])
        #expect(state.want(a, beside, mayReuse: true) == [.reuse])
        #expect(state.preview(2) == [])
        #expect(state.finish(2, succeeded: true, fromMemory: false) == [])
        #expect(state.content == .image && state.shownKey == a)
    }

    @Test func goingBackToWhatIsShownCancelsWhatWasWantedMeanwhile() {
        var state = shown(a)
        _ = state.want(b, Presentation(whileLoading: .current), mayReuse: true)
        _ = state.wait(2)
        #expect(state.want(a, placeholder, mayReuse: true) == [.cancel(2), .stopIndicator, .reuse])
    }

    @Test func aNewPictureStartsBeforeTheFormerIsCancelled() {
        var state = BindingState()
        _ = state.want(a, placeholder, mayReuse: true)
        #expect(state.want(b, placeholder, mayReuse: true) == [.start(2), .cancel(1)])
        #expect(state.finish(1, succeeded: true, fromMemory: false) == [])
        #expect(state.preview(1) == [])
    }

    @Test func theIndicatorRunsOnFromOneLoadToTheNext() {
        var state = BindingState()
        _ = state.want(a, placeholder, mayReuse: true)
        _ = state.wait(1)
        _ = state.want(b, placeholder, mayReuse: true)
        #expect(state.wait(2) == [.show(.placeholder)])
        #expect(state.finish(2, succeeded: true, fromMemory: false) == [.stopIndicator, .show(.image)])
    }

    @Test func besideTheFormerBothMayBeShownInTheirOrder() {
        let beside = Presentation(replacement: .besideFormer)
        var state = BindingState()
        _ = state.want(a, beside, mayReuse: true)
        _ = state.want(b, beside, mayReuse: true)
        #expect(state.finish(1, succeeded: true, fromMemory: false) == [.show(.image)])
        #expect(state.finish(2, succeeded: true, fromMemory: false) == [.show(.image)])
        #expect(state.shownKey == b)
    }

    @Test func besideTheFormerAnOlderPictureNeverCoversANewerOne() {
        let beside = Presentation(replacement: .besideFormer)
        var state = BindingState()
        _ = state.want(a, beside, mayReuse: true)
        _ = state.want(b, beside, mayReuse: true)
        #expect(state.finish(2, succeeded: true, fromMemory: false) == [.show(.image)])
        #expect(state.preview(1) == [])
        #expect(state.finish(1, succeeded: true, fromMemory: false) == [])
        #expect(state.shownKey == b)
    }

    @Test func aFailureShowsItsImageOrLeavesWhatIsShown() throws {
        var state = BindingState()
        _ = state.want(a, placeholder, mayReuse: true)
        _ = state.wait(1)
        #expect(state.finish(1, succeeded: false, fromMemory: false) == [.stopIndicator])
        #expect(state.content == .placeholder)
        _ = state.want(a, Presentation(failureImage: try .pixel()), mayReuse: true)
        #expect(state.finish(2, succeeded: false, fromMemory: false) == [.show(.failure)])
        // A failure is not the picture: asking again loads again.
        #expect(state.want(a, placeholder, mayReuse: true) == [.start(3)])
    }

    @Test func apartThatWasShownIsBetterThanAFailureImage() throws {
        var state = BindingState()
        _ = state.want(a, Presentation(failureImage: try .pixel()), mayReuse: true)
        _ = state.preview(1)
        #expect(state.finish(1, succeeded: false, fromMemory: false) == [])
    }

    @Test func manualDeliveryShowsThePlaceholderAndNoPicture() {
        var state = BindingState()
        let manual = Presentation(whileLoading: placeholder.whileLoading, delivery: .manual)
        _ = state.want(a, manual, mayReuse: true)
        #expect(state.wait(1) == [.show(.placeholder), .startIndicator])
        #expect(state.preview(1) == [])
        #expect(state.finish(1, succeeded: true, fromMemory: false) == [.stopIndicator])
    }

    @Test func whatWasShownStaysWhereThatIsAsked() {
        var state = shown(a)
        _ = state.want(b, Presentation(whileLoading: .current), mayReuse: true)
        #expect(state.wait(2) == [.startIndicator])
        #expect(state.content == .image && state.shownKey == a)
    }

    @Test func withoutAPlaceholderTheFormerPictureGoes() {
        var state = shown(a)
        _ = state.want(b, Presentation(), mayReuse: true)
        #expect(state.wait(2) == [.show(.nothing), .startIndicator])
    }

    @Test func noPictureIsWanted() {
        var state = shown(a)
        _ = state.want(b, placeholder, mayReuse: true)
        #expect(state.wantNothing(Presentation()) == [.cancel(2), .show(.nothing)])
        #expect(state.finish(2, succeeded: true, fromMemory: false) == [])
        #expect(state.wantNothing(placeholder) == [.show(.placeholder)])
    }

    @Test func cancellingLeavesTheScreenAsItIs() {
        var state = BindingState()
        _ = state.want(a, placeholder, mayReuse: true)
        _ = state.wait(1)
        #expect(state.cancel() == [.cancel(1), .stopIndicator])
        #expect(state.content == .placeholder)
        #expect(state.cancel() == [])
    }

    private func shown(_ key: CacheKey) -> BindingState {
        var state = BindingState()
        _ = state.want(key, Presentation(), mayReuse: true)
        _ = state.finish(1, succeeded: true, fromMemory: false)
        return state
    }

    // MARK: Every sequence

    private enum Event: CaseIterable {
        case wantA, wantB, wantNothing, preview, succeed, fail, cancel
    }

    @Test func everySequenceOfFiveEventsKeepsThePromises() {
        func walk(_ state: BindingState, _ indicating: Bool, _ wanted: CacheKey?, _ depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var state = state
                let (actions, now) = apply(event, to: &state, wanted)
                // The indicator is started and stopped in turn, and only stands while something loads.
                var indicating = indicating
                for action in actions {
                    if action == .startIndicator { #expect(!indicating); indicating = true }
                    if action == .stopIndicator { #expect(indicating); indicating = false }
                }
                if indicating { #expect(state.isLive(state.lastLoad)) }
                // What is on screen is of what was wanted last, or was there when it was wanted.
                if actions.contains(.show(.image)) || actions.contains(.show(.preview)) {
                    #expect(state.shownKey == now)
                }
                walk(state, indicating, now, depth - 1)
            }
        }
        walk(BindingState(), false, nil, 5)
    }

    private func apply(
        _ event: Event, to state: inout BindingState, _ wanted: CacheKey?
    ) -> (actions: [Action], wanted: CacheKey?) {
        switch event {
        case .wantA: (want(a, &state), a)
        case .wantB: (want(b, &state), b)
        case .wantNothing: (state.wantNothing(Presentation()), nil)
        case .preview: (state.preview(state.lastLoad), wanted)
        case .succeed: (state.finish(state.lastLoad, succeeded: true, fromMemory: false), wanted)
        case .fail: (state.finish(state.lastLoad, succeeded: false, fromMemory: false), wanted)
        case .cancel: (state.cancel(), wanted)
        }
    }

    private func want(_ key: CacheKey, _ state: inout BindingState) -> [Action] {
        let actions = state.want(key, placeholder, mayReuse: true)
        return actions.contains(.reuse) ? actions : actions + state.wait(state.lastLoad)
    }
}

extension Image {
    /// One white pixel.
    static func pixel() throws -> Image {
        let size = PixelSize(width: 1, height: 1)
        return Image(
            pixels: try .filled(Pixel(red: 255, green: 255, blue: 255), size), info: ImageInfo(format: .png, size: size)
        )
    }
}
