import Testing
import TintypeTesting

@testable import TintypeHTTP

/// The rate of requests and of bytes, by a clock that the tests advance.
@Suite struct TokenBucketTests {
    @Test func aBurstStartsAtOnceAndTheRestAtTheRate() {
        var bucket = TokenBucket(StartRate(perSecond: 10, burst: 3))
        let waits = (0..<5).map { _ in bucket.take(at: .seconds(1)) }
        #expect(waits == [0, 0, 0, 100, 200].map { .milliseconds($0) })
    }

    @Test func tokensAccrueUpToTheBurst() {
        var bucket = TokenBucket(StartRate(perSecond: 10, burst: 2))
        for _ in 0..<2 { _ = bucket.take(at: .zero) }
        #expect(bucket.take(at: .seconds(100)) == .zero)
        #expect(bucket.take(at: .seconds(100)) == .zero)
        #expect(bucket.take(at: .seconds(100)) == .milliseconds(100))
    }

    @Test(arguments: [nil, StartRate(perSecond: 0, burst: 1)]) func withoutARateNothingWaits(_ rate: StartRate?) {
        var bucket = TokenBucket(rate)
        for _ in 0..<100 { #expect(bucket.take(at: .zero) == .zero) }
    }

    @Test(arguments: [1, 0.5]) func aSlowRateIsALimitToo(_ perSecond: Double) {
        var bucket = TokenBucket(StartRate(perSecond: perSecond, burst: 1))
        let waits = (0..<2).map { _ in bucket.take(at: .zero) }
        #expect(waits == [.zero, .seconds(1 / perSecond)])
    }

    @Test func aPartOfATokenMakesNobodyWait() {
        var bucket = TokenBucket(TokenBucket.Rate(perSecond: 1, burst: 2))
        _ = bucket.take(2, at: .zero)
        // One and a half tokens have accrued.
        #expect(bucket.take(at: .milliseconds(1500)) == .zero)
    }

    @Test func aRateOfNoBytesIsOneByte() {
        #expect(TokenBucket.Rate(bytesPerSecond: 0).perSecond == 1)
    }

    @Test func aBurstOfZeroIsOne() {
        var bucket = TokenBucket(StartRate(perSecond: 10, burst: 0))
        let waits = (0..<2).map { _ in bucket.take(at: .zero) }
        #expect(waits == [.zero, .milliseconds(100)])
    }

    @Test func anEarlierTimeTakesNoTokensAway() {
        var bucket = TokenBucket(StartRate(perSecond: 10, burst: 3))
        let waits = [2, 1, 1, 1].map { bucket.take(at: .seconds($0)) }
        #expect(waits == [0, 0, 0, 100].map { .milliseconds($0) })
    }

    /// Bytes have arrived already, so they are never refused: the next ones wait.
    @Test(arguments: [
        ([(0, 100)], [0]), ([(0, 101)], [1]), ([(0, 100), (0, 500)], [0, 500]), ([(0, 600), (300, 0)], [500, 200]),
        ([(0, 600), (500, 0), (600, 100)], [500, 0, 0]), ([(0, 0), (10_000, 200)], [0, 100]),
        ([(0, 1_000_100)], [1_000_000]),
    ])
    func bytesThatArriveWaitForTheirTokens(_ arrivals: [(Int, Int)], _ waits: [Int]) {
        // 1 byte in a millisecond, and a burst of 100.
        var bucket = TokenBucket(TokenBucket.Rate(bytesPerSecond: 1000))
        let measured = arrivals.map { time, count in bucket.take(count, at: .milliseconds(time)) }
        #expect(measured == waits.map { .milliseconds($0) })
    }

    /// Whatever the sizes of the parts, no more than the burst arrives ahead of the rate.
    @Test func theRateHoldsInTheLongRun() {
        var random = SeededRandom.printed("theRateHoldsInTheLongRun")
        var bucket = TokenBucket(TokenBucket.Rate(bytesPerSecond: 5000))
        var (now, count) = (Duration.zero, 0)
        for _ in 0..<1000 {
            let part = Int.random(in: 0...2000, using: &random)
            count += part
            now += bucket.take(part, at: now)
            #expect(Double(count) <= 5000 * (now / .seconds(1)) + 501)
        }
        #expect(Double(count) >= 5000 * (now / .seconds(1)) - 1)
    }
}
