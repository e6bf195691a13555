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
        case wantA, wantB, wantNothing, cancel
        case preview, succeed, fail
        case previewOfFormer, successOfFormer, failureOfFormer
    }

    /// What a person would remember who watched from the beginning.
    fileprivate struct Watched {
        /// What each load is to bring, from the first on.
        var keys: [CacheKey?] = []
        /// The last load that something came of.
        var newest = 0
        var isIndicating = false
    }

    @Test(arguments: ["placeholder", "current", "besideFormer"])
    func everySequenceOfFiveEventsKeepsThePromises(_ name: String) throws {
        let presentation =
            switch name {
            case "placeholder": placeholder
            case "current": Presentation(whileLoading: .current, failureImage: try .pixel())
            default: Presentation(whileLoading: .current, replacement: .besideFormer)
            }
        func walk(_ state: BindingState, _ watched: Watched, _ depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var (state, watched) = (state, watched)
                let (actions, load) = apply(event, to: &state, presentation, &watched)
                for action in actions {
                    if let broken = watched.broken(by: action, of: load, in: state, presentation) {
                        Issue.record("\(event): \(broken)")
                    }
                }
                walk(state, watched, depth - 1)
            }
        }
        walk(BindingState(), Watched(), 5)
    }

    /// - Returns: also the load that the actions are of.
    private func apply(
        _ event: Event, to state: inout BindingState, _ presentation: Presentation, _ watched: inout Watched
    ) -> ([Action], load: Int) {
        let (last, former) = (state.lastLoad, state.lastLoad - 1)
        switch event {
        case .wantA: return want(a, &state, presentation, &watched)
        case .wantB: return want(b, &state, presentation, &watched)
        case .wantNothing:
            watched.keys.append(nil)
            defer { watched.newest = last + 1 }
            return (state.wantNothing(Presentation()), last + 1)
        case .cancel: return (state.cancel(), last)
        case .preview: return (state.preview(last), last)
        case .succeed: return (state.finish(last, succeeded: true, fromMemory: false), last)
        case .fail: return (state.finish(last, succeeded: false, fromMemory: false), last)
        case .previewOfFormer: return (state.preview(former), former)
        case .successOfFormer: return (state.finish(former, succeeded: true, fromMemory: false), former)
        case .failureOfFormer: return (state.finish(former, succeeded: false, fromMemory: false), former)
        }
    }

    private func want(
        _ key: CacheKey, _ state: inout BindingState, _ presentation: Presentation, _ watched: inout Watched
    ) -> ([Action], load: Int) {
        watched.keys.append(key)
        var actions = state.want(key, presentation, mayReuse: true)
        if actions.contains(.reuse) { watched.newest = state.lastLoad } else { actions += state.wait(state.lastLoad) }
        return (actions, state.lastLoad)
    }
}

extension BindingStateTests.Watched {
    /// Takes note of an action and says which promise it breaks, if any.
    fileprivate mutating func broken(
        by action: BindingState.Action, of load: Int, in state: BindingState, _ presentation: Presentation
    ) -> String? {
        switch action {
        case .startIndicator, .stopIndicator:
            defer { isIndicating = action == .startIndicator }
            if isIndicating == (action == .startIndicator) { return "the indicator is started and stopped in turn" }
            return action == .stopIndicator && keys.indices.contains(where: { state.isLive($0 + 1) })
                ? "the indicator stands while something loads" : nil
        case .show(.image, _), .show(.preview, _), .show(.failure, _):
            defer { newest = max(newest, load) }
            if load < newest { return "an older picture covers a newer one" }
            if presentation.replacement == .cancelsFormer && load != keys.count { return "a former load is shown" }
            return action == .show(.failure) || state.shownKey == keys[load - 1] ? nil : "another picture is shown"
        default: return nil
        }
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
