import Foundation
import HTTPTestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@Suite(.timeLimit(.minutes(15))) struct MetricsTests {
    @Test func aTransferReportsItsMetrics() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", .redirect(to: "/b"))
            origin.serve("/b", .testImage)
            let metrics = try #require(try await load("/a").metrics)
            #expect(metrics.status == 200 && metrics.redirects == 1 && metrics.attempts == 1)
            #expect(metrics.wireBytes == 50_000 && metrics.bodyBytes == 50_000 && metrics.resumedBytes == 0)
            #expect(metrics.httpVersion == "http/1.1" && !metrics.isEncrypted)
            #expect(metrics.total >= metrics.firstByte + metrics.body)
        }
    }

    @Test func aConnectionIsNewAndThenReused() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", .testImage)
            let first = try #require(try await load("/a").metrics)
            #expect(first.isConnectionReused == false)
            #expect(try #require(first.connecting) > .zero)
            let second = try #require(try await load("/a").metrics)
            #expect(second.isConnectionReused == true && second.connecting == nil)
        }
    }

    @Test func theTimeInTheQueueIsMeasured() async throws {
        let clock = ManualClock()
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        configuration.clock = Fixture.clock(Shared([]), clock)
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", .testImage.with(\.gate, gate))
            origin.serve("/b", .testImage)
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
