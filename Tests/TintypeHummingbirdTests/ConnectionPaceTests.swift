import Testing

@testable import TintypeHummingbird

@Suite struct ConnectionPaceTests {
    private func pace() -> ConnectionPace { ConnectionPace(readLimit: .seconds(10), writeLimit: .seconds(30)) }

    @Test func aConnectionWithoutRequestsIsNotWatched() {
        var pace = pace()
        #expect(pace.deadline == nil && !pace.isExceeded(at: .seconds(1000)))
        pace.received(at: .seconds(5))
        pace.requestEnded()
        #expect(pace.deadline == nil)
    }

    @Test func aRequestMustArriveWithinItsLimitHoweverManyBytesCome() {
        var pace = pace()
        for second in 5..<15 { pace.received(at: .seconds(second)) }
        #expect(pace.deadline == .seconds(15) && !pace.isExceeded(at: .milliseconds(14_999)))
        #expect(pace.isExceeded(at: .seconds(15)))
        pace.requestEnded()
        pace.received(at: .seconds(100))
        #expect(pace.deadline == .seconds(110))
    }

    @Test func aResponseMayTakeAsLongAsTheClientReads() {
        var pace = pace()
        for _ in 0..<3 { pace.wrote(at: .seconds(1)) }
        #expect(pace.deadline == .seconds(31))
        pace.sent(at: .seconds(20))
        pace.sent(at: .seconds(40))
        #expect(pace.deadline == .seconds(70) && pace.isExceeded(at: .seconds(70)))
        pace.sent(at: .seconds(60))
        #expect(pace.deadline == nil)
        // One more does not count as unsent work that is owed.
        pace.sent(at: .seconds(61))
        pace.wrote(at: .seconds(80))
        #expect(pace.deadline == .seconds(110))
    }

    @Test func theEarlierOfBothDeadlinesCounts() {
        var pace = pace()
        pace.wrote(at: .seconds(0))
        pace.received(at: .seconds(25))
        #expect(pace.deadline == .seconds(30))
        pace.sent(at: .seconds(29))
        #expect(pace.deadline == .seconds(35))
    }
}
