import Testing
import TintypeCore

@testable import TintypeTerminal

@Suite struct FlowControlTests {
    private func ms(_ count: Int) -> Duration { .milliseconds(count) }

    @Test func eachAnswerLetsTheNextFrameThrough() {
        var flow = FlowControl()
        for frame in 0..<5 {
            #expect(flow.permission(for: .animation) == .now)
            flow.write(at: ms(frame * 10))
            #expect(flow.permission(for: .animation) == .at(ms(frame * 10 + 500)))
            flow.recordAnswer()
        }
    }

    @Test func aTerminalThatDoesNotAnswerGetsFiveFramesASecondThenNone() {
        var flow = FlowControl()
        flow.write(at: .zero)
        #expect(flow.permission(for: .animation) == .at(ms(500)))
        for frame in 0..<25 {
            let time = ms(500 + frame * 200)
            flow.write(at: time)
            let expected = frame < 24 ? FlowControl.Permission.at(time + ms(200)) : .whenAnswered
            #expect(flow.permission(for: .animation) == expected)
            #expect(flow.permission(for: .content) == .at(time + ms(200)))
        }
        flow.recordAnswer()
        #expect(flow.permission(for: .animation) == .now)
        flow.write(at: ms(9000))
        #expect(flow.permission(for: .animation) == .at(ms(9500)))
    }
}

@Suite struct FrameQueueTests {
    @Test func theNewestFrameOfARegionReplacesTheFormerInItsPlace() {
        var queue = FrameQueue<String>()
        queue.add("a1", region: 1, kind: .animation)
        queue.add("b1", region: 2, kind: .animation)
        queue.add("a2", region: 1, kind: .animation)
        #expect(queue.removeFirst(.animation)?.frame == "a2")
        #expect(queue.removeFirst(.animation)?.frame == "b1")
        #expect(queue.removeFirst(.animation) == nil && queue.kind == nil)
    }

    /// Else a photo whose first frame was replaced by the next one would never be shown on a slow terminal.
    @Test func aFrameThatReplacesContentIsContent() {
        var queue = FrameQueue<String>()
        queue.add("photo", region: 1, kind: .content)
        queue.add("next", region: 1, kind: .animation)
        #expect(queue.kind == .content)
        #expect(queue.removeFirst(.content)?.frame == "next")
    }

    @Test func onlyContentMakesAFrameContent() {
        var queue = FrameQueue<String>()
        queue.add("a1", region: 1, kind: .animation)
        queue.add("a2", region: 1, kind: .animation)
        #expect(queue.kind == .animation && queue.contains(1) && !queue.contains(2))
        queue.add("photo", region: 1, kind: .content)
        #expect(queue.kind == .content && queue.removeFirst(.content)?.frame == "photo" && !queue.contains(1))
    }

    @Test func framesThatMayBeLeftOutWait() {
        var queue = FrameQueue<String>()
        queue.add("a", region: 1, kind: .animation)
        queue.add("b", region: 2, kind: .content)
        queue.add("c", region: 3, kind: .content)
        queue.removeAll(of: 3)
        #expect(queue.removeFirst(.content)?.frame == "b" && queue.removeFirst(.content) == nil)
        #expect(queue.kind == .animation)
    }
}

@Suite struct SessionStateTests {
    private let frame = RegionFrame(.nothing, in: CellRect(column: 0, row: 0, columns: 1, rows: 1))

    private func isDraw(_ step: SessionState.Step, _ region: Int) -> Bool {
        if case .draw(let entry) = step { entry.region == region } else { false }
    }

    @Test func framesWaitForTheAnswerAndTheEndDoesNot() {
        var state = SessionState(size: TerminalSize(columns: 80, rows: 24))
        let (first, second) = (state.makeRegion(), state.makeRegion())
        state.add(frame, region: first, kind: .content)
        state.add(frame, region: second, kind: .content)
        #expect(isDraw(state.next(at: .zero), first))
        state.write(at: .zero)
        guard case .wait(until: .milliseconds(500)) = state.next(at: .zero) else {
            Issue.record("no wait")
            return
        }
        state.recordAnswer()
        #expect(isDraw(state.next(at: .zero), second))
        state.end()
        guard case .end = state.next(at: .zero) else {
            Issue.record("no end")
            return
        }
    }

    @Test func aNewSizeDropsFramesOfTheFormerOne() {
        var state = SessionState(size: TerminalSize(columns: 80, rows: 24))
        state.add(frame, region: state.makeRegion(), kind: .content)
        state.resize(to: TerminalSize(columns: 40, rows: 10))
        guard case .restart(let size) = state.next(at: .zero), size.columns == 40 else {
            Issue.record("no restart")
            return
        }
        guard case .wait(until: nil) = state.next(at: .zero) else {
            Issue.record("a frame is left")
            return
        }
    }
}
