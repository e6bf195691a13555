import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PixelPoolTests {
    private let class1 = PixelPoolState.smallestCapacity

    private func block(_ address: UInt, _ capacity: Int? = nil) -> PixelBlock {
        PixelBlock(address: address, capacity: capacity ?? class1)
    }

    @Test func aSizeClassWastesAtMostAnEighth() {
        for byteCount in [1 << 20, (1 << 20) + 1, 1_500_000, 48_000_000, 64 << 20, (64 << 20) + 1, 1 << 40] {
            let capacity = PixelPoolState.capacity(for: byteCount)
            #expect(capacity >= byteCount && capacity - byteCount <= byteCount / 8)
            #expect(PixelPoolState.capacity(for: capacity) == capacity)
        }
        #expect(PixelPoolState.capacity(for: 4096) == 4096)
        #expect(PixelPoolState.capacity(for: 0) == 1)
        #expect(PixelPoolState.capacity(for: .max) == .max)
    }

    @Test func theNewestBlockIsTakenFirst() {
        var pool = PixelPoolState(limit: 10 * class1)
        for one in [block(1), block(2), block(3, 2 * class1)] { #expect(pool.put(one, at: .zero).released.isEmpty) }
        #expect(pool.byteCount == 4 * class1)
        #expect(pool.take(class1) == block(2))
        #expect(pool.take(class1) == block(1))
        #expect(pool.take(class1) == nil)
        #expect(pool.byteCount == 2 * class1)
    }

    @Test func beyondTheLimitTheLongestIdleBlocksAreReleased() {
        var pool = PixelPoolState(limit: 3 * class1)
        for address in UInt(1)...3 { #expect(pool.put(block(address), at: .zero).released.isEmpty) }
        #expect(pool.put(block(4), at: .zero).released == [block(1)])
        #expect(pool.put(block(5, 2 * class1), at: .zero).released == [block(2), block(3)])
        #expect(pool.put(block(6, 4 * class1), at: .zero).released == [block(6, 4 * class1)])
        #expect(pool.put(block(7, class1 - 1), at: .zero).released == [block(7, class1 - 1)])
        #expect(pool.trim(to: 0) == [block(4), block(5, 2 * class1)])
        #expect(pool.byteCount == 0)
    }

    @Test func aLowerLimitTakesEffectAtOnce() {
        var pool = PixelPoolState(limit: 3 * class1)
        for address in UInt(1)...3 { _ = pool.put(block(address), at: .zero) }
        #expect(pool.setLimit(class1) == [block(1), block(2)])
        #expect(pool.setLimit(-5) == [block(3)])
    }

    @Test func randomSequencesKeepTheSumAndTheLimit() {
        var random = SeededRandom.printed("pool")
        for _ in 0..<200 {
            var (pool, idle, address) = (PixelPoolState(limit: 6 * class1), Set<PixelBlock>(), UInt(1))
            for _ in 0..<30 {
                let capacity = Int.random(in: 1...4, using: &random) * class1
                if Bool.random(using: &random) {
                    let new = block(address, capacity)
                    address += 1
                    idle.insert(new)
                    idle.subtract(pool.put(new, at: .zero).released)
                } else if let taken = pool.take(capacity) {
                    #expect(idle.remove(taken) != nil)
                }
                #expect(pool.byteCount == idle.reduce(0) { $0 + $1.capacity } && pool.byteCount <= 6 * class1)
            }
        }
    }

    @Test func memoryIsReused() throws {
        let pool = PixelPool(limit: 8 << 20)
        let first = try #require(pool.take(2 << 20))
        pool.put(first)
        #expect(pool.idleByteCount == 2 << 20)
        #expect(pool.take(2 << 20) == first)
        pool.put(first)
        pool.trim()
        #expect(pool.idleByteCount == 0)
    }

    @Test func blocksThatAreIdleForTooLongAreReleased() {
        var pool = PixelPoolState(limit: 10 * class1, maximumIdleTime: .seconds(30))
        #expect(pool.put(block(1), at: .zero).wait == .seconds(30))
        #expect(pool.put(block(2, 2 * class1), at: .seconds(10)).wait == nil)
        #expect(pool.expire(at: .seconds(29)) == ([], .seconds(1)))
        #expect(pool.expire(at: .seconds(30)) == ([block(1)], .seconds(10)))
        // Reusing the block restarts its idle time.
        #expect(pool.take(2 * class1) == block(2, 2 * class1))
        #expect(pool.put(block(2, 2 * class1), at: .seconds(35)).wait == nil)
        #expect(pool.expire(at: .seconds(40)) == ([], .seconds(25)))
        #expect(pool.expire(at: .seconds(65)) == ([block(2, 2 * class1)], nil))
        #expect(pool.byteCount == 0)
        #expect(pool.put(block(3), at: .seconds(70)).wait == .seconds(30))
    }

    @Test func anIdlePoolReleasesItsMemoryWithoutACall() throws {
        let clock = ManualClock()
        let timers = Shared<[(Duration, @Sendable () -> Void)]>([])
        let pool = PixelPool(limit: 8 << 20, time: clock.timeSource) { wait, work in
            timers.withLock { $0.append((wait, work)) }
        }
        let (first, second) = try (#require(pool.take(2 << 20)), #require(pool.take(1 << 20)))
        pool.put(first)
        clock.advance(by: .seconds(20))
        pool.put(second)
        #expect(timers.now.map(\.0) == [.seconds(30)])
        clock.advance(by: .seconds(10))
        timers.now[0].1()
        #expect(pool.idleByteCount == 1 << 20 && timers.now.map(\.0) == [.seconds(30), .seconds(20)])
        clock.advance(by: .seconds(20))
        timers.now[1].1()
        #expect(pool.idleByteCount == 0 && timers.now.count == 2)
    }
}
