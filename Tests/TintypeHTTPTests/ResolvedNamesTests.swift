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

    /// Sends a request for a path of the origin, whose address is replaced by a name.
    private func send(
        to name: String, at origin: Origin, _ services: TransferServices, _ settings: TransferSettings = settings()
    ) async throws -> Int {
        let url = try #require(
            URL(string: origin.url("/a").absoluteString.replacing("127.0.0.1", with: name)))
        let transfer = try Transfer(
            of: .url(url), settings, services, stored: nil, for: JobContext(priority: .normal), JobReporter { _ in })
        return try await Exchange(transfer: transfer).send(transfer.request).status
    }

    /// The client resolves the name itself, after that: it is one that the system knows.
    @Test func aNameIsLookedUpOnceForSeveralRequests() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let resolver = Resolver()
            let services = TransferServices(.patient, lookups: resolver.lookups)
            for host in ["LocalHost", "LocalHost", "127.0.0.1"] {
                let status = try await send(to: host, at: origin, services)
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
            let status = try await send(to: "LocalHost", at: origin, services)
            #expect(status == 200)
            resolver.answer()
        }
    }
}
