import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A list of ten thousand cells that is scrolled fast, on the manual clock.
@Suite(.timeLimited) struct ScrollTests {
    /// A loader whose loads end at given times of the manual clock.
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

        /// Ends the loads that are due.
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

    /// Counts decodes, and those that began without a waiter.
    private final class WaiterCheckingDecoder: ImageDecoder {
        let formats: Set<ImageFormat> = [.png]
        let decodes = Shared(0)
        let withoutWaiters = Shared(0)

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            ImageInfo(format: .png, size: PixelSize(width: 1, height: 1))
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            // Checked before counting: the test continues, and may cancel, as soon as the count is reached.
            if context.isCancelled() { withoutWaiters.withLock { $0 += 1 } }
            decodes.withLock { $0 += 1 }
            let size = PixelSize(width: 1, height: 1)
            let pixels = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size)
            return Image(pixels: pixels, info: ImageInfo(format: .png, size: size))
        }
    }

    /// The time to load the image of a cell: 10 to 50 milliseconds.
    private static func latency(_ cell: Int) -> Int { 10 + cell * 37 % 41 }

    /// A cell comes into view every millisecond and leaves after 30 ms.
    @Test func noDecodeStartsForAHiddenCell() async throws {
        let decoder = WaiterCheckingDecoder()
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
            await loader.begun.wait { $0 > now }
            loader.release()
            expected += visible.keys.count { $0 + Self.latency($0) == now }
            await decoder.decodes.wait { [expected] in $0 >= expected }
            clock.advance(by: .milliseconds(1))
        }
        fixture.pipeline.cancelAll()
        while !fixture.pipeline.activity.isIdle { await Task.yield() }
        #expect(decoder.decodes.now == expected && decoder.withoutWaiters.now == 0)
        #expect(expected > 1000 && expected < 9000)
    }

    /// Visible images are decoded before prefetched ones that have waited longer.
    @Test func visibleCellsAreDecodedFirst() async throws {
        let decoder = NameRecordingDecoder()
        let decoding = DecodesBegun()
        let fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [decoder])
            $0.observers = [decoding]
        }
        // Holds every thread of the pixel queue, so that the decodes wait in the queue.
        let width = ProcessInfo.processInfo.activeProcessorCount
        let held = Shared(0)
        let release = DispatchSemaphore(value: 0)
        for _ in 0..<width {
            WorkQueue.pixels.enqueue(at: .veryHigh) {
                held.withLock { $0 += 1 }
                release.wait()
            }
        }
        await held.wait { $0 >= width }
        func start(_ name: String, at priority: ImagePriority) -> ImageTask {
            fixture.answer(name, .data(PipelineFixture.png + Data(name.utf8)))
            return fixture.pipeline.start(fixture.request(name).priority(priority))
        }
        let invisible = (10..<30).map { start("low \($0)", at: .veryLow) }
        let visible = (10..<30).map { start("high \($0)", at: .high) }
        let all = invisible.count + visible.count
        await decoding.count.wait { $0 >= all }
        while WorkQueue.pixels.waitingCount < all { await Task.yield() }
        // Releases a single thread, so that decodes end in the order in which they begin.
        release.signal()
        for task in visible + invisible { _ = try await task.response }
        for _ in 1..<width { release.signal() }
        // On a busy machine one or two may not have been queued yet.
        let first = decoder.names.now.prefix(visible.count)
        #expect(first.count { $0.hasPrefix("high") } >= visible.count - 2, "\(decoder.names.now)")
    }

    /// Records the decoded images by name. The bytes end with the name.
    private final class NameRecordingDecoder: ImageDecoder {
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
