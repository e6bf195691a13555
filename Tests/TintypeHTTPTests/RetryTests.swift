import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

@Suite struct RetryStateTests {
    private func error(_ code: TintypeError.Code) -> TintypeError { TintypeError(code, stage: .load, "") }

    @Test(arguments: TintypeError.Code.allCases) func onlyTransientFailuresAreRetried(_ code: TintypeError.Code) {
        var state = RetryState(RetryPolicy(maximumAttempts: 3), start: .zero)
        let delay = state.delay(after: error(code), status: 404, retryAfter: nil, at: .zero, chance: 0)
        #expect((delay != nil) == [.unreachable, .timedOut, .transport, .truncatedBody].contains(code))
    }

    @Test(arguments: [(500, true), (503, true), (429, true), (408, true), (404, false), (501, false), (403, false)])
    func transientStatusesAreRetried(_ status: Int, _ isRetried: Bool) {
        var state = RetryState(RetryPolicy(maximumAttempts: 3), start: .zero)
        let delay = state.delay(after: error(.badStatus), status: status, retryAfter: nil, at: .zero, chance: 0)
        #expect((delay != nil) == isRetried)
    }

    @Test(arguments: TintypeError.Code.allCases)
    func aRequestThatIsNotIdempotentIsRetriedOnlyIfNoServerWasReached(_ code: TintypeError.Code) {
        var state = RetryState(RetryPolicy(maximumAttempts: 3), start: .zero, isIdempotent: false)
        let delay = state.delay(after: error(code), status: 503, retryAfter: nil, at: .zero, chance: 0)
        #expect((delay != nil) == (code == .unreachable))
    }

    @Test func delaysDoubleUpToTheMaximum() {
        let policy = RetryPolicy(
            maximumAttempts: 7, firstDelay: .seconds(1), maximumDelay: .seconds(10), timeLimit: .seconds(1000))
        var state = RetryState(policy, start: .zero)
        let delays = (0..<7).map { _ in
            state.delay(after: error(.transport), status: nil, retryAfter: nil, at: .zero, chance: 0)
        }
        #expect(delays == [1, 2, 4, 8, 10, 10, nil].map { $0.map { Duration.seconds($0) } })
    }

    @Test(arguments: [(0.0, 1000), (0.5, 750), (1.0, 500)]) func jitterShortensADelay(_ chance: Double, _ expected: Int)
    {
        var state = RetryState(RetryPolicy(maximumAttempts: 2, firstDelay: .seconds(1), jitter: 0.5), start: .zero)
        let delay = state.delay(after: error(.transport), status: nil, retryAfter: nil, at: .zero, chance: chance)
        #expect(delay == .milliseconds(expected))
    }

    @Test(arguments: [(2.0, 0), (-1.0, 1000)]) func jitterIsAShareOfTheDelay(_ jitter: Double, _ expected: Int) {
        var state = RetryState(RetryPolicy(maximumAttempts: 2, firstDelay: .seconds(1), jitter: jitter), start: .zero)
        let delay = state.delay(after: error(.transport), status: nil, retryAfter: nil, at: .zero, chance: 1)
        #expect(delay == .milliseconds(expected))
    }

    @Test func afterTheTimeLimitNoTimeIsLeft() {
        let state = RetryState(RetryPolicy(maximumAttempts: 2, timeLimit: .seconds(10)), start: .seconds(1))
        #expect(state.timeLeft(at: .seconds(4)) == .seconds(7) && state.timeLeft(at: .seconds(12)) == .zero)
    }

    @Test func theServersDelayAppliesIfItIsLonger() {
        for (asked, expected) in [(0, 1), (30, 30), (61, nil)] as [(Int, Int?)] {
            var state = RetryState(RetryPolicy(maximumAttempts: 2, firstDelay: .seconds(1)), start: .zero)
            let delay = state.delay(
                after: error(.badStatus), status: 503, retryAfter: .seconds(asked), at: .zero, chance: 0)
            #expect(delay == expected.map { .seconds($0) })
        }
    }

