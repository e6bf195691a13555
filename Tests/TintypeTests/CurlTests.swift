import Foundation
import Testing
import Tintype

@testable import TintypeViews

/// The transition of `Views.md` that curls.
@Suite @MainActor struct CurlTests {
    /// A display that draws nothing.
    private final class EmptyDisplay: ImageDisplay {
        func show(_ content: ImageContent) {}
    }

    /// It begins with the old image alone and ends with the new one alone, flat and in its place.
    @Test func aCurlLeadsFromOneImageToTheOther() throws {
        let curl = ImageTransition(.custom(.curlDown), duration: .seconds(1), when: .always, easing: .linear)
        let transition = RunningTransition(
            TransitionContext(curl, from: .nothing, to: .nothing, on: EmptyDisplay()))
        let start = transition.frame(at: .zero)
        #expect(start.old == .shown && start.new.opacity == 0)
        var former = start
        for tenth in 1..<10 {
            let frame = transition.frame(at: .milliseconds(100 * tenth))
            let (turn, last) = (try #require(frame.new.turn), former.new.turn?.degrees ?? -90)
            #expect(turn.axis == .horizontal && turn.degrees > last && turn.degrees > -90 && turn.degrees < 0)
            #expect(frame.new.y > former.new.y && frame.new.y < 0 && frame.old.opacity < former.old.opacity)
            former = frame
        }
        let end = transition.frame(at: .seconds(1))
        #expect(end == .end && transition.isOver)
    }
}
