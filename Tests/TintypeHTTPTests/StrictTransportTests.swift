import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Which URLs are requested over TLS because their hosts want it (RFC 6797).
@Suite struct StrictTransportTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func hosts(_ fields: [String], from url: String = "https://example.org/a") throws -> StrictTransport {
        var hosts = StrictTransport()
        let fields = fields.map { (name: "Strict-Transport-Security", value: $0) }
        hosts.store(HTTPFields(fields), from: try #require(URL(string: url)), at: Self.now)
        return hosts
    }

    private func secureURL(_ hosts: StrictTransport, _ url: String, after seconds: Double = 0) throws -> String? {
        let url = try #require(URL(string: url))
        return hosts.secureURL(for: url, at: Self.now.addingTimeInterval(seconds))?.absoluteString
    }

    @Test(
        arguments: [
            (["max-age=60"], true), (["MAX-AGE = \"60\" ; x"], true), ([";max-age=60;;includeSubDomains;"], true),
            (["max-age=99999999999999999999"], true), (["max-age=60", "max-age=0"], true), ([], false), ([""], false),
            (["max-age=0"], false), (["max-age"], false), (["max-age="], false), (["max-age=-1"], false),
            (["max-age=6x"], false), (["max-age=60; Max-Age=60"], false), (["max-age=60; x; x"], false),
            (["includeSubDomains"], false), (["", "max-age=60"], false), (["max-age=60, max-age=60"], false),
        ] as [([String], Bool)])
    func aValidFieldCounts(_ fields: [String], _ counts: Bool) throws {
        let url = try secureURL(try hosts(fields), "http://example.org/b")
        #expect(url == (counts ? "https://example.org/b" : nil))
    }

    @Test(
        arguments: [
            ("http://example.org/caf%e9/../%2F?a=%20#c", "https://example.org/caf%e9/../%2F?a=%20#c"),
            ("HTTP://Example.ORG", "https://Example.ORG"), ("http://example.org./b", "https://example.org./b"),
            ("http://example.org:80/b", "https://example.org:443/b"),
            ("http://example.org:8080/b", "https://example.org:8080/b"), ("http://a.b.example.org/", nil),
            ("http://org/", nil), ("http://anexample.org/", nil), ("https://example.org/b", nil),
            ("ftp://example.org/b", nil), ("file:///b", nil),
        ] as [(String, String?)])
    func aURLOfTheHostIsUpgraded(_ url: String, _ expected: String?) throws {
        #expect(try secureURL(try hosts(["max-age=60"]), url) == expected)
    }

    @Test func subdomainsAreIncludedOnRequest() throws {
        let hosts = try hosts(["max-age=60; includesubdomains"])
        #expect(try secureURL(hosts, "http://a.b.example.org/c") == "https://a.b.example.org/c")
        #expect(try secureURL(hosts, "http://anexample.org/c") == nil && secureURL(hosts, "http://org/c") == nil)
    }

    @Test func aPolicyExpiresAndIsReplaced() throws {
        var hosts = try hosts(["max-age=60; includeSubDomains"])
        #expect(try secureURL(hosts, "http://example.org/", after: 59.9) != nil)
        #expect(try secureURL(hosts, "http://example.org/", after: 60) == nil)
        let url = try #require(URL(string: "https://example.org/"))
        hosts.store(["Strict-Transport-Security": "max-age=90"], from: url, at: Self.now)
        #expect(try secureURL(hosts, "http://example.org/", after: 60) != nil)
        #expect(try secureURL(hosts, "http://a.example.org/") == nil)
        hosts.store(["Strict-Transport-Security": "max-age=0"], from: url, at: Self.now)
        #expect(try secureURL(hosts, "http://example.org/") == nil && hosts.hostCount == 0)
    }

    /// Anybody can forge a response without TLS, and an address has no policy (8.1).
    @Test(arguments: ["http://example.org/", "https://192.0.2.1/", "https://[2001:db8::1]/", "https://0xC0000201/"])
    func noOtherHostHasAPolicy(_ url: String) throws {
        let hosts = try hosts(["max-age=60"], from: url)
        #expect(hosts.hostCount == 0)
    }

    @Test func theHostThatExpiresFirstIsForgotten() throws {
        var hosts = StrictTransport()
        for number in 0...StrictTransport.maximumHostCount {
            let url = try #require(URL(string: "https://\(number).example/"))
            hosts.store(["Strict-Transport-Security": "max-age=\(number == 7 ? 1 : 60)"], from: url, at: Self.now)
        }
        #expect(hosts.hostCount == StrictTransport.maximumHostCount)
        #expect(try secureURL(hosts, "http://7.example/") == nil && secureURL(hosts, "http://8.example/") != nil)
    }
}

/// Requests to an origin that has TLS alone, at its name.
@Suite(.timeLimited) struct StrictTransportRequestTests {
    private static let field = (name: "Strict-Transport-Security", value: "max-age=60")

