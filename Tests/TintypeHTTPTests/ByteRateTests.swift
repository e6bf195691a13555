import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// ``DownloaderConfiguration/maximumBytesPerSecond``, by a clock that moves only to the next timer.
@Suite(.timeLimited) struct ByteRateTests {
    /// The timers that transfers have set.
    private final class Timers: Sendable {
        private typealias Timer = (due: Duration, body: @Sendable () -> Void)

        let manual = ManualClock()
        private let timers = Shared<[Timer]>([])

        var clock: TransferClock {
            TransferClock(
                uptime: { self.manual.uptime }, date: { self.manual.date }, sleep: { _ in },
                schedule: { delay, body in
                    let due = self.manual.uptime + delay
                    self.timers.withLock { $0.append((due, body)) }
                })
        }

        var count: Int { timers.now.count }

        /// Waits until a transfer has set a timer, or until the task is cancelled.
        func waitForTimer() async { await timers.wait { !$0.isEmpty } }

        /// Moves the clock to the next timer and fires it, if there is one.
        func fireNext() {
            let next = timers.withLock { timers -> Timer? in
                guard let index = timers.indices.min(by: { timers[$0].due < timers[$1].due }) else { return nil }
                return timers.remove(at: index)
            }
            guard let next else { return }
            manual.advance(by: max(.zero, next.due - manual.uptime))
            next.body()
        }
    }

    private static let rate = 100_000
    private static let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    private func configuration(_ timers: Timers) -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumBytesPerSecond = Self.rate
        // No limit, whose timer would move the clock.
        configuration.idleTimeout = .seconds(1 << 32)
        configuration.clock = timers.clock
        return configuration
    }

    /// Fires timers until an operation has ended.
    private func fireTimers<Value: Sendable>(
        _ timers: Timers, during operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // Cancelled when this function returns.
        async let _: Void = {
            while !Task.isCancelled {
                await timers.waitForTimer()
                timers.fireNext()
            }
        }()
        return try await operation()
    }

    /// Loads paths at once, and moves the clock until they have ended.
    private func load(_ paths: [String], _ load: @escaping Fixture.Load, _ timers: Timers) async throws {
        try await fireTimers(timers) {
            try await withThrowingTaskGroup(of: Data.self) { group in
                for path in paths { group.addTask { try await load(path).data } }
                for try await data in group { #expect(data == Self.body) }
            }
        }
    }

    @Test(arguments: [1, 3]) func allTransfersTogetherKeepTheRate(_ count: Int) async throws {
        let timers = Timers()
        try await Fixture.withOrigin(configuration(timers)) { origin, load in
            let paths = (0..<count).map { "/\($0)" }
            for path in paths { origin.serve(path, response: .image(Self.body, type: "image/png")) }
            try await self.load(paths, load, timers)
            let seconds = timers.manual.uptime / .seconds(1)
            let (bytes, rate) = (Double(count * Self.body.count), Double(Self.rate))
            // A tenth of a second is the burst, and every connection may read as much before it waits.
            #expect(seconds >= bytes / rate - 0.11 - 0.1 * Double(count), "\(seconds)")
            #expect(seconds <= bytes / rate + 0.01, "\(seconds)")
        }
    }

    /// The rest stays in the socket: the client takes nothing that it would have to hold.
    @Test func nothingArrivesWhileTheRateIsUsedUp() async throws {
        let timers = Timers()
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .image(Self.body, type: "image/png"))
            var request = TransportRequest(url: origin.url("/a"))
            request.readSize = TransferSettings.readSize(forBytesPerSecond: Self.rate)
            let stream = ResponseStream(
                to: request, over: CurlTransport.shared, timers.clock,
                at: TransferPace(totalTime: nil, from: .zero, rate: nil), under: TransferWatch(timers.clock),
                limitedBy: ByteRateLimiter(configuration(timers)))
            var count = 0
            while count < Self.body.count {
                let part = try await stream.part()
                try #require(!part.isEmpty)
                count += part.count
                let allowed = Double(Self.rate) * (timers.manual.uptime / .seconds(1) + 0.2)
                #expect(Double(count) <= allowed.rounded(.up))
                if count < Self.body.count { await timers.waitForTimer() }
                #expect(stream.response.takeProgress().wasPaused || count == Self.body.count)
                timers.fireNext()
            }
            // The end of the response waits for a timer as well, which refers to the stream.
            let rest = try await fireTimers(timers) { try await stream.part() }
            #expect(rest.isEmpty)
        }
    }

    @Test func aTransferThatWaitsCanBeCancelled() async throws {
        let timers = Timers()
        try await Fixture.withOrigin(configuration(timers)) { origin, load in
            origin.serve("/a", response: .image(Self.body, type: "image/png"))
            let task = Task { try await load("/a") }
            await timers.waitForTimer()
            task.cancel()
            await Fixture.expect(.cancelled) { try await task.value }
            // The promise that holds back the body must not be lost.
            timers.fireNext()
        }
    }

    @Test func withoutALimitThereIsNoTimer() async throws {
        let timers = Timers()
        var configuration = configuration(timers)
        configuration.maximumBytesPerSecond = nil
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .image(Self.body, type: "image/png"))
            let data = try await load("/a").data
            #expect(data == Self.body && timers.count == 0)
        }
    }
}
