import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimit(.minutes(15))) struct MemoryPressureMonitorTests {
    private func filledCache() throws -> MemoryCache {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        let size = PixelSize(width: 16, height: 1)
        for number in 0..<10 {
            let image = Image(
                pixels: try .filled(Pixel(red: 1, green: 2, blue: 3), size), info: ImageInfo(format: .png, size: size))
            cache.store(image, for: CacheKey(source: "\(number)"))
        }
        return cache
    }

    /// A socket is urgent when a byte out of band has come, as a file of the kernel is when memory is short.
    @Test(arguments: [(MemoryPressure.some, 320), (.critical, 0)])
    func theKernelsWordMakesCachesShrink(_ pressure: MemoryPressure, _ remainder: Int) async throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let monitor = MemoryPressureMonitor(sources: [PressureSource(descriptor: ends[0], pressure: pressure)])
        #expect(monitor.isListening)
        let cache = try filledCache()
        monitor.add(cache)
        var byte: UInt8 = 1
        guard send(ends[1], &byte, 1, Int32(MSG_OOB)) == 1 else {
            // Linux before 5.15 has no bytes out of band between two ends on one machine.
            return monitor.signal(pressure)
        }
        while cache.totalCost > remainder { await Task.yield() }
        var taken: UInt8 = 0
        _ = recv(ends[0], &taken, 1, Int32(MSG_OOB))
    }

    @Test func aCacheThatIsGoneIsForgotten() throws {
        let monitor = MemoryPressureMonitor(sources: [])
        #expect(!monitor.isListening)
        do { monitor.add(try filledCache()) }
        let cache = try filledCache()
        monitor.add(cache)
        monitor.signal(.critical)
        #expect(cache.totalCount == 0)
    }

    @Test(arguments: [MemoryPressure.some, .critical]) func idleBitmapsGoBack(_ pressure: MemoryPressure) throws {
        let pool = PixelPool(limit: 8 << 20)
        pool.put(try #require(pool.take(2 << 20)))
        #expect(pool.idleByteCount == 2 << 20)
        MemoryPressureMonitor(sources: [], pool: pool).signal(pressure)
        #expect(pool.idleByteCount == 0)
    }

    @Test func aTriggerSaysHowLongWithinWhich() {
        let some = PressureTrigger(path: "/x", pressure: .some, stall: 150_000)
        #expect(some.text == "some 150000 2000000")
        #expect(PressureTrigger(path: "/x", pressure: .critical, stall: 1, window: 2).text == "full 1 2")
        #expect(PressureTrigger(path: "/does/not/exist", pressure: .some, stall: 1).open() == nil)
    }
}
