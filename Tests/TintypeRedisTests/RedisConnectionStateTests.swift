import Foundation
import Testing
import TintypeCore

@testable import TintypeRedis

/// Feeds events to the state of a connection. The calls are numbers.
@Suite struct RedisConnectionStateTests {
    private typealias State = RedisConnectionState<Int>

    private static let configuration: RedisConfiguration = {
        var configuration = RedisConfiguration(host: "cache.example")
        (configuration.connectTimeout, configuration.commandTimeout) = (.seconds(10), .seconds(2))
        return configuration
    }()

    private func openState(now: Duration = .zero) -> State {
        var state = State(Self.configuration, now: now)
        _ = state.connected()
        _ = state.received(.map([]))
        return state
    }

    /// The number in a reaction that delivers the reply of the same number.
    private func delivered(_ reaction: State.Reaction) -> Int? {
        guard case .deliver(let call, .integer(let reply)) = reaction, Int64(call) == reply else { return nil }
        return call
    }

    private func isNothing(_ reaction: State.Reaction) -> Bool {
        if case .nothing = reaction { true } else { false }
    }

    @Test func callsWaitForTheHandshake() {
        var state = State(Self.configuration, now: .zero)
        var isSent = [state.submit(1, now: .zero)]
        _ = state.connected()
        isSent += [state.submit(2, now: .zero), state.submit(3, now: .zero)]
        guard case .opened = state.received(.map([])) else {
            Issue.record("not open")
            return
        }
        let taken = state.takeWaiting(now: .seconds(1)) { $0 != 2 }
        isSent.append(state.submit(4, now: .seconds(1)))
        #expect(taken == [1, 3] && isSent == [false, false, false, true])
        let order = [1, 3, 4].map { delivered(state.received(.integer(Int64($0)))) }
        #expect(order == [1, 3, 4])
        #expect(state.callCount == 0)
    }

    /// The events after the handshake.
    private enum Event: CaseIterable {
        case submit, reply, push, error
    }

    @Test func everyShortSequenceDeliversRepliesInTheOrderOfTheCalls() {
        let events = Event.allCases
        for length in 1...6 {
            for number in 0..<Int(pow(Double(events.count), Double(length))) {
                var rest = number
                let sequence = (0..<length).map { _ in
                    defer { rest /= events.count }
                    return events[rest % events.count]
                }
                check(sequence)
            }
        }
    }

    private func check(_ sequence: [Event]) {
        var (state, submitted, answered) = (openState(), 0, 0)
        for event in sequence {
            switch event {
            case .submit:
                submitted += 1
                let isSent = state.submit(submitted, now: .zero)
                #expect(isSent)
            case .push:
                let reaction = state.received(.push([.simple("x")]))
                #expect(isNothing(reaction))
            case .reply, .error:
                let reply: RESPValue = event == .reply ? .integer(Int64(answered + 1)) : .error("ERR")
                let reaction = state.received(reply)
                guard answered < submitted else {
                    guard case .close(let error) = reaction else {
                        Issue.record("a reply to no command was accepted: \(sequence)")
                        return
                    }
                    #expect(error.code == .transport)
                    return
                }
                answered += 1
                guard case .deliver(answered, reply) = reaction else {
                    Issue.record("the reply went elsewhere: \(sequence)")
                    return
                }
            }
        }
        #expect(state.callCount == submitted - answered && state.hasAnswered == (answered > 0))
        let rest = state.close()
        #expect(rest == Array((answered + 1)..<(submitted + 1)))
    }

    @Test func theFirstCallHasTheDeadline() {
        var state = openState()
        #expect(state.deadline == nil)
        _ = state.submit(1, now: .seconds(1))
        _ = state.submit(2, now: .seconds(2))
        #expect(state.deadline == .seconds(3))
        #expect(state.expire(now: .seconds(2.9)) == nil)
        _ = state.received(.integer(1))
        #expect(state.deadline == .seconds(4) && state.expire(now: .seconds(3)) == nil)
        #expect(state.expire(now: .seconds(4))?.code == .timedOut)
        let rest = state.close()
        #expect(rest == [2])
        #expect(state.deadline == nil && state.phase == .closed)
    }

    @Test func theHandshakeHasADeadlineOfItsOwn() {
        var state = State(Self.configuration, now: .seconds(1))
        _ = state.submit(1, now: .seconds(1))
        #expect(state.deadline == .seconds(11))
        _ = state.connected()
        #expect(state.expire(now: .seconds(10.9)) == nil)
        #expect(state.expire(now: .seconds(11))?.code == .timedOut)
        let rest = state.close()
        #expect(rest == [1])
    }

    @Test func callsThatWaitedGetTheirWholeTime() {
        var state = State(Self.configuration, now: .zero)
        _ = state.submit(1, now: .zero)
        _ = state.connected()
        _ = state.received(.map([]))
        _ = state.takeWaiting(now: .seconds(9)) { _ in true }
        #expect(state.deadline == .seconds(11))
    }

    @Test func aClosedConnectionReactsToNothing() {
        var state = openState()
        _ = state.submit(1, now: .zero)
        let (calls, reaction, rest) = (state.close(), state.received(.integer(1)), state.close())
        #expect(calls == [1] && isNothing(reaction) && rest.isEmpty)
        #expect(state.expire(now: .seconds(100)) == nil)
    }

    @Test func aServerThatSpeaksFirstIsRefused() {
        var state = State(Self.configuration, now: .zero)
        guard case .close(let error) = state.received(.simple("220 mail.example")) else {
            Issue.record("accepted")
            return
        }
        #expect(error.code == .transport)
    }

    @Test func messagesComeInBothVersionsOfTheProtocol() {
        for values in [RESPValue.array([.simple("message")]), .push([.simple("message")])] {
            var state = State(Self.configuration, for: .messages, now: .zero)
            _ = state.connected()
            _ = state.received(.map([]))
            guard case .message([.simple("message")]) = state.received(values) else {
                Issue.record("no message")
                return
            }
        }
    }

    @Test func durationsAreRoundedUpToMilliseconds() {
        #expect(Duration.milliseconds(3).milliseconds == 3)
        #expect(Duration.nanoseconds(1).milliseconds == 1)
        #expect(Duration.seconds(-1).milliseconds == 0 && Duration.milliseconds(-1).milliseconds == 0)
        #expect(Duration.seconds(Int64.max).milliseconds == 1_000_000_000_000_000)
    }
}
