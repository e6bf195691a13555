import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// A list of ten thousand cells that is scrolled fast, on the manual clock.
@Suite(.timeLimit(.minutes(10))) struct ScrollTests {
    /// Loads that take a time of the manual clock, from the moment that their cell came into view.
    private final class ClockedLoader: ImageLoader {
        private let waiting = Shared<[(due: Duration, gate: Gate)]>([])
        private let clock: ManualClock
        private let due: @Sendable (String) -> Duration
        let begun = Shared(0)

        init(_ clock: ManualClock, due: @escaping @Sendable (String) -> Duration) {
            self.clock = clock
            self.due = due
        }

        func canLoad(_ source: ImageSource) -> Bool { true }

        @concurrent
        func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
            let gate = Gate()
            waiting.withLock { $0.append((due(source.identity), gate)) }
            begun.withLock { $0 += 1 }
            guard await gate.wait() else { throw .cancelled }
            return LoadedBytes(data: PipelineFixture.png, origin: .network)
        }

        /// Ends the loads whose time has come.
        func release() {
            let now = clock.uptime
            let due = waiting.withLock { waiting in
                let due = waiting.filter { $0.due <= now }.map(\.gate)
                waiting.removeAll { $0.due <= now }
                return due
            }
            for gate in due { gate.open() }
        }
    }

    /// Notes which pictures were decoded, and finds those that no one waited for when that began.
    private final class WatchingDecoder: ImageDecoder {
        let formats: Set<ImageFormat> = [.png]
        let decodes = Shared(0)
        let unwanted = Shared(0)

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            ImageInfo(format: .png, size: PixelSize(width: 1, height: 1))
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            // Asked before it is counted: the test goes on, and may cancel, as soon as the count is right.
            if context.isCancelled() { unwanted.withLock { $0 += 1 } }
            decodes.withLock { $0 += 1 }
            let size = PixelSize(width: 1, height: 1)
            let pixels = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size)
            return Image(pixels: pixels, info: ImageInfo(format: .png, size: size))
        }
    }

    /// How long the picture of a cell takes to load, in milliseconds: 10 to 50.
    private static func latency(_ cell: Int) -> Int { 10 + cell * 37 % 41 }

    /// A cell comes into view every millisecond and leaves after 30 ms.
    @Test func noDecodeStartsForACellThatHasLeft() async throws {
        let decoder = WatchingDecoder()
        let clock = ManualClock()
        let loader = ClockedLoader(clock) { source in
            let cell = Int(source.dropFirst("closure:".count)) ?? 0
            return .milliseconds(cell + Self.latency(cell))
        }
        let fixture = PipelineFixture {
            $0.loaders = [loader]
            $0.coders = ImageCoderRegistry(decoders: [decoder])
            $0.cache = ImageCache(memory: MemoryCache())
            $0.time = clock.timeSource
        }
        var visible: [Int: ImageTask] = [:]
        var expected = 0
        for now in 0..<10_000 {
            visible.removeValue(forKey: now - 30)?.cancel()
            visible[now] = fixture.pipeline.start(fixture.request("\(now)"))
            while loader.begun.now <= now { await Task.yield() }
            loader.release()
            expected += visible.keys.count { $0 + Self.latency($0) == now }
            while decoder.decodes.now < expected { await Task.yield() }
            clock.advance(by: .milliseconds(1))
        }
        fixture.pipeline.cancelAll()
        while !fixture.pipeline.activity.isIdle { await Task.yield() }
        #expect(decoder.decodes.now == expected && decoder.unwanted.now == 0)
        #expect(expected > 1000 && expected < 9000)
    }

    /// What is on screen is decoded before what is only prefetched, however long that has waited.
    @Test func visibleCellsComeFirst() async throws {
        let decoder = NotingDecoder()
        let decoding = DecodesBegun()
        let fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [decoder])
            $0.observers = [decoding]
        }
        // Every thread of the pixel queue is held, so that what follows has to wait in line.
        let width = ProcessInfo.processInfo.activeProcessorCount
        let held = Shared(0)
        let release = DispatchSemaphore(value: 0)
        for _ in 0..<width {
            WorkQueue.pixels.enqueue(at: .veryHigh) {
                held.withLock { $0 += 1 }
                release.wait()
            }
        }
        while held.now < width { await Task.yield() }
        func start(_ name: String, at priority: ImagePriority) -> ImageTask {
            fixture.answer(name, .data(PipelineFixture.png + Data(name.utf8)))
            return fixture.pipeline.start(fixture.request(name).priority(priority))
        }
        let invisible = (10..<30).map { start("low \($0)", at: .veryLow) }
        let visible = (10..<30).map { start("high \($0)", at: .high) }
        let all = invisible.count + visible.count
        while decoding.count.now < all || WorkQueue.pixels.waitingCount < all { await Task.yield() }
        // One thread alone, so that what begins first also ends first.
        release.signal()
        for task in visible + invisible { _ = try await task.response }
        for _ in 1..<width { release.signal() }
        // One or two may have been on their way to the line still, where other tests keep the machine busy.
        let first = decoder.names.now.prefix(visible.count)
        #expect(first.count { $0.hasPrefix("high") } >= visible.count - 2, "\(decoder.names.now)")
    }

    /// Notes what it decodes: the bytes end with the picture's name.
    private final class NotingDecoder: ImageDecoder {
        let formats: Set<ImageFormat> = [.png]
        let names = Shared<[String]>([])
        private let inner = GatedDecoder()

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            try inner.info(of: bytes, isComplete: isComplete)
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            let name = String(decoding: bytes.dropFirst(PipelineFixture.png.count), as: UTF8.self)
            names.withLock { $0.append(name) }
            return try inner.decode(bytes, context: context)
        }
    }
}
