import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

@Suite struct BindingStateTests {
    private typealias Action = BindingState.Action
    private let a = CacheKey(source: "a")
    private let b = CacheKey(source: "b")
    private let placeholder: Presentation
    private let fading = Presentation(transition: .fade)

    init() throws {
        placeholder = Presentation(whileLoading: .placeholder(try .pixel()))
    }

    @Test func anImageThatHasToBeLoadedFollowsPlaceholderIndicatorAndPreview() {
        var state = BindingState()
        #expect(state.load(a, placeholder, mayReuse: true) == [.start(1)])
        #expect(state.wait(for: 1) == [.show(.placeholder), .startIndicator])
        #expect(state.showPreview(of: 1) == [.show(.preview)])
        #expect(state.finish(1, .loaded) == [.stopIndicator, .show(.image)])
        #expect(state.content == .image && state.shownKey == a)
        // The load is over.
        #expect(state.finish(1, .loaded) == [])
    }

    @Test func anImageInMemoryIsShownWithoutPlaceholderIndicatorOrTransition() {
        var state = BindingState()
        _ = state.load(a, Presentation(whileLoading: placeholder.whileLoading, transition: .fade), mayReuse: true)
        #expect(state.finish(1, .inMemory) == [.show(.image)])
    }

    @Test func onlyImagesThatHadToBeLoadedHaveATransitionUnlessForced() {
        var state = BindingState()
        _ = state.load(a, fading, mayReuse: true)
        #expect(state.finish(1, .loaded) == [.show(.image, .fade)])
        let always = ImageTransition(.fade, when: .always)
        _ = state.load(b, Presentation(transition: always), mayReuse: true)
        #expect(state.finish(2, .inMemory) == [.show(.image, always)])
    }

    @Test func theImageThatIsAlreadyShownStays() {
        var state = shown(a)
        #expect(state.load(a, placeholder, mayReuse: true) == [.reuse])
        #expect(state.load(a, placeholder, mayReuse: false) == [.start(3)])
    }

    @Test func requestingTheShownImageAgainIsNotOverriddenByALoadThatContinues() {
        var state = shown(a)
        let beside = Presentation(whileLoading: .current, replacement: .besideFormer)
        #expect(state.load(b, beside, mayReuse: true) == [.start(2)])
        #expect(state.load(a, beside, mayReuse: true) == [.reuse])
        #expect(state.showPreview(of: 2) == [])
        #expect(state.finish(2, .loaded) == [])
        #expect(state.content == .image && state.shownKey == a)
    }

    @Test func requestingTheShownImageAgainCancelsTheLoadInBetween() {
        var state = shown(a)
        _ = state.load(b, Presentation(whileLoading: .current), mayReuse: true)
        _ = state.wait(for: 2)
        #expect(state.load(a, placeholder, mayReuse: true) == [.cancel(2), .stopIndicator, .reuse])
    }

