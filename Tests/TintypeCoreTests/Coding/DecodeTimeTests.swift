import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct DecodeTimeTests {
    private let clock = ManualClock()

    private func run(_ seconds: Int, isCancelled: @escaping @Sendable () -> Bool = { false }) throws(TintypeError)
        -> Int
    {
        let time = DecodeTime(limit: .seconds(10), source: clock.timeSource)
        return try time.run(isCancelled: isCancelled) { isCancelled throws(TintypeError) in
            for second in 0..<seconds {
                clock.advance(by: .seconds(1))
                if isCancelled() { throw .cancelled }
                if second > 100 { return -1 }
            }
            return seconds
        }
    }

    @Test func aResultInTimeIsReturned() throws {
        #expect(try run(10) == 10)
    }

    @Test func exceedingTheTimeIsALimitAndNotACancellation() {
        let error = #expect(throws: TintypeError.self) { try run(50) }
        #expect(error?.code == .limitExceeded && error?.limit == .time)
        #expect(clock.uptime == .seconds(11))
    }

    @Test func aCancelledDecodeThrowsCancelled() {
        let error = #expect(throws: TintypeError.self) { try run(50, isCancelled: { true }) }
        #expect(error?.code == .cancelled && error?.limit == nil)
    }

    @Test func aWithdrawnCancellationInTimeIsNotALimit() {
        let calls = Shared(0)
        let error = #expect(throws: TintypeError.self) {
            try run(50) {
                calls.withLock { $0 += 1 }
                return calls.now == 1
            }
        }
        #expect(error?.code == .cancelled)
    }

    @Test func otherErrorsPassUnchanged() {
        let error = #expect(throws: TintypeError.self) {
            try DecodeTime().run(isCancelled: { false }) { _ throws(TintypeError) in throw .transformFailed("no") }
        }
        #expect(error?.code == .transformFailed)
    }
}
