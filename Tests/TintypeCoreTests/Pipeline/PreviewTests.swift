import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PreviewStateTests {
    /// One to which a thousand bytes have come.
    private static func state(every interval: Duration) -> PreviewState {
        var state = PreviewState(.progressive(every: interval))
        state.status.progress.received = 1000
        return state
    }

    @Test func whatCameDuringAStepIsTakenByAnother() {
        var state = Self.state(every: .zero)
        let starts = state.shouldStart(at: .zero)
        state.status.progress.received = 2000
        let (_, goesOn) = state.finishStep(upTo: 1000, showing: nil, at: .zero)
        let (_, goesOnAgain) = state.finishStep(upTo: 2000, showing: nil, at: .zero)
        #expect(starts && goesOn && !goesOnAgain)
    }

    @Test func noneWhereNoneAreWanted() {
        var state = PreviewState(.none)
        state.status.progress.received = 1000
        let starts = state.shouldStart(at: .zero)
        #expect(!starts)
    }

    @Test func oneStepAtATime() {
        var state = Self.state(every: .milliseconds(100))
        let step1 = state.shouldStart(at: .zero)
        #expect(step1)
        let step2 = state.shouldStart(at: .milliseconds(500))
        #expect(!step2)
        _ = state.finishStep(upTo: 1000, showing: nil, at: .milliseconds(500))
        let step3 = state.shouldStart(at: .milliseconds(500))
        #expect(step3)
    }

    @Test func notMoreOftenThanTheInterval() {
        var state = Self.state(every: .milliseconds(100))
        let step4 = state.shouldStart(at: .zero)
        #expect(step4)
        _ = state.finishStep(upTo: 1000, showing: nil, at: .milliseconds(50))
        let step5 = state.shouldStart(at: .milliseconds(99))
        #expect(!step5)
        let step6 = state.shouldStart(at: .milliseconds(100))
        #expect(step6)
    }

    @Test func aStepStartsWithTheFirstBytesThatNameAFormat() {
        var state = PreviewState(.progressive(every: .zero))
        state.status.progress.received = FormatSniffer.length - 1
        let early = state.shouldStart(at: .zero)
        state.status.progress.received = FormatSniffer.length
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

    @Test func noneAfterTheEnd() {
        var state = Self.state(every: .zero)
        state.isStopped = true
        let step7 = state.shouldStart(at: .zero)
        #expect(!step7)
    }
}
