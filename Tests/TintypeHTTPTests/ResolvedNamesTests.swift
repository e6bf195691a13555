import AsyncHTTPClient
import Dispatch
import Foundation
import HTTPTestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeHTTP

/// Names that are resolved before the client resolves them, without a server guard.
@Suite(.timeLimit(.minutes(15))) struct ResolvedNamesTests {
    @Test func aNameIsRememberedForAMinute() {
        var names = ResolvedNames()
        #expect(!names.contains("a", at: .zero))
        names.insert("a", at: .seconds(10))
        #expect(names.contains("a", at: .seconds(69)) && !names.contains("a", at: .seconds(70)))
        #expect(!names.contains("b", at: .seconds(10)))
        names.insert("a", at: .seconds(70))
        #expect(names.contains("a", at: .seconds(129)))
    }

    @Test func ofManyNamesTheLastOnesAreRemembered() {
        var names = ResolvedNames()
        let size = ResolvedNames.generationSize
        for number in 0..<2 * size { names.insert("\(number)", at: .zero) }
        #expect((0..<2 * size).allSatisfy { names.contains("\($0)", at: .zero) })
        names.insert("\(2 * size - 1)", at: .zero)
        #expect(names.contains("0", at: .zero))
        names.insert("next", at: .zero)
        #expect(!names.contains("0", at: .zero) && !names.contains("\(size - 1)", at: .zero))
        #expect(names.contains("\(size)", at: .zero) && names.contains("next", at: .zero))
    }

    /// A name that moved to the earlier generation counts from its last lookup.
    @Test func aNameThatWasResolvedAgainIsAsNewAsItsLastLookup() {
        var names = ResolvedNames()
        names.insert("a", at: .zero)
        for number in 0..<ResolvedNames.generationSize { names.insert("\(number)", at: .zero) }
        names.insert("a", at: .seconds(60))
        #expect(names.contains("a", at: .seconds(119)))
    }

    @Test(arguments: [
        ("example.org", true), ("a", true), ("1.example", true), ("0x7f.1", true), ("LOCALHOST", true),
        ("localhost", false), ("127.0.0.1", false), ("2130706433", false), ("::1", false), ("fe80::1%eth0", false),
    ]) func onlyNamesAreLookedUp(_ host: String, _ isLookedUp: Bool) {
        #expect(HostName.isLookedUp(host) == isLookedUp)
    }

    // MARK: The pool

    private static func settings(
        _ change: (inout DownloaderConfiguration) -> Void = { _ in }
    ) -> TransferSettings {
        var configuration = DownloaderConfiguration.patient
        configuration.proxy = .direct
        change(&configuration)
        return TransferSettings(configuration: configuration, options: HTTPOptions(), byteLimit: 1 << 20)
    }

    @Test func aProxyAndTheClientOfTheProgramResolveNamesThemselves() throws {
        let pool = ClientPool(.system)
        let url = try #require(URL(string: "http://a.test/"))
        #expect(try pool.unresolvedName(in: url, Self.settings()) == "a.test")
        let proxy = ProxySetting.server(ProxyServer(host: "127.0.0.1", port: 1))
        #expect(try pool.unresolvedName(in: url, Self.settings { $0.proxy = proxy }) == nil)
        #expect(try pool.unresolvedName(in: url, Self.settings { $0.client = .shared }) == nil)
        let address = try #require(URL(string: "http://[::1]:80/"))
        #expect(try pool.unresolvedName(in: address, Self.settings()) == nil)
    }

    @Test func aNameIsResolvedAgainAfterAMinute() async throws {
        let manual = ManualClock()
        var clock = TransferClock.system
        clock.uptime = { manual.uptime }
        let resolver = Resolver()
        let pool = ClientPool(clock, lookups: resolver.lookups)
        let url = try #require(URL(string: "http://a.test/"))
        try await pool.resolve("a.test", within: .seconds(600), for: JobContext(priority: .normal))
        #expect(try pool.unresolvedName(in: url, Self.settings()) == nil)
        manual.advance(by: .seconds(60))
        #expect(try pool.unresolvedName(in: url, Self.settings()) == "a.test")
    }

    /// A program may run more transfers at once than there may be lookups.
    @Test func oneNameTooManyIsLeftToTheClient() async throws {
        let resolver = Resolver()
        let pool = ClientPool(.system, lookups: resolver.lookups)
        let job = JobContext(priority: .normal)
        for number in 0..<HostLookups.maximumCount {
            await #expect(throws: TintypeError.self) {
                try await pool.resolve("silent\(number)", within: .zero, for: job)
            }
        }
        try await pool.resolve("a.test", within: .seconds(600), for: job)
        let url = try #require(URL(string: "http://a.test/"))
        #expect(try pool.unresolvedName(in: url, Self.settings()) == "a.test")
        resolver.answer(HostLookups.maximumCount)
    }

    // MARK: Exchanges

    /// A resolver that knows all names except `unknown`, and does not answer for names that begin with `silent`.
    private struct Resolver {
        let hosts = Shared<[String]>([])
        let lookups: HostLookups
        private let answers = DispatchSemaphore(value: 0)

        init() {
            let (hosts, answers) = (hosts, answers)
            lookups = HostLookups(threads: 2) { host throws(TintypeError) in
                hosts.withLock { $0.append(host) }
                if host.hasPrefix("silent") { answers.wait() }
                guard host != "unknown", let address = IPAddress("127.0.0.1") else {
                    throw TintypeError(.unreachable, stage: .load, "the host \(host) is unknown")
                }
                return [address]
            }
        }

        func answer(_ count: Int = 1) { for _ in 0..<count { answers.signal() } }
    }

    private func transfer(
        of url: URL?, _ services: TransferServices, _ settings: TransferSettings
    ) throws -> Transfer {
        try Transfer(
            of: .url(try #require(url)), settings, services, stored: nil, for: JobContext(priority: .normal),
            JobReporter { _ in })
    }

    /// Sends a request for a path of the origin, whose address is replaced by a name, and receives the response.
    @discardableResult
    private func send(
        _ path: String = "/a", to name: String, at origin: Origin, _ services: TransferServices,
        _ settings: TransferSettings = settings()
    ) async throws -> TransferMetrics {
        let url = URL(string: origin.url(path).absoluteString.replacing("127.0.0.1", with: name))
        let transfer = try transfer(of: url, services, settings)
        let response = try await Exchange(transfer: transfer).send(transfer.request)
        let body = try await response.body.collect()
        return transfer.meter.finish(status: response.status, byteCount: body.count)
    }

    /// The client resolves the name itself, after that: it is one that the system knows.
    @Test func aNameIsLookedUpOnceForSeveralRequests() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let resolver = Resolver()
            let services = TransferServices(.patient, lookups: resolver.lookups)
            for host in ["LocalHost", "LocalHost", "127.0.0.1"] {
                let status = try await send(to: host, at: origin, services).status
                #expect(status == 200)
            }
            #expect(resolver.hosts.now == ["LocalHost"])
        }
    }

    @Test func aNameThatDoesNotResolveIsUnreachable() async throws {
        try await Fixture.withOrigin { origin in
            let resolver = Resolver()
            let services = TransferServices(.patient, lookups: resolver.lookups)
            for _ in 0..<2 {
                let error = await #expect(throws: TintypeError.self) {
                    try await send(to: "unknown", at: origin, services)
                }
                #expect(error?.code == .unreachable && error?.message == "the host unknown is unknown")
            }
            #expect(resolver.hosts.now == ["unknown", "unknown"])
        }
    }

    /// The client would not resolve another name on the same event loop.
    @Test func aNameServerThatNeverAnswersDelaysNoOtherName() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let resolver = Resolver()
            let services = TransferServices(.patient, lookups: resolver.lookups)
            let impatient = Self.settings { $0.connectTimeout = .zero }
            let error = await #expect(throws: TintypeError.self) {
                try await send(to: "silent", at: origin, services, impatient)
            }
            #expect(error?.code == .timedOut)
            let status = try await send(to: "LocalHost", at: origin, services).status
            #expect(status == 200)
            resolver.answer()
        }
    }

    /// A name server that stops answering must not end the use of an open connection.
    @Test func aReusedConnectionKeepsItsNameResolved() async throws {
        let clock = ManualClock()
        let settings = Self.settings { $0.clock.uptime = { clock.uptime } }
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let resolver = Resolver()
            let services = TransferServices(settings.configuration, lookups: resolver.lookups)
            try await send(to: "LocalHost", at: origin, services, settings)
            clock.advance(by: .seconds(30))
            _ = try await MetricsTests.metricsOfReuse {
                try await send(to: "LocalHost", at: origin, services, settings)
            }
            clock.advance(by: .seconds(31))
            try await send(to: "LocalHost", at: origin, services, settings)
            #expect(resolver.hosts.now == ["LocalHost"])
        }
    }

    /// The time since the beginning of the attempt, its total time, and the longest wait for a name, in seconds.
    @Test(arguments: [(0, nil, 10), (0, 30, 10), (25, 30, 5), (40, 30, 0)] as [(Int, Int?, Int)])
    func aLookupEndsWithinTheTotalTime(_ elapsed: Int, _ total: Int?, _ limit: Int) async throws {
        let (clock, delays) = (ManualClock(), Shared<[Duration]>([]))
        let settings = Self.settings { configuration in
            configuration.clock = Fixture.clock(delays, clock)
            configuration.connectTimeout = .seconds(10)
            configuration.totalTimeout = total.map { .seconds($0) }
        }
        let resolver = Resolver()
        let services = TransferServices(settings.configuration, lookups: resolver.lookups)
        let transfer = try transfer(of: URL(string: "http://silent.test/"), services, settings)
        clock.advance(by: .seconds(elapsed))
        let error = await #expect(throws: TintypeError.self) {
            try await Exchange(transfer: transfer).send(transfer.request)
        }
        #expect(error?.code == .timedOut && delays.now == [.seconds(limit)])
        resolver.answer()
    }

    // MARK: Metrics

    @Test func theTimeToResolveANameIsThatOfTheLastRequest() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            origin.serve("/redirect", response: .redirect(to: origin.url("/a").absoluteString))
            let named = try await send(
                to: "LocalHost", at: origin, TransferServices(.patient, lookups: Resolver().lookups))
            #expect(named.nameLookup != nil)
            let redirected = try await send(
                "/redirect", to: "LocalHost", at: origin, TransferServices(.patient, lookups: Resolver().lookups))
            #expect(redirected.redirects == 1 && redirected.nameLookup == nil)
        }
    }

    @Test func anAttemptBeginsWithoutTheLookupOfTheOneBefore() {
        let meter = TransferMeter(.system)
        meter.recordNameLookup(.seconds(1))
        let first = meter.finish(status: 503, byteCount: 0).nameLookup
        meter.beginAttempt(2)
        let second = meter.finish(status: 200, byteCount: 0).nameLookup
        #expect(first == .seconds(1) && second == nil)
    }
}