    @Test func noAttemptBeginsAfterTheTimeLimit() {
        let policy = RetryPolicy(maximumAttempts: 9, firstDelay: .seconds(1), timeLimit: .seconds(10))
        for (now, isRetried) in [(8, true), (9, true), (10, false)] {
            var state = RetryState(policy, start: .zero)
            let delay = state.delay(
                after: error(.transport), status: nil, retryAfter: nil, at: .seconds(now), chance: 0)
            #expect((delay != nil) == isRetried)
        }
    }

    @Test(
        arguments: [("120", 120.0), ("0", 0), ("Wed, 15 Nov 2023 22:13:20 GMT", 86400), ("soon", nil), ("-5", nil)]
            as [(String, Double?)])
    func retryAfterIsSecondsOrADate(_ text: String, _ expected: Double?) {
        let parsed = RetryAfter(["Retry-After": text], at: Date(timeIntervalSince1970: 1_700_000_000))
        #expect(parsed?.delay == expected.map { .seconds($0) })
    }
}

@Suite(.timeLimited) struct RetryTests {
    private func configuration(_ delays: Shared<[Duration]>, attempts: Int = 3) -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.retry = RetryPolicy(maximumAttempts: attempts, firstDelay: .seconds(1))
        configuration.clock = Fixture.clock(delays)
        return configuration
    }

    private static func untilCancelled() async throws {
        _ = await Gate().wait()
        throw CancellationError()
    }

    @Test func aFailureIsRetriedUntilItSucceeds() async throws {
        let delays = Shared<[Duration]>([])
        try await Fixture.withOrigin(configuration(delays)) { origin, load in
            origin.serve(
                "/a", sequence: [.status(503), .testImage.setting(\.ending, to: .cut(after: 100)), .testImage])
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.attempts == 3)
            #expect(delays.now == [.seconds(1), .seconds(2)])
        }
    }

    @Test func theDelayOfRetryAfterIsRespected() async throws {
        let delays = Shared<[Duration]>([])
        try await Fixture.withOrigin(configuration(delays)) { origin, load in
            origin.serve("/a", sequence: [.status(429).with(header: "Retry-After", value: "17"), .testImage])
            _ = try await load("/a")
            #expect(delays.now == [.seconds(17)])
        }
    }

    @Test func theLastFailureIsThrown() async throws {
        try await Fixture.withOrigin(configuration(Shared([]), attempts: 2)) { origin, load in
            origin.serve("/a", response: .status(500))
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            #expect(error?.status == 500 && origin.requestCount() == 2)
        }
    }

    @Test func withoutAPolicyNothingIsRetried() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .status(503))
            await Fixture.expect(.badStatus) { try await load("/a") }
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func aTransferThatWaitsForARetryHasNoSlot() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        configuration.retry = RetryPolicy(maximumAttempts: 2)
        let gate = Gate()
        configuration.clock.sleep = { _ in _ = await gate.wait() }
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", sequence: [.status(503), .testImage])
            origin.serve("/b", response: .testImage)
            async let first = load("/a")
            await gate.waitForArrivals(1)
            _ = try await load("/b")
            #expect(origin.requestCount("/a") == 1 && origin.requestCount("/b") == 1)
            gate.open()
            _ = try await first
            #expect(origin.requestCount("/a") == 2)
        }
    }

    @Test func aConnectionThatClosesWhenItIsReusedIsReplaced() async throws {
        try await Fixture.withOrigin { origin, load in
            // The server closes the reused connection before it responds.
            origin.serve(
                "/a",
                sequence: [
                    .testImage, OriginResponse(body: Data(), framing: .untilClose, ending: .dropped), .testImage,
                ])
            _ = try await load("/a")
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            #expect(origin.requestCount() == 3)
        }
    }

    @Test func theStartRateIsRespected() async throws {
        let delays = Shared<[Duration]>([])
        var configuration = DownloaderConfiguration.patient
        configuration.startRate = StartRate(perSecond: 1, burst: 2)
        configuration.clock = Fixture.clock(delays)
        try await Fixture.withOrigin(configuration) { origin, load in
            for path in ["/a", "/b", "/c"] {
                origin.serve(path, response: .testImage)
                _ = try await load(path)
            }
            #expect(delays.now == [.seconds(1)])
        }
    }

    @Test func aRetryAfterAnUnreachableServerWaitsForANetwork() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let waits = Shared(0)
        var configuration = configuration(Shared([]), attempts: 3)
        // The time limit never passes; delays pass at once.
        configuration.clock.sleep = { if $0 > .seconds(60) { try await Self.untilCancelled() } }
        configuration.reconnection = { waits.withLock { $0 += 1 } }
        let url = try port.url
        await Fixture.expect(.unreachable) { try await Fixture.load(.url(url), Downloader(configuration)) }
        #expect(waits.now == 2)
    }

    @Test func aFailedWaitForANetworkThrowsTheLastFailure() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let waits = Shared(0)
        var configuration = configuration(Shared([]), attempts: 9)
        // The time limit never passes; delays pass at once.
        configuration.clock.sleep = { if $0 > .seconds(60) { try await Self.untilCancelled() } }
        configuration.reconnection = {
            waits.withLock { $0 += 1 }
            throw CancellationError()
        }
        let url = try port.url
        await Fixture.expect(.unreachable) { try await Fixture.load(.url(url), Downloader(configuration)) }
        #expect(waits.now == 1)
    }

    /// Code of the program that throws a cancellation, although nobody has cancelled the transfer.
    enum SelfCancelling: CaseIterable, Sendable {
        case interceptor, interceptorWithOurError, redirectHook, authorizer

        func apply(to configuration: inout DownloaderConfiguration) {
            switch self {
            case .interceptor:
                configuration.interceptors = [DownloadModifier.request(id: "a") { _ in throw CancellationError() }]
            case .interceptorWithOurError:
                configuration.interceptors = [DownloadModifier.request(id: "a") { _ in throw TintypeError.cancelled }]
            case .redirectHook: configuration.redirectHook = { _, _ in throw CancellationError() }
            case .authorizer:
                configuration.interceptors = [
                    DownloadAuthorizer(current: { throw CancellationError() }, renewed: { throw CancellationError() })
                ]
            }
        }
    }

    @Test(arguments: SelfCancelling.allCases)
    func aCancellationOfTheProgramsOwnIsAFailure(_ code: SelfCancelling) async throws {
        var configuration = DownloaderConfiguration.patient
        code.apply(to: &configuration)
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .testImage)
            let error = await Fixture.expect(.transport) { try await load("/a") }
            #expect(error?.underlying != nil)
        }
    }

    @Test func theWaitForANetworkEndsAtTheTimeLimit() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let clock = ManualClock()
        var configuration = configuration(Shared([]), attempts: 9)
        configuration.clock = Fixture.clock(Shared([]), clock)
        configuration.reconnection = { try await Self.untilCancelled() }
        let url = try port.url
        await Fixture.expect(.unreachable) { try await Fixture.load(.url(url), Downloader(configuration)) }
        #expect(clock.uptime >= .seconds(300))
    }

    @Test func anAttemptHasATotalTimeout() async throws {
        var options = HTTPOptions()
        options.totalTimeout = .milliseconds(100)
        try await Fixture.withOrigin(options: options) { origin, load in
            // Slow, but never idle for long: no other time-out applies.
            origin.serve("/a", response: .testImage.setting(\.bandwidth, to: 1000))
            let error = await Fixture.expect(.timedOut) { try await load("/a") }
            #expect(error?.message.contains("not complete") == true)
        }
    }
}
