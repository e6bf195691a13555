import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@Suite(.timeLimited) struct MetricsTests {
    @Test func aTransferReportsItsMetrics() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .testImage)
            let metrics = try #require(try await load("/a").metrics)
            #expect(metrics.status == 200 && metrics.redirects == 1 && metrics.attempts == 1)
            #expect(metrics.wireBytes == 50_000 && metrics.bodyBytes == 50_000 && metrics.resumedBytes == 0)
            #expect(metrics.httpVersion == "http/1.1" && !metrics.isEncrypted)
            #expect(metrics.total >= metrics.firstByte + metrics.body)
        }
    }

    /// Loads until a connection is reused. The client closes a connection after 30 seconds, which may pass between two
    /// requests on a busy machine.
    static func metricsOfReuse(
        _ load: () async throws -> TransferMetrics?
    ) async throws -> TransferMetrics {
        for _ in 0..<10 {
            let metrics = try #require(try await load())
            if metrics.isConnectionReused == true { return metrics }
        }
        return try #require(nil as TransferMetrics?, "no connection was reused")
    }

    @Test func aConnectionIsNewAndThenReused() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .testImage)
            let first = try #require(try await load("/a").metrics)
            #expect(first.isConnectionReused == false)
            #expect(try #require(first.connecting) > .zero)
            let reused = try await Self.metricsOfReuse { try await load("/a").metrics }
            #expect(reused.connecting == nil)
        }
    }

    #if os(Linux)
    /// The kernel has measured a round trip when a connection is established.
    @Test(arguments: [false, true]) func aNewConnectionHasARoundTrip(_ isEncrypted: Bool) async throws {
        let identity = isEncrypted ? try TestCertificate.make() : nil
        var configuration = DownloaderConfiguration.patient
        configuration.allowsHTTP2 = false
        configuration.trustedCertificates = identity.map { [$0.certificates] } ?? []
        try await Fixture.withOrigin(configuration, identity: identity) { origin, load in
            origin.serve("/a", response: .testImage)
            let first = try #require(try await load("/a").metrics)
            let roundTrip = try #require(first.roundTrip)
            #expect(try roundTrip >= .zero && roundTrip <= #require(first.connecting))
            let reused = try await Self.metricsOfReuse { try await load("/a").metrics }
            #expect(reused.roundTrip == nil)
        }
    }

    /// Connections that are established at the same time are not confused.
    @Test func everyNewConnectionHasItsOwnRoundTrip() async throws {
        try await Fixture.withOrigin { origin, load in
            let gate = OriginGate()
            for number in 0..<6 { origin.serve("/\(number)", response: .testImage.setting(\.gate, to: gate)) }
            try await withThrowingTaskGroup(of: TransferMetrics?.self) { group in
                for number in 0..<6 { group.addTask { try await load("/\(number)").metrics } }
                await origin.waitForRequests(6)
                gate.open()
                for try await metrics in group {
                    #expect(metrics?.isConnectionReused == false && metrics?.roundTrip != nil)
                }
            }
        }
    }
    #endif

    @Test func theTimeToResolveANameIsMeasured() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let name = try #require(
                URL(string: origin.url("/a").absoluteString.replacing("127.0.0.1", with: "localhost")))
            let named = try #require(try await Fixture.load(.url(name), .patient).metrics)
            let lookup = try #require(named.nameLookup)
            #expect(lookup > .zero && lookup <= named.total && named.handshake == nil)
            let address = try #require(try await Fixture.load(.url(origin.url("/a")), .patient).metrics)
            #expect(address.nameLookup == nil && address.connecting != nil)
        }
    }

    @Test func theTimeOfTheHandshakeIsMeasured() async throws {
        let identity = try TestCertificate.make()
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        try await Fixture.withOrigin(configuration, identity: identity) { origin, load in
            origin.serve("/a", response: .testImage)
            let metrics = try #require(try await load("/a").metrics)
            let (connecting, handshake) = (try #require(metrics.connecting), try #require(metrics.handshake))
            #expect(handshake > .zero && connecting + handshake <= metrics.firstByte)
        }
    }

    @Test func theTimeInTheQueueIsMeasured() async throws {
        let clock = ManualClock()
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        configuration.clock = Fixture.clock(Shared([]), clock)
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            origin.serve("/b", response: .testImage)
            let downloader = Downloader(configuration)
            let first = downloader.download(.url(origin.url("/a")))
            await origin.waitForRequests(1)
            let second = downloader.download(.url(origin.url("/b")))
            clock.advance(by: .seconds(3))
            gate.open()
            let firstByte = try await first.bytes.metrics?.firstByte
            #expect(firstByte == .seconds(3))
            let queued = try await second.bytes.metrics?.queued
            #expect(queued == .seconds(3))
        }
    }
}
