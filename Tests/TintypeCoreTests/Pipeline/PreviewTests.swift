import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PreviewStateTests {
    /// A state that has received 1000 bytes.
    private static func state(every interval: Duration) -> PreviewState {
        var state = PreviewState(.progressive(every: interval))
        state.status.progress.received = 1000
        return state
    }

    @Test func bytesThatArriveDuringAStepStartAnother() {
        var state = Self.state(every: .zero)
        let starts = state.shouldStart(at: .zero)
        state.status.progress.received = 2000
        let (_, goesOn) = state.finishStep(upTo: 1000, showing: nil, at: .zero)
        let (_, goesOnAgain) = state.finishStep(upTo: 2000, showing: nil, at: .zero)
        #expect(starts && goesOn && !goesOnAgain)
    }

    @Test func noPreviewsUnlessRequested() {
        var state = PreviewState(.none)
        state.status.progress.received = 1000
        let starts = state.shouldStart(at: .zero)
        #expect(!starts)
    }

    @Test func stepsDoNotOverlap() {
        var state = Self.state(every: .milliseconds(100))
        let first = state.shouldStart(at: .zero)
        #expect(first)
        let overlapping = state.shouldStart(at: .milliseconds(500))
        #expect(!overlapping)
        _ = state.finishStep(upTo: 1000, showing: nil, at: .milliseconds(500))
        let afterTheFirst = state.shouldStart(at: .milliseconds(500))
        #expect(afterTheFirst)
    }

    @Test func stepsAreAtLeastTheIntervalApart() {
        var state = Self.state(every: .milliseconds(100))
        let first = state.shouldStart(at: .zero)
        #expect(first)
        _ = state.finishStep(upTo: 1000, showing: nil, at: .milliseconds(50))
        let early = state.shouldStart(at: .milliseconds(99))
        #expect(!early)
        let later = state.shouldStart(at: .milliseconds(100))
        #expect(later)
    }

    @Test(arguments: [FormatSniffer.length, 1000]) func aStepStartsAtTheLengthThatNamesAFormat(_ length: Int) {
        var state = PreviewState(.progressive(every: .zero), headLength: length)
        state.status.progress.received = length - 1
        let early = state.shouldStart(at: .zero)
        state.status.progress.received = length
        let late = state.shouldStart(at: .zero)
        #expect(!early && late)
    }

    @Test func aPreviewIsShownUnlessACompleteImageWasShown() throws {
        let image = ImageResponse(image: try .pixel(), origin: .network)
        var state = Self.state(every: .zero)
        _ = state.shouldStart(at: .zero)
        let (shown, _) = state.finishStep(upTo: 500, showing: image, at: .zero)
        #expect(shown?.previewCount == 1)
        var stopped = state
        stopped.isStopped = true
        let (afterStop, _) = stopped.finishStep(upTo: 1000, showing: image, at: .zero)
        let complete = stopped.showComplete(image)
        #expect(afterStop == nil && complete == nil)
        let cached = state.showComplete(image)
        let (afterCached, goesOn) = state.finishStep(upTo: 600, showing: image, at: .zero)
        #expect(cached?.previewCount == 2 && afterCached == nil && !goesOn)
    }

    @Test func noPreviewsAfterTheEnd() {
        var state = Self.state(every: .zero)
        state.isStopped = true
        let starts = state.shouldStart(at: .zero)
        #expect(!starts)
    }
}
