import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

@Suite(.timeLimited) struct AddressTests {
    @Test(
        arguments: [
            ("8.8.8.8", .global), ("127.0.0.1", .loopback), ("127.255.255.254", .loopback),
            ("10.1.2.3", .privateNetwork),
            ("172.15.255.255", .global), ("172.16.0.0", .privateNetwork), ("172.31.255.255", .privateNetwork),
            ("172.32.0.0", .global), ("192.168.0.1", .privateNetwork), ("100.64.0.1", .privateNetwork),
            ("100.128.0.1", .global), ("169.254.1.1", .linkLocal), ("169.254.169.254", .metadata),
            ("168.63.129.16", .metadata), ("100.100.100.200", .metadata), ("192.0.0.192", .metadata),
            ("0.0.0.0", .reserved), ("224.0.0.1", .multicast), ("255.255.255.255", .reserved), ("240.0.0.1", .reserved),
            ("198.18.0.1", .reserved), ("203.0.113.9", .reserved),
            ("::1", .loopback), ("::", .reserved), ("fe80::1", .linkLocal), ("fc00::1", .privateNetwork),
            ("fdff::1", .privateNetwork), ("fec0::1", .privateNetwork), ("ff02::1", .multicast),
            ("2606:4700::1111", .global), ("2001:db8::1", .reserved), ("2001::1", .reserved), ("4000::1", .reserved),
            ("fd00:ec2::254", .metadata), ("::ffff:127.0.0.1", .loopback), ("::ffff:8.8.8.8", .global),
            ("64:ff9b::10.0.0.1", .privateNetwork), ("64:ff9b::8.8.8.8", .global), ("64:ff9b:1::1", .reserved),
            ("2002:7f00:1::", .loopback), ("2002:a9fe:a9fe::", .metadata), ("100::1", .reserved),
            ("::127.0.0.1", .reserved), ("::ffff:0:127.0.0.1", .reserved), ("64:ff9b::a9fe:a9fe", .metadata),
            ("fd00:ec2::23", .metadata), ("fd00:ec2::253", .metadata), ("fd20:ce::254", .metadata),
            ("fd00:c1::a9fe:a9fe", .metadata), ("fd00:42::42", .metadata), ("fd00:a9fe:a9fe::1", .metadata),
            ("fe80::a9fe:a9fe", .metadata), ("169.254.170.2", .metadata), ("169.254.170.23", .metadata),
            ("169.254.42.42", .metadata), ("169.254.0.23", .metadata), ("100.96.0.96", .metadata),
            ("::ffff:169.254.170.2", .metadata), ("2002:a9fe:aa02::1", .metadata),
            // Teredo, ORCHIDv2, benchmarks, discard-only, segment routing, documentation.
            ("2001:0:7f00:1::", .reserved), ("2001:20::1", .reserved), ("2001:2::1", .reserved),
            ("100:0:0:1::1", .reserved), ("5f00::1", .reserved), ("3fff:fff::1", .reserved), ("2001:200::1", .global),
            // ISATAP.
            ("2606:4700::5efe:10.0.0.1", .privateNetwork), ("2606:4700::200:5efe:127.0.0.1", .loopback),
            ("2606:4700::5efe:8.8.8.8", .global), ("fe80::5efe:8.8.8.8", .linkLocal),
        ] as [(String, AddressKind)]) func addressesHaveTheirKind(_ text: String, _ kind: AddressKind) throws
    {
        #expect(try #require(IPAddress(text)).kind == kind)
    }

    @Test(arguments: [
        ("http://example.org/", true), ("https://example.org/", true), ("https://example.org:443/", true),
        ("http://example.org:8080/", false), ("ftp://example.org/", false), ("http://bad.example.org/", false),
        ("http://bad.example.org./", false), ("http://deep.bad.example.org/", true), ("http://a.evil.net/", false),
        ("http://evil.net/", true), ("http://BAD.example.org/", false),
    ]) func urlsAreChecked(_ text: String, _ isAllowed: Bool) throws {
        let serverGuard = ServerGuard(deniedHosts: ["bad.example.org", "*.evil.net"])
        let url = try #require(URL(string: text))
        #expect(((try? serverGuard.check(url)) != nil) == isAllowed)
    }