    @Test func aNewLoadStartsBeforeTheFormerIsCancelled() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        #expect(state.load(b, placeholder, mayReuse: true) == [.start(2), .cancel(1)])
        #expect(state.finish(1, .loaded) == [])
        #expect(state.showPreview(of: 1) == [])
    }

    @Test func theIndicatorKeepsRunningFromOneLoadToTheNext() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        _ = state.wait(for: 1)
        _ = state.load(b, placeholder, mayReuse: true)
        #expect(state.wait(for: 2) == [.show(.placeholder)])
        #expect(state.finish(2, .loaded) == [.stopIndicator, .show(.image)])
    }

    @Test func concurrentLoadsAreShownInTheirOrder() {
        let beside = Presentation(replacement: .besideFormer)
        var state = BindingState()
        _ = state.load(a, beside, mayReuse: true)
        _ = state.load(b, beside, mayReuse: true)
        #expect(state.finish(1, .loaded) == [.show(.image)])
        #expect(state.finish(2, .loaded) == [.show(.image)])
        #expect(state.shownKey == b)
    }

    @Test func anOlderConcurrentLoadNeverReplacesANewerOne() {
        let beside = Presentation(replacement: .besideFormer)
        var state = BindingState()
        _ = state.load(a, beside, mayReuse: true)
        _ = state.load(b, beside, mayReuse: true)
        #expect(state.finish(2, .loaded) == [.show(.image)])
        #expect(state.showPreview(of: 1) == [])
        #expect(state.finish(1, .loaded) == [])
        #expect(state.shownKey == b)
    }

    @Test func theFailureOfAConcurrentLoadIsAResult() throws {
        let beside = Presentation(whileLoading: .current, failureImage: try .pixel(), replacement: .besideFormer)
        var state = BindingState()
        for key in [a, b] { _ = state.load(key, beside, mayReuse: true) }
        var other = state
        // The older image does not replace the newer failure, nor the older failure the newer image.
        #expect(state.finish(2, .failed) == [.show(.failure)])
        #expect(state.finish(1, .loaded) == [])
        #expect(other.finish(2, .loaded) == [.show(.image)])
        #expect(other.finish(1, .failed) == [])
    }

    @Test func theFailureOfAFormerLoadIsNotShownWhileTheNewestRuns() throws {
        let presentations = [
            Presentation(whileLoading: .current, failureImage: try .pixel(), replacement: .besideFormer),
            Presentation(whileLoading: placeholder.whileLoading, replacement: .besideFormer),
        ]
        for beside in presentations {
            var state = BindingState()
            for (index, key) in [a, b].enumerated() {
                _ = state.load(key, beside, mayReuse: true)
                _ = state.wait(for: index + 1)
            }
            #expect(state.finish(1, .failed) == [] && state.content != .failure)
            #expect(state.finish(2, .loaded) == [.stopIndicator, .show(.image)])
        }
    }

    @Test func aFailureShowsTheFailureImageOrLeavesWhatIsShown() throws {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        _ = state.wait(for: 1)
        #expect(state.finish(1, .failed) == [.stopIndicator, .mark(.failure)])
        #expect(state.content == .failure)
        _ = state.load(a, Presentation(failureImage: try .pixel()), mayReuse: true)
        #expect(state.finish(2, .failed) == [.show(.failure)])
        // The failure image is not the requested image: the next request loads again.
        #expect(state.load(a, placeholder, mayReuse: true) == [.start(3)])
    }

    @Test func aPreviewThatIsShownStaysInsteadOfTheFailureImage() throws {
        var state = BindingState()
        _ = state.load(a, Presentation(failureImage: try .pixel()), mayReuse: true)
        _ = state.showPreview(of: 1)
        #expect(state.finish(1, .failed) == [.mark(.failure)])
        // The next attempt shows it as a preview again, without a placeholder.
        #expect(state.load(a, placeholder, mayReuse: true) == [.start(2)])
        #expect(state.wait(for: 2) == [.mark(.preview), .startIndicator])
    }

    @Test func aFailureDoesNotMarkAnImageThatStays() {
        var state = shown(a)
        _ = state.load(b, Presentation(whileLoading: .current), mayReuse: true)
        #expect(state.finish(2, .failed) == [])
        #expect(state.load(a, placeholder, mayReuse: true) == [.reuse])
        // Nor does the failure of a reload of the same image.
        #expect(state.load(a, placeholder, mayReuse: false) == [.start(4)])
        #expect(state.finish(4, .failed) == [] && state.content == .image)
    }

    @Test func theNextLoadTurnsAFailureIntoAPlaceholder() {
        var state = BindingState()
        let current = Presentation(whileLoading: .current)
        _ = state.load(a, current, mayReuse: true)
        #expect(state.finish(1, .failed) == [.mark(.failure)])
        _ = state.load(b, current, mayReuse: true)
        #expect(state.wait(for: 2, isRunning: false) == [.mark(.placeholder)])
    }

    @Test func manualDeliveryLeavesFailuresToTheReceiver() throws {
        var state = BindingState()
        _ = state.load(a, Presentation(delivery: .manual), mayReuse: true)
        #expect(state.finish(1, .failed) == [])
        _ = state.load(a, Presentation(failureImage: try .pixel(), delivery: .manual), mayReuse: true)
        #expect(state.finish(2, .failed) == [.show(.failure)])
    }

    @Test func aCancelledTaskIsNoFailure() throws {
        var state = BindingState()
        _ = state.load(a, Presentation(failureImage: try .pixel()), mayReuse: true)
        _ = state.wait(for: 1)
        #expect(state.finish(1, .cancelled) == [.stopIndicator] && state.content == .nothing)
    }

    @Test func theIndicatorRunsOnlyWhileALoadDoes() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        #expect(state.wait(for: 1, isRunning: false) == [.show(.placeholder)])
        #expect(state.setRunning(1, true) == [.startIndicator])
        #expect(state.setRunning(1, false) == [.stopIndicator])
        #expect(state.setRunning(1, true) == [.startIndicator])
        // A deferred load stops the indicator of the former one.
        _ = state.load(b, placeholder, mayReuse: true)
        #expect(state.wait(for: 2, isRunning: false) == [.show(.placeholder), .stopIndicator])
    }

    @Test func theKeyOfALoadThatHasNotStartedCanChange() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        state.setKey(b, of: 1)
        _ = state.finish(1, .loaded)
        #expect(state.shownKey == b)
    }

    /// The display has changed its size during a pause.
    @Test func thePreviewOfALoadWhoseKeyChangesStaysIfTheLoadFails() throws {
        var state = BindingState()
        _ = state.load(a, Presentation(failureImage: try .pixel()), mayReuse: true)
        _ = state.wait(for: 1)
        _ = state.showPreview(of: 1)
        _ = state.setRunning(1, false)
        state.setKey(b, of: 1)
        #expect(state.shownKey == b)
        #expect(state.finish(1, .failed) == [.mark(.failure)])
    }

    @Test func manualDeliveryShowsThePlaceholderButNoImage() {
        var state = BindingState()
        let manual = Presentation(whileLoading: placeholder.whileLoading, delivery: .manual)
        _ = state.load(a, manual, mayReuse: true)
        #expect(state.wait(for: 1) == [.show(.placeholder), .startIndicator])
        #expect(state.showPreview(of: 1) == [])
        #expect(state.finish(1, .loaded) == [.stopIndicator])
    }

    @Test func theFormerImageStaysIfThePresentationSaysSo() {
        var state = shown(a)
        _ = state.load(b, Presentation(whileLoading: .current), mayReuse: true)
        #expect(state.wait(for: 2) == [.startIndicator])
        #expect(state.content == .image && state.shownKey == a)
    }

    @Test func withoutAPlaceholderTheFormerImageIsRemoved() {
        var state = shown(a)
        _ = state.load(b, Presentation(), mayReuse: true)
        #expect(state.wait(for: 2) == [.show(.nothing), .startIndicator])
    }

    @Test func clearingCancelsTheLoadsAndRemovesTheImage() {
        var state = shown(a)
        _ = state.load(b, placeholder, mayReuse: true)
        #expect(state.clear(Presentation()) == [.cancel(2), .show(.nothing)])
        #expect(state.finish(2, .loaded) == [])
        #expect(state.clear(placeholder) == [.show(.placeholder)])
    }

    @Test func cancellingLeavesWhatIsShown() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        _ = state.wait(for: 1)
        #expect(state.cancel() == [.cancel(1), .stopIndicator])
        #expect(state.content == .placeholder)
        #expect(state.cancel() == [])
    }

    @Test func eachPreviewIsShown() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        _ = state.wait(for: 1)
        #expect(state.showPreview(of: 1) == [.show(.preview)] && state.showPreview(of: 1) == [.show(.preview)])
    }

    /// Although the image before it was exact.
    @Test func aPreviewIsNotReused() {
        var state = shown(a)
        _ = state.load(b, placeholder, mayReuse: true)
        _ = state.showPreview(of: 2)
        #expect(!state.showsExactImage && state.load(b, placeholder, mayReuse: true) == [.start(3), .cancel(2)])
    }

    @Test func aLoadThatHasNotStartedDoesNotKeepTheIndicator() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        _ = state.wait(for: 1)
        _ = state.load(b, Presentation(replacement: .besideFormer), mayReuse: true)
        #expect(state.finish(1, .loaded) == [.stopIndicator, .show(.image)])
    }

    @Test func theFailureOfTheNewestLoadIsNotReplacedByAFormerOne() {
        var state = BindingState()
        let beside = Presentation(whileLoading: .current, replacement: .besideFormer)
        _ = state.load(a, beside, mayReuse: true)
        _ = state.showPreview(of: 1)
        _ = state.load(b, beside, mayReuse: true)
        #expect(state.finish(2, .failed) == [.mark(.failure)] && state.shownKey == nil)
        #expect(state.finish(1, .loaded) == [])
    }

    @Test func aFailureThatStaysWhileAnotherImageIsLoadedHasNoKey() {
        var state = BindingState()
        _ = state.load(a, placeholder, mayReuse: true)
        _ = state.showPreview(of: 1)
        #expect(state.finish(1, .failed) == [.mark(.failure)] && state.shownKey == a)
        _ = state.load(b, Presentation(whileLoading: .current), mayReuse: true)
        #expect(state.wait(for: 2) == [.mark(.placeholder), .startIndicator] && state.shownKey == nil)
    }

    private func shown(_ key: CacheKey) -> BindingState {
        var state = BindingState()
        _ = state.load(key, Presentation(), mayReuse: true)
        _ = state.finish(1, .loaded)
        return state
    }

    // MARK: Every sequence of events

    private enum Event: CaseIterable {
        case loadA, loadB, clear, cancel
        case preview, succeed, fail
        case previewOfFormer, successOfFormer, failureOfFormer
        case pause, resume

        static let withoutPauses = allCases.filter { $0 != .pause && $0 != .resume }
    }

    /// An independent record of all events and actions, against which each action is checked.
    fileprivate struct Record {
        /// The key of each load, from load 1 on.
        var keys: [CacheKey?] = []
        /// The running loads.
        var running: Set<Int> = []
        /// The paused loads.
        var paused: Set<Int> = []
        /// The newest load whose result has been shown.
        var newest = 0
        var isIndicating = false
    }

    @Test(arguments: ["placeholder", "current", "besideFormer"])
    func everySequenceOfFiveEventsKeepsTheInvariants(_ name: String) throws {
        walk(try presentation(name), Event.withoutPauses, 5)
    }

    @Test(arguments: ["placeholder", "current", "besideFormer"])
    func everySequenceOfFourEventsWithPausesKeepsTheInvariants(_ name: String) throws {
        walk(try presentation(name), Event.allCases, 4)
    }

    private func presentation(_ name: String) throws -> Presentation {
        switch name {
        case "placeholder": placeholder
        case "current": Presentation(whileLoading: .current, failureImage: try .pixel())
        default: Presentation(whileLoading: .current, replacement: .besideFormer)
        }
    }

    private func walk(_ presentation: Presentation, _ events: [Event], _ length: Int) {
        func walk(_ state: BindingState, _ record: Record, _ depth: Int) {
            guard depth > 0 else { return }
            for event in events {
                var (state, record) = (state, record)
                let (actions, load) = apply(event, to: &state, presentation, &record)
                for action in actions {
                    if let broken = record.broken(by: action, of: load, in: state, presentation) {
                        Issue.record("\(event): \(broken)")
                    }
                }
                walk(state, record, depth - 1)
            }
        }
        walk(BindingState(), Record(), length)
    }

    /// Applies an event to the state and to the record.
    ///
    /// - Returns: the actions, and the load that they belong to.
    private func apply(
        _ event: Event, to state: inout BindingState, _ presentation: Presentation, _ record: inout Record
    ) -> ([Action], load: Int) {
        let (last, former) = (state.lastLoad, state.lastLoad - 1)
        switch event {
        case .loadA: return load(a, &state, presentation, &record)
        case .loadB: return load(b, &state, presentation, &record)
        case .clear:
            record.keys.append(nil)
            defer { record.newest = last + 1 }
            return (state.clear(Presentation()), last + 1)
        case .cancel: return (state.cancel(), last)
        case .preview: return (state.showPreview(of: last), last)
        case .pause:
            if record.running.remove(last) != nil { record.paused.insert(last) }
            return (state.setRunning(last, false), last)
        case .resume:
            if record.paused.remove(last) != nil { record.running.insert(last) }
            return (state.setRunning(last, true), last)
        case .succeed:
            record.end(last)
            return (state.finish(last, .loaded), last)
        case .fail:
            record.end(last)
            return (state.finish(last, .failed), last)
        case .previewOfFormer: return (state.showPreview(of: former), former)
        case .successOfFormer:
            record.end(former)
            return (state.finish(former, .loaded), former)
        case .failureOfFormer:
            record.end(former)
            return (state.finish(former, .failed), former)
        }
    }

    private func load(
        _ key: CacheKey, _ state: inout BindingState, _ presentation: Presentation, _ record: inout Record
    ) -> ([Action], load: Int) {
        record.keys.append(key)
        var actions = state.load(key, presentation, mayReuse: true)
        if actions.contains(.reuse) {
            record.newest = state.lastLoad
        } else {
            actions += state.wait(for: state.lastLoad)
        }
        return (actions, state.lastLoad)
    }
}

