import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PreviewStateTests {
    @Test func oneStepAtATime() {
        var state = PreviewState(interval: .milliseconds(100))
        let step1 = state.shouldStart(at: .zero)
        #expect(step1)
        let step2 = state.shouldStart(at: .milliseconds(500))
        #expect(!step2)
        state.finishStep(showing: nil)
        let step3 = state.shouldStart(at: .milliseconds(500))
        #expect(step3)
    }

    @Test func notMoreOftenThanTheInterval() {
        var state = PreviewState(interval: .milliseconds(100))
        let step4 = state.shouldStart(at: .zero)
        #expect(step4)
        state.finishStep(showing: nil)
        let step5 = state.shouldStart(at: .milliseconds(99))
        #expect(!step5)
        let step6 = state.shouldStart(at: .milliseconds(100))
        #expect(step6)
    }

    @Test func noneAfterTheEnd() {
        var state = PreviewState(interval: .zero)
        state.isStopped = true
        let step7 = state.shouldStart(at: .zero)
        #expect(!step7)
    }
}
