import Testing

@testable import TintypeCore
@testable import TintypeViews

@Suite struct LoadScheduleTests {
    private typealias Action = LoadSchedule.Action
    private let grace = Presentation.WhenHidden.pauses(after: .seconds(2))

    private func schedule(
        _ start: Presentation.Start = .immediate, _ whenHidden: Presentation.WhenHidden = .pauses(after: .seconds(2)),
        isVisible: Bool = true
    ) -> LoadSchedule {
        LoadSchedule(.high, Presentation(start: start, whenHidden: whenHidden), isVisible: isVisible)
    }

    @Test func anImmediateLoadStartsAtOnce() {
        var schedule = schedule()
        #expect(schedule.open(at: .zero) == [.start(.high)])
        #expect(schedule.begin(at: .zero) == [] && schedule.phase == .running)
    }

    @Test func aDeferredLoadStartsWhenItIsNeeded() {
        var schedule = schedule(.deferred)
        #expect(schedule.open(at: .zero) == [] && schedule.phase == .deferred)
        #expect(schedule.begin(at: .zero) == [.start(.high)])
        #expect(schedule.begin(at: .zero) == [])
    }

    @Test func aDeferredLoadThatBeginsWhileItIsHiddenStopsAfterTheGracePeriod() {
        var schedule = schedule(.deferred, isVisible: false)
        #expect(schedule.begin(at: .seconds(5)) == [.start(.veryLow)] && schedule.deadline == .seconds(7))
    }

    @Test(arguments: [Presentation.WhenHidden.yields, .pauses(after: .seconds(2))])
    func hidingLowersThePriorityAndShowingRaisesIt(_ whenHidden: Presentation.WhenHidden) {
        var schedule = schedule(.immediate, whenHidden)
        _ = schedule.open(at: .zero)
        #expect(schedule.setVisible(false, at: .zero) == [.prioritize(.veryLow)])
        #expect(schedule.setVisible(false, at: .zero) == [])
        #expect(schedule.setVisible(true, at: .seconds(1)) == [.prioritize(.high)])
        #expect(schedule.deadline == nil)
    }

    @Test func aLoadThatContinuesDoesNotNoticeThatItIsHidden() {
        var schedule = schedule(.immediate, .continues)
        _ = schedule.open(at: .zero)
        #expect(schedule.setVisible(false, at: .zero) == [] && schedule.deadline == nil)
    }

    @Test func aHiddenLoadStopsAfterTheGracePeriodAndStartsAgain() {
        var schedule = schedule()
        _ = schedule.open(at: .zero)
        _ = schedule.setVisible(false, at: .seconds(10))
        #expect(schedule.deadline == .seconds(12))
        #expect(schedule.expire(at: .seconds(11), fraction: nil) == [])
        #expect(schedule.expire(at: .seconds(12), fraction: nil) == [.stop] && schedule.phase == .paused)
        #expect(schedule.setVisible(true, at: .seconds(20)) == [.start(.high)] && schedule.phase == .running)
    }

    @Test(arguments: [(0.5, true), (0.51, false), (1, false)])
    func aLoadPastHalfContinues(_ fraction: Double, _ stops: Bool) {
        var schedule = schedule()
        _ = schedule.open(at: .zero)
        _ = schedule.setVisible(false, at: .zero)
        #expect(schedule.expire(at: .seconds(2), fraction: fraction) == (stops ? [.stop] : []))
        #expect(schedule.deadline == nil)
    }

    @Test func aLoadThatStartsHiddenHasTheLowestPriorityAndADeadline() {
        var schedule = schedule(isVisible: false)
        #expect(schedule.open(at: .seconds(1)) == [.start(.veryLow)] && schedule.deadline == .seconds(3))
    }

    @Test func aDeferredLoadWaitsWhileItIsHidden() {
        var schedule = schedule(.deferred)
        _ = schedule.open(at: .zero)
        #expect(schedule.setVisible(false, at: .zero) == [] && schedule.deadline == nil)
        #expect(schedule.setVisible(true, at: .zero) == [] && schedule.phase == .deferred)
    }

    private enum Event: CaseIterable { case begin, hide, show, expire, expirePastHalf }

    @Test(arguments: [Presentation.Start.immediate, .deferred])
    func everySequenceOfFiveEventsKeepsTheInvariants(_ start: Presentation.Start) {
        for whenHidden in [Presentation.WhenHidden.continues, .yields, grace] {
            var schedule = LoadSchedule(.high, Presentation(start: start, whenHidden: whenHidden), isVisible: true)
            let actions = schedule.open(at: .zero)
            walk(schedule, running: actions.contains { $0.isStart }, isVisible: true, hasBegun: start == .immediate, 5)
        }
    }

    private func walk(_ schedule: LoadSchedule, running: Bool, isVisible: Bool, hasBegun: Bool, _ depth: Int) {
        guard depth > 0 else { return }
        for event in Event.allCases {
            var (schedule, running, isVisible, hasBegun) = (schedule, running, isVisible, hasBegun)
            let actions: [Action]
            switch event {
            case .begin: (actions, hasBegun) = (schedule.begin(at: .zero), true)
            case .hide: (actions, isVisible) = (schedule.setVisible(false, at: .zero), false)
            case .show: (actions, isVisible) = (schedule.setVisible(true, at: .zero), true)
            case .expire: actions = schedule.expire(at: .seconds(5), fraction: nil)
            case .expirePastHalf: actions = schedule.expire(at: .seconds(5), fraction: 0.9)
            }
            for action in actions {
                switch action {
                case .start:
                    if running { Issue.record("a running load is started") }
                    running = true
                case .stop:
                    if !running || isVisible { Issue.record("a load is stopped that does not run, or is visible") }
                    running = false
                case .prioritize:
                    if !running { Issue.record("the priority of a load changes that does not run") }
                }
            }
            if running != (schedule.phase == .running) { Issue.record("the phase is wrong") }
            if isVisible, schedule.phase == .paused || schedule.deadline != nil {
                Issue.record("a visible load is paused, or will be")
            }
            if isVisible, hasBegun, !running || schedule.priority != .high {
                Issue.record("a visible load does not run at its priority")
            }
            walk(schedule, running: running, isVisible: isVisible, hasBegun: hasBegun, depth - 1)
        }
    }
}

extension LoadSchedule.Action {
    fileprivate var isStart: Bool { if case .start = self { true } else { false } }
}
