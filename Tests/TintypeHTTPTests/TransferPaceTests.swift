import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Which responses are too slow.
@Suite struct TransferPaceTests {
    private typealias Progress = TransferPace.Progress

    /// A moment, the bytes that have arrived by then, and whether the origin had to wait.
    private typealias Step = (time: Int, byteCount: Int, wasPaused: Bool)

    /// Returns the time of the step that is too slow; `nil` if all are fast enough.
    private func failure(_ pace: TransferPace, head: Int?, _ steps: [Step]) -> Int? {
        var (pace, last) = (pace, head.map { Duration.seconds($0) })
        var byteCount = 0
        return steps.first { step in
            let headTime = head.flatMap { $0 <= step.time ? Duration.seconds($0) : nil }
            if step.byteCount != byteCount || step.wasPaused { last = .seconds(step.time) }
            byteCount = step.byteCount
            let progress = Progress(
                headTime: headTime, lastTime: last, byteCount: step.byteCount, wasPaused: step.wasPaused)
            return pace.check(progress, at: .seconds(step.time)) != nil
        }?.time
    }

    private static let rate = MinimumRate(byteCount: 100, interval: .seconds(10))

    @Test(
        arguments: [
            ("fast enough", 0, [(10, 100, false), (20, 200, false), (30, 300, false)], nil),
            ("a byte a second", 0, [(5, 5, false), (10, 10, false)], 10),
            ("slow after a fast beginning", 0, [(10, 1000, false), (15, 1001, false), (20, 1099, false)], 20),
            ("nothing but a head", 0, [(9, 0, false), (10, 0, false)], 10),
            ("the first interval begins with the head", 8, [(10, 0, false), (17, 0, false), (18, 99, false)], 18),
            ("no head: that is the idle time-out's", nil, [(10, 0, false), (1000, 0, false)], nil),
            ("a slow reader", 0, [(10, 0, true), (20, 0, true), (29, 1, false)], nil),
            ("slow again after a slow reader", 0, [(10, 0, true), (20, 99, false)], 20),
            ("a late check sees the whole interval", 0, [(25, 100, false)], nil),
        ] as [(String, Int?, [(Int, Int, Bool)], Int?)])
    func theRateIsThatOfEachInterval(_ name: String, _ head: Int?, _ steps: [(Int, Int, Bool)], _ expected: Int?) {
        let pace = TransferPace(totalTime: nil, from: .zero, rate: Self.rate)
        #expect(failure(pace, head: head, steps.map { ($0.0, $0.1, $0.2) }) == expected, "\(name)")
    }

    @Test(arguments: [nil, 0])
    func theTotalTimeEndsAnyResponse(_ head: Int?) {
        let pace = TransferPace(totalTime: .seconds(60), from: .seconds(40), rate: Self.rate)
        let steps = [10, 50, 60, 99, 100].map { (time: $0, byteCount: $0 * 1000, wasPaused: true) }
        #expect(failure(pace, head: head, steps) == 100)
    }

    @Test(arguments: [nil, MinimumRate.unlimited, MinimumRate(byteCount: -1, interval: .seconds(1))])
    func withoutLimitsNothingIsChecked(_ rate: MinimumRate?) {
        let pace = TransferPace(totalTime: nil, from: .zero, rate: rate)
        #expect(pace.nextCheck(at: .zero) == nil)
        #expect(failure(pace, head: 0, [(1 << 40, 0, false)]) == nil)
    }

    @Test func aCheckTakesPlaceWhenAResponseCanBeTooSlow() {
        var pace = TransferPace(totalTime: .seconds(25), from: .zero, rate: Self.rate)
        #expect(pace.nextCheck(at: .seconds(2)) == .seconds(12))
        #expect(pace.check(Progress(headTime: .seconds(5), byteCount: 0), at: .seconds(12)) == nil)
        #expect(pace.nextCheck(at: .seconds(12)) == .seconds(15))
        #expect(pace.check(Progress(headTime: .seconds(5), byteCount: 100), at: .seconds(16)) == nil)
        #expect(pace.nextCheck(at: .seconds(16)) == .seconds(25))
    }

    /// Until its head, a response may take as long as the connection and a silence together.
    @Test(
        arguments: [
            ("no head", nil, [(24, 0, false), (25, 0, false)], 25),
            ("a head and no body", 5, [(19, 0, false), (20, 0, false)], 20),
            ("bytes", 0, [(10, 1, false), (20, 2, false), (34, 2, false), (35, 2, false)], 35),
            ("a reader that is slow", 0, [(20, 1, true), (40, 1, true), (54, 1, false), (55, 1, false)], 55),
        ] as [(String, Int?, [(Int, Int, Bool)], Int?)])
    func silenceHasALimit(_ name: String, _ head: Int?, _ steps: [(Int, Int, Bool)], _ expected: Int?) {
        var pace = TransferPace(
            totalTime: nil, from: .zero, rate: nil, silence: SilenceLimit(connecting: .seconds(10), idle: .seconds(15)))
        pace.begin(at: .zero)
        #expect(pace.nextCheck(at: .zero) == .seconds(15))
        #expect(failure(pace, head: head, steps.map { ($0.0, $0.1, $0.2) }) == expected, "\(name)")
    }