extension BindingStateTests.Record {
    fileprivate mutating func end(_ load: Int) {
        running.remove(load)
        paused.remove(load)
    }

    /// Records an action and returns a description of the invariant that it violates, if any.
    fileprivate mutating func broken(
        by action: BindingState.Action, of load: Int, in state: BindingState, _ presentation: Presentation
    ) -> String? {
        switch action {
        case .start(let load): running.insert(load)
        case .cancel(let load):
            running.remove(load)
            paused.remove(load)
        case .startIndicator, .stopIndicator:
            defer { isIndicating = action == .startIndicator }
            if isIndicating == (action == .startIndicator) { return "the indicator is started or stopped twice" }
            return action == .stopIndicator && !running.isEmpty
                ? "the indicator is stopped while a load is running" : nil
        case .mark(.failure):
            if load < newest { return "an older failure marks a newer image" }
        case .show(.image, _), .show(.preview, _), .show(.failure, _):
            defer { newest = max(newest, load) }
            if load < newest { return "an older image replaces a newer one" }
            if presentation.replacement == .cancelsFormer && load != keys.count {
                return "the result of a former load is shown"
            }
            return action == .show(.failure) || state.shownKey == keys[load - 1] ? nil : "another image is shown"
        default: break
        }
        return nil
    }
}

extension Image {
    /// Returns an image of one white pixel.
    static func pixel() throws -> Image {
        let size = PixelSize(width: 1, height: 1)
        return Image(
            pixels: try .filled(Pixel(red: 255, green: 255, blue: 255), size: size),
            info: ImageInfo(format: .png, size: size)
        )
    }
}