    /// One host has many spellings, in the list as well as in the URL.
    @Test(arguments: [
        ("10.0.0.5", "http://10.0.0.5/"), ("10.0.0.5", "http://167772165/"), ("10.0.0.5", "http://0xa.5/"),
        ("10.0.0.5", "http://012.0.0.5/"), ("10.0.0.5", "http://[::ffff:10.0.0.5]/"),
        ("10.0.0.5", "http://[64:ff9b::10.0.0.5]/"), ("10.0.0.5", "http://10.0.0%2E5/"),
        ("10.0.0.5", "http://[2606:4700::5efe:10.0.0.5]/"), ("167772165", "http://10.0.0.5/"),
        ("::ffff:10.0.0.5", "http://10.0.0.5/"), ("fd00::5", "http://[fd00:0:0:0::5]/"),
        ("[fd00::5]", "http://[FD00::5]/"), ("fe80::5", "http://[fe80::5%25eth0]/"),
        ("bücher.example", "http://bücher.example/"), ("BÜCHER.example", "http://xn--bcher-kva.example/"),
        ("bücher.example", "http://b%C3%BCcher.example/"), ("xn--bcher-kva.example", "http://bücher.example/"),
        ("*.bücher.example", "http://a.bücher.example/"), ("example.org.", "http://example.org/"),
        ("*.Example.org.", "http://a.example.org/"), ("example.org", "http://EXAMPLE.org./"),
        ("example.org", "http://%65xample.org/"), ("example.org", "http://ｅxample。org/"),
    ]) func aHostIsDeniedInEverySpelling(_ entry: String, _ text: String) throws {
        let serverGuard = ServerGuard(deniedHosts: [entry], addresses: Set(AddressKind.allCases))
        let url = try #require(URL(string: text))
        expectError(.forbidden) { try serverGuard.check(url) }
        #expect(serverGuard.deniedHosts == [entry])
        let other = try #require(URL(string: "http://10.0.0.6/"))
        #expect(throws: Never.self) { try serverGuard.check(other) }
    }

    @Test(arguments: [
        ("http://10.0.0.5/", true), ("http://0xa.5/", true), ("http://[0:0::1]/", true), ("http://10.0.0.6/", false),
        ("http://bücher.example/", true), ("http://[::ffff:10.0.0.5]/", false),
    ]) func anAllowedHostIsAcceptedInEverySpelling(_ text: String, _ isAllowed: Bool) throws {
        let serverGuard = ServerGuard(
            allowedHosts: ["10.0.0.5", "::1", "bücher.example"], addresses: Set(AddressKind.allCases))
        let url = try #require(URL(string: text))
        #expect(((try? serverGuard.check(url)) != nil) == isAllowed)
    }

    /// A name server may return a denied address for any name.
    @Test func aNameThatResolvesToADeniedAddressIsDenied() async throws {
        let serverGuard = ServerGuard(
            deniedHosts: ["127.0.0.1", "::1"], ports: nil, addresses: Set(AddressKind.allCases))
        let name = try #require(URL(string: "http://localhost:1/"))
        var options = HTTPOptions()
        options.serverGuard = serverGuard
        await Fixture.expect(.forbidden) { try await Fixture.load(.url(name), Downloader.patient, options: options) }
    }

    @Test(arguments: [
        ("http://example.org/", true), ("http://a.example.com/", true), ("http://example.com/", false),
        ("http://other.org/", false),
    ])
    func onlyAllowedHostsAreAccepted(_ text: String, _ isAllowed: Bool) throws {
        let serverGuard = ServerGuard(allowedHosts: ["example.org", "*.example.com"])
        let url = try #require(URL(string: text))
        #expect(((try? serverGuard.check(url)) != nil) == isAllowed)
    }
}

@Suite(.timeLimited) struct GuardTests {
    private func options(_ serverGuard: ServerGuard) -> HTTPOptions {
        var options = HTTPOptions()
        options.serverGuard = serverGuard
        return options
    }

    /// Allows the origins of the tests.
    private static let lenient = ServerGuard(ports: nil, addresses: [.global, .loopback])

    @Test func theLocalMachineIsRefused() async throws {
        try await Fixture.withOrigin(options: options(ServerGuard(ports: nil))) { origin, load in
            origin.serve("/a", response: .testImage)
            let error = await Fixture.expect(.forbidden) { try await load("/a") }
            let reason = error?.underlying.map { "\($0)" }
            #expect(reason == "the address 127.0.0.1 (loopback)")
            #expect(origin.requestCount() == 0 && origin.openConnections == 0)
        }
    }