    /// A program may ask for the longest time there is.
    @Test func aHugeTotalTimeDoesNotOverflow() {
        let pace = TransferPace(totalTime: .seconds(Int64.max / 2), from: .seconds(Int64.max / 2), rate: nil)
        #expect(pace.nextCheck(at: .zero) != nil)
    }
}

/// When responses are checked.
@Suite struct TransferWatchStateTests {
    private final class Response: Sendable {}

    /// A reference to a state, which expectations may change.
    private final class Watch {
        private var state = TransferWatchState<Response>()

        func begin(
            _ response: Response, _ pace: TransferPace, at seconds: Int
        ) -> (slot: Int?, alarm: TransferWatchState<Response>.Alarm?) {
            state.begin(response, pace, at: .seconds(seconds))
        }

        @discardableResult
        func end(_ slot: Int?) throws -> Response? { state.end(try #require(slot)) }

        func ring(
            _ alarm: TransferWatchState<Response>.Alarm, at seconds: Int
        ) -> (slow: [(Response, TintypeError)], next: TransferWatchState<Response>.Alarm?) {
            state.ring(alarm, at: .seconds(seconds)) { _ in TransferPace.Progress() }
        }
    }

    private static func pace(_ seconds: Int, from start: Int = 0) -> TransferPace {
        TransferPace(totalTime: .seconds(seconds), from: .seconds(start), rate: nil)
    }

    @Test func oneAlarmServesResponsesThatEndLater() throws {
        let watch = Watch()
        let responses = (0..<3).map { _ in Response() }
        let alarm = try #require(watch.begin(responses[0], Self.pace(30), at: 0).alarm)
        let others = responses[1...].map { watch.begin($0, Self.pace(30, from: 10), at: 10) }
        #expect(alarm.delay == .seconds(30) && others.allSatisfy { $0.alarm == nil })
        let ended = try watch.end(others[0].slot)
        #expect(ended === responses[1])
        let (slow, next) = watch.ring(alarm, at: 30)
        #expect(slow.map { ObjectIdentifier($0.0) } == [ObjectIdentifier(responses[0])] && next?.delay == .seconds(10))
        let watched = try watch.end(others[1].slot)
        #expect(watched === responses[2])
    }

    @Test func anEarlierCheckReplacesTheAlarm() throws {
        let watch = Watch()
        let responses = (0..<2).map { _ in Response() }
        let (slot, alarm) = watch.begin(responses[0], Self.pace(30), at: 0)
        let late = try #require(alarm)
        let early = try #require(watch.begin(responses[1], Self.pace(5), at: 1).alarm)
        #expect(early.delay == .seconds(4))
        let first = watch.ring(early, at: 5)
        #expect(first.slow.count == 1 && first.next?.delay == .seconds(25))
        // The replaced alarm still rings.
        let replaced = watch.ring(late, at: 30)
        #expect(replaced.slow.isEmpty && replaced.next == nil)
        let watched = try watch.end(slot)
        #expect(watched === responses[0])
    }

    /// A row of short responses needs one alarm for all of them.
    @Test func anAlarmWithoutResponsesSetsNoOther() throws {
        let watch = Watch()
        let first = Response()
        let (slot, alarm) = watch.begin(first, Self.pace(30), at: 0)
        let short = watch.begin(Response(), Self.pace(30, from: 1), at: 1)
        #expect(short.alarm == nil)
        for slot in [slot, short.slot] { try watch.end(slot) }
        #expect(watch.ring(try #require(alarm), at: 30).next == nil)
        #expect(watch.begin(first, Self.pace(30), at: 31).alarm != nil)
    }

    /// The owner of a slow response ends it later, and must not end one that has begun in between.
    @Test func theSlotOfASlowResponseIsTakenUntilItEnds() throws {
        let watch = Watch()
        let (slow, alarm) = watch.begin(Response(), Self.pace(30), at: 0)
        #expect(watch.ring(try #require(alarm), at: 30).slow.count == 1)
        let response = Response()
        let second = watch.begin(response, Self.pace(30, from: 31), at: 31).slot
        #expect(second != slow)
        let ended = try watch.end(slow)
        #expect(ended == nil)
        #expect(watch.begin(Response(), Self.pace(30, from: 32), at: 32).slot == slow)
        let watched = try watch.end(second)
        #expect(watched === response)
    }

    @Test func aResponseWithoutLimitsIsNotWatched() {
        let watch = Watch()
        let (slot, alarm) = watch.begin(Response(), TransferPace(totalTime: nil, from: .zero, rate: nil), at: 0)
        #expect(slot == nil && alarm == nil)
    }
}

/// Slow servers, with a clock that the tests move.
@Suite(.timeLimited) struct SlowServerTests {
    /// A clock whose timers run only when the test moves it.
    private struct Timers {
        let manual = ManualClock()
        let waiting = Shared<[(due: Duration, body: @Sendable () -> Void)]>([])