    /// Loads `https:` `/first` from an origin that wants TLS.
    private func withStrictOrigin(
        usesHSTS: Bool = true, checksCertificate: Bool = true,
        _ body: (_ origin: Origin, _ plain: URL, _ downloader: Downloader) async throws -> Void
    ) async throws {
        let identity = try TestCertificate.make()
        var configuration = DownloaderConfiguration.patient
        configuration.usesHSTS = usesHSTS
        configuration.trustedCertificates = [identity.certificates]
        if !checksCertificate { configuration.hostsWithUncheckedCertificates = ["localhost"] }
        try await Fixture.withOrigin(identity: identity) { origin in
            let port = try #require(origin.baseURL.port)
            let (plain, secure) = ("http://localhost:\(port)", "https://localhost:\(port)")
            origin.serve("/first", response: .testImage.with(header: Self.field.name, value: Self.field.value))
            origin.serve("/a", response: .testImage)
            let downloader = Downloader(configuration)
            _ = try await Fixture.load(.url(try #require(URL(string: secure + "/first"))), downloader)
            try await body(origin, try #require(URL(string: plain)), downloader)
        }
    }

    @Test func aHostThatWantsTLSIsReachedOverTLS() async throws {
        try await withStrictOrigin { _, plain, downloader in
            let loaded = try await Fixture.load(.url(plain.appending(path: "a")), downloader)
            #expect(loaded.data == Fixture.body && loaded.metrics?.isEncrypted == true)
            #expect(loaded.http?.url?.absoluteString == "https://localhost:\(plain.port ?? 0)/a")
            #expect(loaded.http?.isRedirected == false && loaded.metrics?.redirects == 0)
        }
    }

    @Test(arguments: [(false, true), (true, false)])
    func otherwiseItsURLStaysAsItIs(_ usesHSTS: Bool, _ checksCertificate: Bool) async throws {
        try await withStrictOrigin(usesHSTS: usesHSTS, checksCertificate: checksCertificate) { _, plain, downloader in
            // Some versions of libcurl send it over the connection that is open.
            let loaded = try? await Fixture.load(.url(plain.appending(path: "a")), downloader)
            #expect(loaded == nil || loaded?.http?.url?.scheme == "http")
        }
    }

    /// A redirect stays at its origin, which keeps header fields, and cookies for TLS alone are sent.
    @Test func redirectsAndCookiesAreThoseOfTLS() async throws {
        try await withStrictOrigin { origin, plain, downloader in
            let target = plain.appending(path: "a").absoluteString
            origin.serve("/b", response: .redirect(to: target).with(header: "Set-Cookie", value: "c=1; Secure"))
            origin.serve("/cycle", response: .redirect(to: plain.appending(path: "cycle").absoluteString))
            var options = HTTPOptions()
            options.usesCookies = true
            let source = ImageSource.http(HTTPSource(url: plain.appending(path: "b"), headers: ["X-A": "b"]))
            let loaded = try await Fixture.load(source, downloader, options: options)
            #expect(loaded.data == Fixture.body && loaded.http?.url?.scheme == "https")
            #expect(origin.requests.last?[header: "x-a"] == "b" && origin.requests.last?[header: "cookie"] == "c=1")
            let cycle = ImageSource.url(plain.appending(path: "cycle"))
            await Fixture.expect(.tooManyRedirects) { try await Fixture.load(cycle, downloader) }
            #expect(origin.requestCount("/cycle") == 1)
        }
    }

    @Test func aRedirectThatAHookDecidesIsUpgraded() async throws {
        try await withStrictOrigin { origin, plain, downloader in
            origin.serve("/b", response: .redirect(to: "/c"))
            downloader.configuration.redirectHook = { next, _ in
                var next = next
                next.url = plain.appending(path: "a")
                return next
            }
            let loaded = try await Fixture.load(.url(plain.appending(path: "b")), downloader)
            #expect(loaded.data == Fixture.body && loaded.http?.url?.scheme == "https")
        }
    }

    @Test func aGuardJudgesTheURLThatIsRequested() async throws {
        try await withStrictOrigin { origin, plain, downloader in
            let url = plain.appending(path: "a")
            downloader.configuration.serverGuard = ServerGuard(schemes: ["http"], ports: nil, addresses: [.loopback])
            await Fixture.expect(.forbidden) { try await Fixture.load(.url(url), downloader) }
            downloader.configuration.serverGuard = ServerGuard(ports: nil, addresses: [.global])
            await Fixture.expect(.forbidden) { try await Fixture.load(.url(url), downloader) }
            #expect(origin.requestCount("/a") == 0)
            downloader.configuration.serverGuard = ServerGuard(ports: nil, addresses: [.loopback])
            let loaded = try await Fixture.load(.url(url), downloader)
            #expect(loaded.data == Fixture.body)
        }
    }
}