    @Test func aNameOfTheLocalMachineIsRefused() async throws {
        try await Fixture.withOrigin { origin in
            let url = try #require(
                URL(string: origin.url("/a").absoluteString.replacing("127.0.0.1", with: "localhost")))
            await Fixture.expect(.forbidden) {
                try await Fixture.load(.url(url), Downloader.patient, options: options(ServerGuard(ports: nil)))
            }
            #expect(origin.openConnections == 0)
        }
    }

    @Test(arguments: [
        "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://[::ffff:127.0.0.1]/", "http://0/",
    ])
    func otherSpellingsOfTheLocalMachineAreRefused(_ text: String) async throws {
        let url = try #require(URL(string: text))
        let error = await Fixture.expect(.forbidden) {
            try await Fixture.load(.url(url), Downloader.patient, options: options(ServerGuard(ports: nil)))
        }
        #expect(error != nil)
    }

    /// The author of a URL must not learn from errors which hosts, addresses and ports exist.
    @Test func allRefusalsHaveTheSameMessage() async throws {
        let serverGuard = ServerGuard(deniedHosts: ["denied.test"], ports: [80])
        var messages: Set<String> = []
        for text in [
            "http://127.0.0.1/", "http://169.254.169.254/", "http://localhost/", "http://8.8.8.8:22/",
            "http://denied.test/", "http://[::1]/", "http://[fd20:ce::254]/", "file:///etc/passwd",
            "data:image/png;base64,AAAA", "ftp://example.org/a.png", "http://8.8.8.8:99999/",
        ] {
            let url = try #require(URL(string: text))
            let error = try #require(
                await Fixture.expect(.forbidden) {
                    try await Fixture.load(.url(url), Downloader.patient, options: options(serverGuard))
                })
            messages.insert(error.message)
            #expect(error.underlying is ServerGuard.Refusal)
        }
        #expect(messages.count == 1)
    }

    @Test func anAllowedServerIsUsed() async throws {
        try await Fixture.withOrigin(options: options(Self.lenient)) { origin, load in
            origin.serve("/a", response: .testImage)
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    @Test(arguments: [
        "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[fe80::1]/", "file:///etc/passwd",
        "data:image/png;base64,AAAA", "gopher://10.0.0.1/",
    ])
    func aRedirectIntoANetworkIsRefused(_ location: String) async throws {
        try await Fixture.withOrigin(options: options(Self.lenient)) { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .redirect(to: location))
            await Fixture.expect(.forbidden) { try await load("/a") }
        }
    }

    @Test func aRedirectToAnotherPortIsRefused() async throws {
        try await Fixture.withOrigin { other in
            other.serve("/b", response: .testImage)
            try await Fixture.withOrigin { origin in
                origin.serve("/a", response: .redirect(to: other.url("/b").absoluteString))
                let ports: Set<Int> = [try #require(origin.baseURL.port)]
                let serverGuard = ServerGuard(ports: ports, addresses: [.global, .loopback])
                await Fixture.expect(.forbidden) {
                    try await Fixture.load(.url(origin.url("/a")), Downloader.patient, options: options(serverGuard))
                }
                #expect(other.requestCount() == 0)
            }
        }
    }

    // MARK: The connection

    @Test func anAllowedNameKeepsItsHostFieldAndItsConnection() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let downloader = Downloader.patient
            let url = try #require(
                URL(string: origin.url("/a").absoluteString.replacing("127.0.0.1", with: "LocalHost")))
            let first = try await Fixture.load(.url(url), downloader, options: options(Self.lenient))
            let second = try await Fixture.load(.url(url), downloader, options: options(Self.lenient))
            #expect(first.data == Fixture.body && second.metrics?.isConnectionReused == true)
            #expect(origin.requests.allSatisfy { $0[header: "host"]?.lowercased().hasPrefix("localhost:") == true })
        }
    }

    /// A connection that was opened without a guard, or with another one, is checked before it is used again.
    @Test func aGuardedRequestUsesNoConnectionToARefusedAddress() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let downloader = Downloader.patient
            let url = try #require(
                URL(string: origin.url("/a").absoluteString.replacing("127.0.0.1", with: "localhost")))
            _ = try await Fixture.load(.url(url), downloader)
            #expect(origin.openConnections == 1)
            let error = await Fixture.expect(.forbidden) {
                try await Fixture.load(.url(url), downloader, options: options(ServerGuard(ports: nil)))
            }
            #expect(error?.underlying is ServerGuard.Refusal && origin.requestCount() == 1)
            let metrics = try await Fixture.load(.url(url), downloader, options: options(Self.lenient)).metrics
            #expect(metrics?.status == 200)
        }
    }

    /// It would resolve the names. A proxy in the configuration is the program's choice.
    @Test func aProxyThatTheEnvironmentNamesIsRefused() throws {
        let url = try #require(URL(string: "http://images.test/a.png"))
        let setting = ProxySetting.environment
        let proxy = try setting.proxy(for: url, environment: ["http_proxy": "http://proxy.test:3128"])
        let error = #expect(throws: TintypeError.self) { try ServerGuard.check(proxy, from: setting) }
        #expect(error?.code == .refusedRequest)
        try ServerGuard.check(try setting.proxy(for: url, environment: [:]), from: setting)
        let server = try #require(proxy)
        try ServerGuard.check(server, from: .server(server))
    }

    @Test func aTransportThatChecksNoAddressesIsRefused() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.transport = UncheckedTransport()
        try await Fixture.withOrigin(configuration, options: options(Self.lenient)) { origin, load in
            origin.serve("/a", response: .testImage)
            await Fixture.expect(.refusedRequest) { try await load("/a") }
            #expect(origin.openConnections == 0)
        }
    }

    private struct UncheckedTransport: HTTPTransport {
        func send(_ request: TransportRequest, to response: TransportResponse) -> any TransportExchange {
            CurlTransport.shared.send(request, to: response)
        }
    }
}
