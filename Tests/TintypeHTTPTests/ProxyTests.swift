import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

@Suite struct ProxySettingTests {
    struct Case: Sendable {
        let variables: [String: String]
        let url: String
        let proxy: ProxyServer?
    }

    private static let proxy = ProxyServer(host: "proxy.org", port: 3128)

    static let cases: [Case] = [
        Case(variables: [:], url: "http://x.org/", proxy: nil),
        Case(variables: ["http_proxy": "http://proxy.org:3128"], url: "http://x.org/", proxy: proxy),
        Case(variables: ["http_proxy": "http://proxy.org:3128"], url: "https://x.org/", proxy: nil),
        Case(variables: ["HTTP_PROXY": "http://proxy.org:3128"], url: "http://x.org/", proxy: nil),
        Case(variables: ["https_proxy": "proxy.org:3128"], url: "https://x.org/", proxy: proxy),
        Case(variables: ["HTTPS_PROXY": "http://proxy.org:3128/"], url: "https://x.org/", proxy: proxy),
        Case(variables: ["all_proxy": "http://proxy.org:3128"], url: "http://x.org/", proxy: proxy),
        Case(variables: ["http_proxy": "", "all_proxy": "proxy.org:3128"], url: "http://x.org/", proxy: proxy),
        Case(variables: ["all_proxy": "proxy.org:3128", "no_proxy": "x.org"], url: "http://x.org/", proxy: nil),
        Case(
            variables: ["all_proxy": "proxy.org:3128", "no_proxy": " .x.org , y.org"], url: "http://a.x.org/",
            proxy: nil),
        Case(variables: ["all_proxy": "proxy.org:3128", "no_proxy": "x.org"], url: "http://badx.org/", proxy: proxy),
        Case(variables: ["all_proxy": "proxy.org:3128", "NO_PROXY": "*"], url: "http://x.org/", proxy: nil),
        Case(
            variables: ["all_proxy": "socks5://proxy.org", "http_proxy": "proxy.org:3128"], url: "http://x.org/",
            proxy: proxy),
        Case(
            variables: ["all_proxy": "socks5://proxy.org"], url: "http://x.org/",
            proxy: ProxyServer(.socks5, host: "proxy.org", port: 1080)),
        Case(
            variables: ["https_proxy": "SOCKS5h://127.0.0.1:9"], url: "https://x.org/",
            proxy: ProxyServer(.socks5, host: "127.0.0.1", port: 9)),
        Case(
            variables: ["all_proxy": "socks5://proxy.org", "no_proxy": "x.org"], url: "http://x.org/", proxy: nil),
        Case(
            variables: ["all_proxy": "socks5://me:it@proxy.org"], url: "http://x.org/",
            proxy: ProxyServer(
                .socks5, host: "proxy.org", port: 1080, credential: .basic(user: "me", password: "it"))),
        Case(
            variables: ["all_proxy": "http://me:it@proxy.org"], url: "http://x.org/",
            proxy: ProxyServer(host: "proxy.org", port: 1080, credential: .basic(user: "me", password: "it"))),
        Case(
            variables: ["all_proxy": "http://m%40e:i%3At@proxy.org"], url: "http://x.org/",
            proxy: ProxyServer(host: "proxy.org", port: 1080, credential: .basic(user: "m@e", password: "i:t"))),
        Case(
            variables: ["all_proxy": "proxy.org:3128", "no_proxy": "y.org", "NO_PROXY": "x.org"], url: "http://x.org/",
            proxy: proxy),
    ]

    @Test(arguments: cases) func theEnvironmentNamesTheProxy(_ example: Case) throws {
        let url = try #require(URL(string: example.url))
        #expect(try ProxySetting.environment.proxy(for: url, environment: example.variables) == example.proxy)
    }

    /// A direct connection would reveal the address that the proxy is to hide.
    @Test(arguments: [
        ["all_proxy": "socks4://me:secret@proxy.org"], ["http_proxy": "socks4://127.0.0.1:9"],
        ["all_proxy": "http://proxy.org:99999"], ["http_proxy": "https://proxy.org"], ["ALL_PROXY": "http://"],
        ["http_proxy": "socks4a://proxy.org", "all_proxy": "proxy.org:3128"],
    ]) func aProxyThatCannotBeUsedIsAnError(_ variables: [String: String]) throws {
        let url = try #require(URL(string: "http://x.org/"))
        let error = expectError(.unreachable) {
            try ProxySetting.environment.proxy(for: url, environment: variables)
        }
        #expect(error?.message.hasPrefix("unsupported proxy") == true)
        #expect(error?.description.contains("secret") == false)
        #expect(try ProxySetting.direct.proxy(for: url, environment: variables) == nil)
    }
}

@Suite(.timeLimited) struct ProxyTests {
    @Test(arguments: [false, true]) func requestsGoThroughTheProxy(_ isSecure: Bool) async throws {
        let proxy = try await ForwardingProxy.start {
            isSecure ? ConnectProtocol() as any ProxyProtocol : AbsoluteProtocol()
        }
        let identity = try TestCertificate.make()
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        configuration.proxy = .server(
            ProxyServer(host: "127.0.0.1", port: proxy.port, credential: .basic(user: "me", password: "it")))
        try await Fixture.withOrigin(configuration, identity: isSecure ? identity : nil) { origin, load in
            origin.serve("/a", response: .testImage)
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            let request = try #require(proxy.requests.first)
            let start = isSecure ? "CONNECT 127.0.0.1:\(origin.baseURL.port ?? 0)" : "GET \(origin.url("/a"))"
            #expect(request.hasPrefix("\(start) HTTP/1.1\r\n"))
            #expect(request.lowercased().contains("proxy-authorization: basic bwu6axq="))
        }
        await proxy.stop()
    }

    @Test(arguments: [false, true]) func requestsGoThroughASOCKSProxy(_ isSecure: Bool) async throws {
        let proxy = try await ForwardingProxy.start { SOCKSProtocol() }
        let identity = try TestCertificate.make()
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        configuration.proxy = .server(ProxyServer(.socks5, host: "127.0.0.1", port: proxy.port))
        try await Fixture.withOrigin(configuration, identity: isSecure ? identity : nil) { origin, load in
            origin.serve("/a", response: .testImage)
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            #expect(proxy.requests == ["127.0.0.1:\(origin.baseURL.port ?? 0)"])
        }
        await proxy.stop()
    }

    @Test(arguments: ["it", "wrong"]) func aSOCKSProxyMayAskForAPassword(_ password: String) async throws {
        let proxy = try await ForwardingProxy.start { SOCKSProtocol(("me", "it")) }
        var configuration = DownloaderConfiguration.patient
        configuration.proxy = .server(
            ProxyServer(
                .socks5, host: "127.0.0.1", port: proxy.port, credential: .basic(user: "me", password: password)))
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .testImage)
            guard password == "it" else {
                await Fixture.expect(.unreachable) { try await load("/a") }
                return #expect(origin.requestCount() == 0)
            }
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
        await proxy.stop()
    }

    @Test func aMissingProxyIsUnreachable() async throws {
        let proxy = try await ForwardingProxy.start { ConnectProtocol() }
        await proxy.stop()
        var configuration = DownloaderConfiguration.patient
        configuration.proxy = .server(ProxyServer(host: "127.0.0.1", port: proxy.port))
        try await Fixture.withOrigin(configuration) { origin, load in
            await Fixture.expect(.unreachable) { try await load("/a") }
            #expect(origin.requestCount() == 0)
        }
    }
}
