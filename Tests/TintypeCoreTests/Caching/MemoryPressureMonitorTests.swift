import CEventFD
import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct MemoryPressureMonitorTests {
    /// A monitor whose notifications do not reach the animations of other tests.
    private func makeMonitor(
        pool: PixelPool = .shared, _ sources: @escaping @Sendable () -> [PressureSource] = { [] }
    ) -> MemoryPressureMonitor {
        MemoryPressureMonitor(sources: sources, pool: pool, frames: FrameMemory())
    }

    private func filledCache() throws -> MemoryCache {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        let size = PixelSize(width: 16, height: 1)
        for number in 0..<10 {
            let image = Image(
                pixels: try .filled(Pixel(red: 1, green: 2, blue: 3), size: size),
                info: ImageInfo(format: .png, size: size))
            cache.store(image, for: CacheKey(source: "\(number)"))
        }
        return cache
    }

    /// A socket becomes urgent when out-of-band data arrives, as a pressure file does under memory pressure.
    @Test(arguments: [(MemoryPressure.some, 5 * (64 + 1 + MemoryEntry.overhead)), (.critical, 0)])
    func aKernelNotificationMakesCachesShrink(_ pressure: MemoryPressure, _ remainder: Int) async throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let monitor = makeMonitor { [descriptor = ends[0]] in
            [PressureSource(descriptor: descriptor, pressure: pressure)]
        }
        let cache = try filledCache()
        monitor.add(cache)
        let signals = Shared(0)
        // Called when all caches have shrunk.
        monitor.addHandler { _ in signals.withLock { $0 += 1 } }
        var byte: UInt8 = 1
        guard send(ends[1], &byte, 1, Int32(MSG_OOB)) == 1 else {
            // Linux before 5.15 has no out-of-band data on Unix sockets.
            return monitor.signal(pressure)
        }
        await signals.wait { $0 > 0 }
        #expect(cache.totalCost <= remainder)
        var taken: UInt8 = 0
        _ = recv(ends[0], &taken, 1, Int32(MSG_OOB))
    }

    /// A program that stores no images pays for no trigger, whose removal delays the end of the process.
    @Test func nothingIsOpenedBeforeACacheHoldsAnImage() async throws {
        let counter = eventfd(0, Int32(EFD_NONBLOCK))
        try #require(counter >= 0)
        let openings = Locked(0)
        let monitor = makeMonitor {
            openings.withLock { $0 += 1 }
            return [PressureSource(descriptor: counter, pressure: .critical, kind: .counter)]
        }
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        monitor.add(cache)
        cache.clear()
        #expect(!monitor.isListening && openings.withLock { $0 } == 0)
        let size = PixelSize(width: 16, height: 1)
        for name in ["a", "b"] {
            let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: size)
            cache.store(Image(pixels: pixels, info: ImageInfo(format: .png, size: size)), for: CacheKey(source: name))
        }
        monitor.add(try filledCache())
        while !monitor.isListening { await Task.yield() }
        #expect(openings.withLock { $0 } == 1)
    }

    @Test func theMonitorDoesNotKeepCachesAlive() throws {
        let monitor = makeMonitor()
        #expect(!monitor.isListening)
        weak var released: MemoryCache?
        do {
            let cache = try filledCache()
            monitor.add(cache)
            released = cache
        }
        #expect(released == nil)
        let cache = try filledCache()
        monitor.add(cache)
        monitor.signal(.critical)
        #expect(cache.totalCount == 0)
    }

    @Test func pressureIsPassedToHandlers() {
        let monitor = makeMonitor()
        let received = Shared<[MemoryPressure]>([])
        monitor.addHandler { pressure in received.withLock { $0.append(pressure) } }
        monitor.signal(.some)
        monitor.signal(.critical)
        #expect(received.now == [.some, .critical])
        #expect(!monitor.isListening)
    }

    @Test(arguments: [MemoryPressure.some, .critical]) func pressureFreesIdlePixelMemory(_ pressure: MemoryPressure)
        throws
    {
        let pool = PixelPool(limit: 8 << 20)
        pool.put(try #require(pool.take(2 << 20)))
        #expect(pool.idleByteCount == 2 << 20)
        makeMonitor(pool: pool).signal(pressure)
        #expect(pool.idleByteCount == 0)
    }

    /// The pool would keep it for half a minute.
    @Test func memoryThatPressureMakesIdleIsFreedToo() throws {
        let pool = PixelPool(limit: 8 << 20)
        let block = try #require(pool.take(2 << 20))
        let monitor = makeMonitor(pool: pool)
        monitor.addHandler { _ in pool.put(block) }
        monitor.signal(.some)
        #expect(pool.idleByteCount == 0)
    }

    /// The v1 memory controller notifies through such a counter.
    @Test func aCounterMakesCachesShrinkAndIsReset() async throws {
        let counter = eventfd(0, Int32(EFD_NONBLOCK))
        try #require(counter >= 0)
        let source = PressureSource(descriptor: counter, pressure: .critical, kind: .counter)
        let monitor = makeMonitor { [source] }
        let cache = try filledCache()
        monitor.add(cache)
        let signals = Shared(0)
        monitor.addHandler { _ in signals.withLock { $0 += 1 } }
        var one: UInt64 = 1
        #expect(write(counter, &one, 8) == 8)
        await signals.wait { $0 > 0 }
        #expect(cache.totalCost == 0)
        var rest: UInt64 = 0
        #expect(read(counter, &rest, 8) == -1 && errno == EAGAIN)
    }

    /// The write end of a pipe reports an error when the read end is closed.
    @Test func aSourceThatIsGoneIsReported() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        let gone = PressureSource(descriptor: ends[1], pressure: .some)
        let counter = eventfd(1, Int32(EFD_NONBLOCK))
        let urgent = PressureSource(descriptor: counter, pressure: .critical, kind: .counter)
        let (first, second) = PressureSource.wait(for: [gone, urgent], nil)
        #expect(first == [urgent] && second == [gone])
        close(ends[1])
        close(counter)
    }

    @Test func aPressureLevelRegistersAtItsV1Group() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        #expect(PressureLevel(folder: path, pressure: .some).open() == nil)
        for name in ["memory.pressure_level", "cgroup.event_control"] {
            try Data().write(to: folder.appending(path: name))
        }
        let source = try #require(PressureLevel(folder: path, pressure: .some).open())
        let text = try String(contentsOf: folder.appending(path: "cgroup.event_control"), encoding: .utf8)
        let words = text.split(separator: " ")
        #expect(words.count == 3 && words[0] == "\(source.descriptor)" && Int(words[1]) != nil && words[2] == "medium")
        #expect(PressureLevel(folder: path, pressure: .critical).name == "critical")
        close(source.descriptor)
    }

    @Test func aTriggersTextHasItsStallAndWindow() {
        let some = PressureTrigger(path: "/x", pressure: .some, stall: 150_000)
        #expect(some.text == "some 150000 2000000")
        #expect(PressureTrigger(path: "/x", pressure: .critical, stall: 1, window: 2).text == "full 1 2")
        #expect(PressureTrigger(path: "/does/not/exist", pressure: .some, stall: 1).open() == nil)
    }
}

