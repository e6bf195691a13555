import Testing

@testable import TintypeHTTP

@Suite struct LoopSharesTests {
    @Test func theLoopWithTheFewestExchangesGetsTheNext() {
        var shares = LoopShares(loopCount: 3)
        var loops = (0..<6).map { _ in shares.enter() }
        #expect(loops == [0, 1, 2, 0, 1, 2])
        shares.leave(1)
        shares.leave(2)
        loops = (0..<3).map { _ in shares.enter() }
        #expect(loops == [1, 2, 0])
    }

    @Test func anExchangeThatNeedsALoopGetsIt() {
        var shares = LoopShares(loopCount: 2)
        let loops = [1, 1, nil, nil, nil].map { shares.enter($0) }
        #expect(loops == [1, 1, 0, 0, 0])
    }

    /// They find the connection of the exchange before.
    @Test func sequentialExchangesUseTheSameLoop() {
        var shares = LoopShares(loopCount: 4)
        for _ in 0..<3 {
            let loop = shares.enter()
            #expect(loop == 0)
            shares.leave(loop)
        }
    }
}
