import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

@Suite struct CookieJarTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func header(_ fields: [String], from: String, to: String, after: Double = 0) throws -> String? {
        var jar = CookieJar()
        jar.store(fields, setBy: try #require(URL(string: from)), at: Self.now)
        return jar.header(for: try #require(URL(string: to)), at: Self.now.addingTimeInterval(after))
    }

    struct Case: Sendable {
        let field: String
        let from: String
        let to: String
        let header: String?
        var after = 0.0
    }

    static let cases: [Case] = [
        Case(field: "a=1", from: "http://x.org/", to: "http://x.org/b", header: "a=1"),
        Case(field: "a=1", from: "http://x.org/", to: "http://www.x.org/", header: nil),
        Case(field: "a=1; Domain=x.org", from: "http://www.x.org/", to: "http://img.x.org/", header: "a=1"),
        Case(field: "a=1; Domain=.x.org", from: "http://www.x.org/", to: "http://x.org/", header: "a=1"),
        // Another domain, a top-level domain, part of an address, a name with the same ending.
        Case(field: "a=1; Domain=y.org", from: "http://x.org/", to: "http://y.org/", header: nil),
        Case(field: "a=1; Domain=org", from: "http://x.org/", to: "http://y.org/", header: nil),
        Case(field: "a=1; Domain=0.0.1", from: "http://127.0.0.1/", to: "http://10.0.0.1/", header: nil),
        Case(field: "a=1; Domain=x.org", from: "http://x.org/", to: "http://badx.org/", header: nil),
        Case(field: "a=1; Domain=org.", from: "http://x.org./", to: "http://y.org./", header: nil),
        Case(field: "a=1; Domain=.", from: "http://x.org/", to: "http://x.org/b", header: "a=1"),
        // Without a dot inside, or an address: for the host itself alone.
        Case(field: "a=1; Domain=localhost", from: "http://localhost/", to: "http://localhost/b", header: "a=1"),
        Case(field: "a=1; Domain=localhost", from: "http://localhost/", to: "http://a.localhost/", header: nil),
        Case(field: "a=1; Domain=localhost", from: "http://a.localhost/", to: "http://a.localhost/", header: nil),
        Case(field: "a=1; Domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/b", header: "a=1"),
        Case(field: "a=1; Domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://a.127.0.0.1/", header: nil),
        Case(field: "a=1; Domain=10.0.0.1", from: "http://127.0.0.1/", to: "http://10.0.0.1/", header: nil),
        Case(field: "a=1", from: "http://x.org/pics/b", to: "http://x.org/pics/c", header: "a=1"),
        Case(field: "a=1", from: "http://x.org/pics/b", to: "http://x.org/", header: nil),
        Case(field: "a=1; Path=/pics", from: "http://x.org/", to: "http://x.org/pics/c", header: "a=1"),
        Case(field: "a=1; Path=/pics", from: "http://x.org/", to: "http://x.org/picsy", header: nil),
        Case(field: "a=1; Secure", from: "https://x.org/", to: "https://x.org/", header: "a=1"),
        Case(field: "a=1; Secure", from: "https://x.org/", to: "http://x.org/", header: nil),
        Case(field: "a=1; Secure", from: "http://x.org/", to: "https://x.org/", header: nil),
        Case(field: "a=1; Max-Age=10", from: "http://x.org/", to: "http://x.org/", header: "a=1", after: 9),
        Case(field: "a=1; Max-Age=10", from: "http://x.org/", to: "http://x.org/", header: nil, after: 10),
        Case(field: "a=1; Max-Age=0", from: "http://x.org/", to: "http://x.org/", header: nil),
        Case(
            field: "a=1; Expires=Wed, 15 Nov 2023 22:13:20 GMT", from: "http://x.org/", to: "http://x.org/",
            header: "a=1"),
        Case(
            field: "a=1; Expires=Wed, 15 Nov 2023 22:13:20 GMT", from: "http://x.org/", to: "http://x.org/",
            header: nil,
            after: 86_401),
        Case(
            field: "a=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "http://x.org/", to: "http://x.org/",
            header: "a=1"),
        // IPv6 addresses, with and without brackets.
        Case(field: "a=1", from: "http://[::1]/", to: "http://[::1]:80/b", header: "a=1"),
        Case(field: "a=1; Domain=[::1]", from: "http://[::1]/", to: "http://[::1]/b", header: "a=1"),
        Case(field: "a=1; Domain=::1", from: "http://[::1]/", to: "http://[::1]/b", header: "a=1"),
        Case(field: "a=1", from: "http://[::1]/", to: "http://[::2]/", header: nil),
        Case(field: "a=1; Domain=::ffff:10.0.0.1", from: "http://[::1]/", to: "http://[::1]/", header: nil),
        // Registries.
        Case(field: "a=1; Domain=co.uk", from: "http://x.co.uk/", to: "http://y.co.uk/", header: nil),
        Case(field: "a=1; Domain=x.co.uk", from: "http://a.x.co.uk/", to: "http://b.x.co.uk/", header: "a=1"),
        Case(field: "a=1; Domain=github.io", from: "http://a.github.io/", to: "http://b.github.io/", header: nil),
        Case(field: "a=1; Domain=x.com", from: "http://a.x.com/", to: "http://b.x.com/", header: "a=1"),
        // Prefixes.
        Case(field: "__Secure-a=1; Secure", from: "https://x.org/", to: "https://x.org/", header: "__Secure-a=1"),
        Case(field: "__Secure-a=1", from: "https://x.org/", to: "https://x.org/", header: nil),
        Case(field: "__SECURE-a=1", from: "https://x.org/", to: "https://x.org/", header: nil),
        Case(field: "__Secure-a=1; Secure", from: "http://x.org/", to: "https://x.org/", header: nil),
        Case(field: "__Host-a=1; Secure; Path=/", from: "https://x.org/b/", to: "https://x.org/", header: "__Host-a=1"),
        Case(field: "__Host-a=1; Secure", from: "https://x.org/", to: "https://x.org/", header: nil),
        Case(field: "__Host-a=1; Path=/", from: "https://x.org/", to: "https://x.org/", header: nil),
        Case(field: "__Host-a=1; Secure; Path=/b", from: "https://x.org/", to: "https://x.org/b", header: nil),
        Case(
            field: "__host-a=1; Secure; Path=/; Domain=x.org", from: "https://x.org/", to: "https://x.org/",
            header: nil),
        // At most 400 days.
        Case(
            field: "a=1; Max-Age=99999999999999999999999", from: "http://x.org/", to: "http://x.org/", header: "a=1",
            after: 400 * 86_400 - 1),
        Case(
            field: "a=1; Max-Age=99999999999999999999999", from: "http://x.org/", to: "http://x.org/", header: nil,
            after: 400 * 86_400),
        Case(
            field: "a=1; Expires=Wed, 15 Nov 2056 22:13:20 GMT", from: "http://x.org/", to: "http://x.org/",
            header: nil, after: 400 * 86_400),
        Case(
            field: "a=1; Max-Age=-99999999999999999999999", from: "http://x.org/", to: "http://x.org/", header: nil),
        Case(field: "a=1; Max-Age=+0", from: "http://x.org/", to: "http://x.org/", header: "a=1"),
        Case(field: "=1", from: "http://x.org/", to: "http://x.org/", header: nil),
        Case(field: "a", from: "http://x.org/", to: "http://x.org/", header: nil),
        Case(field: "a=\u{1}", from: "http://x.org/", to: "http://x.org/", header: nil),
    ]

    @Test(arguments: cases) func aCookieIsSentWhereItMatches(_ example: Case) throws {
        let header = try header([example.field], from: example.from, to: example.to, after: example.after)
        #expect(header == example.header)
    }

    @Test func aLaterCookieReplacesAndLongerPathsComeFirst() throws {
        let fields = ["a=1", "b=2; Path=/deep", "a=3"]
        let header = try header(fields, from: "http://x.org/", to: "http://x.org/deep/c")
        #expect(header == "b=2; a=3")
    }

    @Test func theNumberOfCookiesPerDomainIsLimited() throws {
        var jar = CookieJar()
        let url = try #require(URL(string: "http://x.org/"))
        jar.store((0..<200).map { "c\($0)=1" }, setBy: url, at: Self.now)
        #expect(jar.cookies.count == CookieJar.maximumPerDomain && jar.cookies.last?.name == "c199")
    }

    private func jar(_ fields: [String], from: String) throws -> CookieJar {
        var jar = CookieJar()
        jar.store(fields, setBy: try #require(URL(string: from)), at: Self.now)
        return jar
    }

    @Test func longerPathsComeFirstThenOlderCookies() throws {
        let fields = ["a=1; Path=/", "b=2; Path=/pics", "c=3; Path=/", "a=4; Path=/pics"]
        #expect(try header(fields, from: "http://x.org/", to: "http://x.org/pics/d") == "b=2; a=4; a=1; c=3")
    }

    @Test(arguments: [("http://x.org/pics", "/"), ("http://x.org", "/"), ("http://x.org/pics/b", "/pics")])
    func theDefaultPathIsTheFolderOfTheURL(_ url: String, _ path: String) throws {
        #expect(try jar(["a=1"], from: url).cookies.map(\.path) == [path])
    }

    @Test func cookiesOfDifferentDomainsDoNotReplaceEachOther() throws {
        var jar = try jar(["a=1"], from: "http://x.org/")
        jar.store(["a=2"], setBy: try #require(URL(string: "http://y.org/")), at: Self.now)
        #expect(jar.cookies.map(\.value) == ["1", "2"])
    }

    @Test func expiredCookiesAreRemoved() throws {
        var jar = try jar(["b=2; Max-Age=10", "c=3", "a=1; Max-Age=0"], from: "http://x.org/")
        #expect(jar.cookies.map(\.name) == ["b", "c"])
        jar.store(["d=4"], setBy: try #require(URL(string: "http://x.org/")), at: Self.now.addingTimeInterval(10))
        #expect(jar.cookies.map(\.name) == ["c", "d"])
    }

    @Test(arguments: [(4096, 1), (4097, 0)]) func aCookieIsAtMost4096Bytes(_ length: Int, _ count: Int) throws {
        let field = "a=" + String(repeating: "x", count: length - 2)
        #expect(try jar([field], from: "http://x.org/").cookies.count == count)
    }

    // MARK: Cookies for TLS alone

    @Test(
        arguments: [
            // Replaces the cookie, or hides it.
            ("a=2", "http://x.org/", "a=1"), ("a=2; Domain=x.org", "http://x.org/", "a=1"),
            ("a=2; Path=/deep", "http://x.org/", "a=1"), ("a=2; Domain=x.org", "http://www.x.org/", "a=1"),
            ("a=; Max-Age=0", "http://x.org/", "a=1"),
            // Another name, or TLS.
            ("b=2", "http://x.org/", "a=1; b=2"), ("a=2; Secure", "https://x.org/", "a=2"),
            ("a=2", "https://x.org/", "a=2"),
        ]) func withoutTLSACookieForTLSIsNotReplaced(_ field: String, _ url: String, _ expected: String) throws
    {
        var jar = try jar(["a=1; Secure"], from: "https://x.org/")
        jar.store([field], setBy: try #require(URL(string: url)), at: Self.now)
        let target = try #require(URL(string: "https://x.org/deep/b"))
        #expect(jar.header(for: target, at: Self.now) == expected)
    }

    @Test func withoutTLSACookieForTLSIsNotEvicted() throws {
        var jar = try jar(["a=1; Secure"], from: "https://x.org/")
        let url = try #require(URL(string: "http://x.org/"))
        for number in 0..<200 { jar.store(["c\(number)=1"], setBy: url, at: Self.now) }
        #expect(jar.cookies.first?.name == "a" && jar.cookies.count == CookieJar.maximumPerDomain)
    }

    // MARK: Limits

    @Test func theCookieFieldIsLimited() throws {
        let value = String(repeating: "x", count: 1000)
        let url = try #require(URL(string: "http://x.org/"))
        let header = try #require(
            try jar((10..<40).map { "c\($0)=\(value)" }, from: "http://x.org/").header(for: url, at: Self.now))
        #expect(header.utf8.count <= CookieJar.maximumFieldByteCount && header.hasPrefix("c10=x"))
        #expect(header.components(separatedBy: "; ").count == 8)
    }

    @Test func aLongAttributeIsIgnored() throws {
        let path = "/" + String(repeating: "x", count: 1024)
        #expect(try jar(["a=1; Path=\(path)"], from: "http://x.org/b/c").cookies.map(\.path) == ["/b"])
    }

    @Test func theNumberOfCookiesIsLimited() throws {
        var jar = CookieJar()
        for number in 0...CookieJar.maximumCount {
            jar.store(["c\(number)=1"], setBy: try #require(URL(string: "http://h\(number).org/")), at: Self.now)
        }
        #expect(jar.cookies.count == CookieJar.maximumCount && jar.cookies.first?.name == "c1")
    }
}

@Suite(.timeLimited) struct CookieTests {
    private var asking: HTTPOptions {
        var options = HTTPOptions()
        options.usesCookies = true
        return options
    }

    @Test func cookiesAreStoredAndSentIfTheRequestUsesThem() async throws {
        try await Fixture.withOrigin(options: asking) { origin, load in
            origin.serve("/set", response: .redirect(to: "/a").with(header: "Set-Cookie", value: "session=1"))
            origin.serve("/a", response: .testImage)
            _ = try await load("/set")
            #expect(origin.requests.last?[header: "cookie"] == "session=1")
        }
    }

    /// A server that redirects everyone without a cookie to itself, as curl and browsers follow it.
    private func serveWall(on origin: Origin) {
        origin.serve("/a") { request in
            guard request[header: "cookie"] == nil else { return .testImage }
            return .redirect(to: "/a").with(header: "Set-Cookie", value: "seen=1")
        }
    }

    @Test func aRedirectToTheSameURLIsNoCycleIfACookieWasSet() async throws {
        try await Fixture.withOrigin(options: asking) { origin, load in
            serveWall(on: origin)
            let loaded = try await load("/a").data
            #expect(loaded == Fixture.body && origin.requests.count == 2)
            // The limit on redirects ends it.
            origin.serve("/b") { _ in .redirect(to: "/b").with(header: "Set-Cookie", value: "b=1; Path=/never") }
            let error = await Fixture.expect(.tooManyRedirects) { try await load("/b") }
            #expect(error?.message.contains("more than") == true)
        }
    }

    @Test func aCycleThatCookiesWouldEndNamesThem() async throws {
        try await Fixture.withOrigin { origin, load in
            serveWall(on: origin)
            let error = await Fixture.expect(.tooManyRedirects) { try await load("/a") }
            #expect(error?.message.contains("the server sets cookies") == true && origin.requests.count == 1)
            origin.serve("/b", response: .redirect(to: "/b"))
            let plain = await Fixture.expect(.tooManyRedirects) { try await load("/b") }
            #expect(plain?.message.contains("cookies") == false)
        }
    }

    @Test func cookiesStayWithTheirHost() async throws {
        try await Fixture.withOrigin(options: asking) { origin, load in
            let elsewhere = origin.url("/a").absoluteString.replacing("127.0.0.1", with: "localhost")
            origin.serve("/set", response: .redirect(to: elsewhere).with(header: "Set-Cookie", value: "session=1"))
            origin.serve("/a", response: .testImage)
            _ = try await load("/set")
            #expect(origin.requests.last?[header: "cookie"] == nil)
        }
    }

    @Test func cookiesAreNotUsedByDefault() async throws {
        let configuration = DownloaderConfiguration.patient
        try await Fixture.withOrigin(configuration) { origin, load in
            configuration.cookies.store(["a=1"], setBy: origin.baseURL)
            origin.serve("/a", response: .testImage.with(header: "Set-Cookie", value: "b=1"))
            _ = try await load("/a")
            #expect(origin.requests.first?[header: "cookie"] == nil)
            #expect(configuration.cookies.cookies.map(\.name) == ["a"])
        }
    }
}