@Suite struct PressureWatchTests {
    private let trigger = PressureSource(descriptor: 1, pressure: .some)
    private let critical = PressureSource(descriptor: 2, pressure: .critical)
    private let counter = PressureSource(descriptor: 3, pressure: .some, kind: .counter)

    @Test func theHighestPressureIsReturned() {
        var watch = PressureWatch([trigger, critical, counter])
        let worst = watch.record([trigger, critical], gone: [], at: .zero)
        let some = watch.record([trigger], gone: [], at: .zero)
        let none = watch.record([], gone: [], at: .zero)
        #expect(worst == .critical && some == .some && none == nil)
    }

    /// A source that stays urgent would otherwise be polled in a loop that uses a whole core.
    @Test func aSourceRestsAfterANotification() {
        for source in [trigger, counter] {
            var watch = PressureWatch([critical, source])
            _ = watch.record([source], gone: [], at: .seconds(1))
            let soon = watch.sourcesToPoll(at: .seconds(2))
            let later = watch.sourcesToPoll(at: .seconds(1) + PressureWatch.rest)
            #expect(soon.sources == [critical] && soon.timeout == PressureWatch.rest - .seconds(1))
            #expect(later.sources == [critical, source] && later.timeout == nil)
        }
    }

    @Test func theOtherSourcesArePolledWhenOneIsGone() {
        var watch = PressureWatch([trigger, counter])
        _ = watch.record([], gone: [trigger], at: .zero)
        let polled = watch.sourcesToPoll(at: .zero).sources
        #expect(polled == [counter] && !watch.isFinished)
        _ = watch.record([], gone: [counter], at: .zero)
        #expect(watch.isFinished)
    }
}