        var clock: TransferClock {
            TransferClock(
                uptime: { manual.uptime }, date: { manual.date },
                sleep: { _ in try await Task.sleep(for: .seconds(3600)) },
                schedule: { delay, body in waiting.withLock { $0.append((manual.uptime + delay, body)) } })
        }

        /// Moves the clock, and runs the timers that are due, also those that they start.
        func advance(by duration: Duration) {
            manual.advance(by: duration)
            while true {
                let due = waiting.withLock { waiting in
                    let due = waiting.filter { $0.due <= manual.uptime }
                    waiting.removeAll { $0.due <= manual.uptime }
                    return due
                }
                guard !due.isEmpty else { return }
                for timer in due { timer.body() }
            }
        }
    }

    private func configuration(_ timers: Timers) -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.clock = timers.clock
        return configuration
    }

    /// Loads a response that stops after 1000 bytes, and moves the clock once they have arrived.
    private func expectTimeout(
        _ configuration: DownloaderConfiguration, _ timers: Timers, after duration: Duration, _ message: String
    ) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .silence(after: 1000)))
            let downloader = Downloader(configuration)
            let download = await downloader.download(.url(origin.url("/a")), untilReceived: 1000)
            timers.advance(by: duration - .seconds(1))
            #expect(downloader.runningDownloadCount == 1)
            timers.advance(by: .seconds(1))
            let error = await Fixture.expect(.timedOut) { try await download.bytes }
            #expect(error?.message.contains(message) == true)
            #expect(download.receivedBytes == Fixture.body.prefix(1000))
        }
    }

    @Test func aBodyBelowTheMinimumRateIsATimeOut() async throws {
        let timers = Timers()
        var configuration = configuration(timers)
        configuration.minimumRate = .standard
        try await expectTimeout(configuration, timers, after: .seconds(30), "too slow: 1000 bytes in 30 s")
    }

    @Test func aTransferEndsAfterItsTotalTime() async throws {
        let timers = Timers()
        var configuration = configuration(timers)
        configuration.totalTimeout = .seconds(900)
        try await expectTimeout(configuration, timers, after: .seconds(900), "not complete")
    }

    @Test func silenceIsATimeOut() async throws {
        let timers = Timers()
        var configuration = configuration(timers)
        (configuration.connectTimeout, configuration.idleTimeout) = (.seconds(10), .seconds(15))
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .silence(after: 1000)))
            let download = await Downloader(configuration).download(.url(origin.url("/a")), untilReceived: 1000)
            timers.advance(by: .seconds(25))
            timers.advance(by: .seconds(15))
            let error = await Fixture.expect(.timedOut) { try await download.bytes }
            #expect(error?.message.contains("sent nothing") == true)
        }
    }

    /// Redirects and replays do not start the total time again.
    @Test func theTotalTimeIncludesRedirects() async throws {
        let timers = Timers()
        var configuration = configuration(timers)
        configuration.totalTimeout = .seconds(10)
        try await Fixture.withOrigin { origin in
            origin.serve(
                "/a",
                by: { _ in
                    timers.manual.advance(by: .seconds(6))
                    return .redirect(to: "/b")
                })
            origin.serve("/b", response: .testImage.setting(\.ending, to: .never))
            let download = Downloader(configuration).download(.url(origin.url("/a")))
            await origin.waitForRequests(1, path: "/b")
            timers.advance(by: .seconds(4))
            await Fixture.expect(.timedOut) { try await download.bytes }
        }
    }

    @Test func aSlowHostDoesNotStopOthers() async throws {
        try await Fixture.withOrigin { slow in
            try await Fixture.withOrigin { other in
                let downloader = Downloader.patient
                for number in 0..<20 {
                    slow.serve("/\(number)", response: .testImage.setting(\.ending, to: .silence(after: 1)))
                }
                other.serve("/a", response: .testImage)
                let stuck = (0..<20).map { downloader.download(.url(slow.url("/\($0)")), priority: .high) }
                await slow.waitForRequests(6)
                let name = try #require(
                    URL(string: other.url("/a").absoluteString.replacing("127.0.0.1", with: "localhost")))
                let data = try await Fixture.load(.url(name), downloader).data
                #expect(data == Fixture.body && slow.requestCount() == 6)
                for download in stuck { download.cancel() }
            }
        }
    }
}
