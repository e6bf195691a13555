import NIOHTTP2
import Testing
import TintypeTesting

@testable import TintypeHTTP

@Suite struct HTTP2StreamLimitTests {
    private func streams(_ limits: Int...) -> HTTP2Settings {
        limits.map { HTTP2Setting(parameter: .maxConcurrentStreams, value: $0) }
    }

    private let window = HTTP2Setting(parameter: .initialWindowSize, value: 70_000)

    @Test func aLimitIsHeldWhileNoStreamIsOpen() {
        var limit = HTTP2StreamLimit()
        #expect(limit.receive(streams(5) + [window]) == .deliver([window]))
        #expect(limit.receive(streams(6)) == .none && limit.receive(streams(7, 8)) == .none)
        #expect(limit.takeHeld() == .none)
        limit.beginStream()
        #expect(limit.takeHeld() == .deliver(streams(8)) && limit.takeHeld() == .none)
    }

    @Test func aLimitIsDeliveredWhileAStreamIsOpen() {
        var limit = HTTP2StreamLimit()
        limit.beginStream()
        #expect(limit.receive(streams(0)) == .deliver(streams(0)))
        #expect(limit.receive(streams(3) + [window]) == .deliver(streams(3) + [window]))
        #expect(limit.endStream() == .none && limit.takeHeld() == .none)
    }

    /// The stream may end before the limit is delivered.
    @Test func aLimitStaysHeldWhenItsStreamHasEnded() {
        var limit = HTTP2StreamLimit()
        #expect(limit.receive(streams(2)) == .none)
        limit.beginStream()
        #expect(limit.endStream() == .none && limit.takeHeld() == .none)
        limit.beginStream()
        #expect(limit.takeHeld() == .deliver(streams(2)))
    }

    @Test func otherSettingsAreDelivered() {
        var limit = HTTP2StreamLimit()
        #expect(limit.receive([]) == .deliver([]) && limit.receive([window]) == .deliver([window]))
        #expect(limit.endStream() == .none && limit.takeHeld() == .none)
    }

    @Test func aConnectionThatPermitsNoStreamsIsClosedOnceItHasNone() {
        var limit = HTTP2StreamLimit()
        #expect(limit.receive(streams(0)) == .close && limit.receiveGoAway() == .close)
        limit.beginStream()
        limit.beginStream()
        #expect(limit.receiveGoAway() == .none && limit.receive(streams(0)) == .deliver(streams(0)))
        #expect(limit.endStream() == .none && limit.endStream() == .close)
    }

    /// The client has an idle timer exactly while no stream is open: none of its timers is set twice.
    @Test func everyShortHistoryKeepsTheClientsExpectations() {
        for history in 0..<(5 * 5 * 5 * 5 * 5) {
            var (limit, open, known, isClosed) = (HTTP2StreamLimit(), 0, 100, false)
            var rest = history
            for _ in 0..<5 where !isClosed {
                let event = rest % 5
                rest /= 5
                let action: HTTP2StreamLimit.Action =
                    switch event {
                    case 0: limit.receive(streams(0))
                    case 1: limit.receive(streams(9))
                    case 2: limit.takeHeld()
                    case 3 where open < known:
                        {
                            limit.beginStream()
                            open += 1
                            return .none
                        }()
                    case 4 where open > 0:
                        {
                            open -= 1
                            return limit.endStream()
                        }()
                    default: .none
                    }
                switch action {
                case .none: break
                case .deliver(let settings):
                    #expect(open > 0)
                    known = settings.last?.value ?? known
                case .close:
                    #expect(open == 0)
                    isClosed = true
                }
            }
            // A client that waits for a larger limit has a stream whose end it sees.
            #expect(isClosed || open > 0 || known > 0)
        }
    }
}
