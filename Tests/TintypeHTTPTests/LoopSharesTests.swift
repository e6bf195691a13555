import Testing

@testable import TintypeHTTP

@Suite struct LoopSharesTests {
    @Test func theLoopWithTheFewestGetsTheNext() {
        var shares = LoopShares(loopCount: 3)
        var given = (0..<6).map { _ in shares.enter() }
        #expect(given == [0, 1, 2, 0, 1, 2])
        shares.leave(1)
        shares.leave(2)
        given = (0..<3).map { _ in shares.enter() }
        #expect(given == [1, 2, 0])
    }

    /// So that they find the connection that is there.
    @Test func oneAfterTheOtherGoToTheSame() {
        var shares = LoopShares(loopCount: 4)
        for _ in 0..<3 {
            let loop = shares.enter()
            #expect(loop == 0)
            shares.leave(loop)
        }
    }
}
