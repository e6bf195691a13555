import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@Suite(.timeLimited) struct SecureTests {
    @Test func aTrustedCertificateIsAccepted() async throws {
        let identity = try TestCertificate.make()
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        try await Fixture.withOrigin(configuration, identity: identity) { origin, load in
            origin.serve("/a", response: .testImage)
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.isEncrypted == true)
        }
    }

    @Test func anUntrustedCertificateIsRefusedWithAClearMessage() async throws {
        try await Fixture.withOrigin(identity: try TestCertificate.make()) { origin, load in
            origin.serve("/a", response: .testImage)
            let error = await Fixture.expect(.insecure) { try await load("/a") }
            #expect(error?.message == "the certificate of the server is not trusted")
            #expect(origin.requestCount() == 0)
        }
    }

    @Test func aCertificateForAnotherNameIsRefused() async throws {
        let identity = try TestCertificate.make(for: "example.org")
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        try await Fixture.withOrigin(configuration, identity: identity) { origin, load in
            origin.serve("/a", response: .testImage)
            await Fixture.expect(.insecure) { try await load("/a") }
        }
    }

    @Test func aHostWithAnUncheckedCertificateIsAccepted() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.hostsWithUncheckedCertificates = ["127.0.0.1"]
        try await Fixture.withOrigin(configuration, identity: try TestCertificate.make()) { origin, load in
            origin.serve("/a", response: .testImage)
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    @Test func anotherHostIsStillChecked() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.hostsWithUncheckedCertificates = ["localhost"]
        try await Fixture.withOrigin(configuration, identity: try TestCertificate.make()) { origin, load in
            origin.serve("/a", response: .testImage)
            await Fixture.expect(.insecure) { try await load("/a") }
        }
    }

    @Test func anUncheckedCertificateDoesNotApplyToARedirect() async throws {
        let identity = try TestCertificate.make()
        var options = HTTPOptions()
        options.acceptsUncheckedCertificate = true
        try await Fixture.withOrigin(identity: identity) { other in
            other.serve("/b", response: .testImage)
            try await Fixture.withOrigin(options: options, identity: identity) { origin, load in
                origin.serve("/a", response: .testImage)
                origin.serve("/away", response: .redirect(to: other.url("/b").absoluteString))
                let data = try await load("/a").data
                #expect(data == Fixture.body)
                await Fixture.expect(.insecure) { try await load("/away") }
            }
        }
    }

    @Test func aClientProvesItsIdentityToItsHostAlone() async throws {
        let client = try TestCertificate.make(for: "client")
        var identity = try TestCertificate.make()
        identity.clients = client.certificates
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        try await Fixture.withOrigin(identity: identity) { origin in
            origin.serve("/a", response: .testImage)
            let source = ImageSource.url(origin.url("/a"))
            let certificate = ClientCertificate(certificates: client.certificates, key: client.key)
            configuration.clientCertificates = ["example.org": certificate]
            // The alert of TLS 1.3 arrives after the handshake.
            await expectError(.transport) { try await Fixture.load(source, Downloader(configuration)) }
            #expect(origin.requestCount() == 0)
            configuration.clientCertificates = ["127.0.0.1": certificate]
            let downloader = Downloader(configuration)
            var loadCount = 0
            // On a busy machine, a load may begin before the connection of the last one is free.
            repeat {
                let loaded = try await Fixture.load(source, downloader)
                #expect(loaded.data == Fixture.body)
                loadCount += 1
            } while origin.openConnections >= loadCount && loadCount < 100
            #expect(origin.openConnections < loadCount, "a connection is used again")
        }
    }

    @Test func aClientCertificateThatCannotBeReadIsAnError() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.clientCertificates = ["127.0.0.1": ClientCertificate(certificates: "no", key: "secret")]
        try await Fixture.withOrigin(configuration, identity: try TestCertificate.make()) { origin, load in
            origin.serve("/a", response: .testImage)
            let error = await Fixture.expect(.insecure) { try await load("/a") }
            #expect(error?.message == "a client certificate or its key cannot be read" && origin.requestCount() == 0)
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func aHandshakeThatNeverEndsIsATimeOut() async throws {
        let silent = try await SocketServer { _ in (SilentConnection(), nil) }
        var options = HTTPOptions()
        options.connectTimeout = .milliseconds(100)
        let url = try #require(URL(string: "https://127.0.0.1:\(silent.port)/a"))
        await Fixture.expect(.timedOut) { try await Fixture.load(.url(url), Downloader.patient, options: options) }
        await silent.stop()
    }

    @Test func plainHTTPIsNotTLS() async throws {
        try await Fixture.withOrigin { origin in
            let url = try #require(URL(string: origin.url("/a").absoluteString.replacing("http:", with: "https:")))
            await Fixture.expect(.insecure) { try await Fixture.load(.url(url), Downloader.patient) }
        }
    }

    @Test func anInvalidTrustedCertificateIsAnError() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
        try await Fixture.withOrigin(configuration) { _, load in
            _ = await Fixture.expect(.insecure) { try await load("/a") }
        }
    }

    @Test(.enabled(if: Fixture.hasHTTP2)) func http2IsUsedOverTLS() async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(identity, body: Fixture.body)
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        let downloader = Downloader(configuration)
        let loads = (0..<20).map { downloader.download(.url(server.url("/\($0)"))) }
        for load in loads {
            let loaded = try await load.bytes
            #expect(loaded.data == Fixture.body && loaded.metrics?.httpVersion == "http/2")
        }
        #expect(server.connectionCount == 1)
        await server.stop()
    }

    @Test(.enabled(if: Fixture.hasHTTP2), arguments: [0, 1])
    func aServerMayChooseAnotherVersionForEachConnection(_ first: Int) async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(identity, body: Fixture.body) { number in
            (number + first).isMultiple(of: 2) ? ["h2", "http/1.1"] : ["http/1.1"]
        }
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        // A new connection may be among those that are closed.
        configuration.retry = RetryPolicy(maximumAttempts: 5)
        configuration.clock.sleep = { _ in }
        let downloader = Downloader(configuration)
        for round in 0..<8 {
            let count = server.requestCount
            server.holdResponses(true)
            let held = ["/a\(round)", "/b\(round)"].map { downloader.download(.url(server.url($0))) }
            await server.waitForRequests(count + 2)
            await server.closeConnections()
            held.forEach { $0.cancel() }
            server.holdResponses(false)
            let loaded = try await downloader.download(.url(server.url("/\(round)"))).bytes
            #expect(loaded.data == Fixture.body)
        }
        await server.stop()
    }

    @Test(.enabled(if: Fixture.hasHTTP2)) func serversOfBothVersionsShareADownloader() async throws {
        let identity = try TestCertificate.make()
        let versions = ["h2", "http/1.1", "h2"]
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        let downloader = Downloader(configuration)
        var used: [String?] = []
        for version in versions {
            let server = try await HTTP2Server.start(identity, body: Fixture.body) { _ in [version] }
            for path in ["/a", "/b"] {
                let loaded = try await downloader.download(.url(server.url(path))).bytes
                used.append(loaded.metrics?.httpVersion)
            }
            #expect(server.connectionCount == 1)
            await server.stop()
        }
        #expect(used == ["http/2", "http/2", "http/1.1", "http/1.1", "http/2", "http/2"])
    }

    /// A connection whose server has sent nothing in time is not used again.
    @Test(.enabled(if: Fixture.hasHTTP2 && Fixture.connectsInTime))
    func aServerWithASilentConnectionIsReachedOverAnother() async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(
            identity, body: Fixture.body, versions: { _ in ["h2", "http/1.1"] }, isSilent: { $0 == 0 })
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        configuration.idleTimeout = .seconds(1)
        // A busy machine may need more than one attempt in this time.
        configuration.retry = RetryPolicy(maximumAttempts: 50)
        configuration.clock.sleep = { _ in }
        let loaded = try await Downloader(configuration).download(.url(server.url("/a"))).bytes
        #expect(loaded.data == Fixture.body && server.connectionCount >= 2)
        await server.closeConnections()
        await server.stop()
    }

    @Test func anIdleServerOverTLSIsATimeOut() async throws {
        let identity = try TestCertificate.make()
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        configuration.idleTimeout = .milliseconds(100)
        try await Fixture.withOrigin(configuration, identity: identity) { origin, load in
            origin.serve("/never", response: .testImage.setting(\.ending, to: .never))
            origin.serve("/stalls", response: .testImage.setting(\.ending, to: .silence(after: 1000)))
            await Fixture.expect(.timedOut) { try await load("/never") }
            await Fixture.expect(.timedOut) { try await load("/stalls") }
        }
    }

    @Test(.enabled(if: Fixture.hasHTTP2)) func anIdleServerOverHTTP2IsATimeOut() async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(identity, body: Fixture.body)
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        configuration.idleTimeout = .milliseconds(100)
        let downloader = Downloader(configuration)
        server.holdResponses(true)
        await Fixture.expect(.timedOut) { try await downloader.download(.url(server.url("/a"))).bytes }
        await server.stop()
    }
}

/// A connection whose server sends nothing.
private final class SilentConnection: ConnectionHandler {}
