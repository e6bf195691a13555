import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Single exchanges, without a downloader.
@Suite(.timeLimited) struct ExchangeClientTests {
    private let client = ExchangeClient(over: CurlTransport.shared)
    private let patient = ExchangeLimits(
        connecting: .seconds(600), firstByte: .seconds(600), idle: .seconds(600), total: .seconds(600))

    private func send(_ origin: Origin, _ path: String, method: String = "GET") async throws -> ExchangeResponse {
        let body = method == "GET" ? nil : Data("body".utf8)
        return try await client.send(
            TransportRequest(url: origin.url(path), method: method, body: body), within: patient)
    }

    @Test(arguments: [200, 302, 304, 404, 503]) func everyStatusIsAResponse(status: Int) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve(
                "/a", response: OriginResponse(status: status, headers: [("Location", "/b"), ("Set-Cookie", "a=b")]))
            let response = try await send(origin, "/a")
            #expect(response.status == status && response.headers["location"] == "/b")
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func aConnectionThatClosesWhenItIsReusedIsReplacedOnce() async throws {
        try await Fixture.withOrigin { origin in
            let dropped = OriginResponse(ending: .dropped)
            origin.serve("/a", sequence: [.testImage, dropped, .testImage, dropped, dropped])
            let first = try await send(origin, "/a").collect(atMost: 1 << 20)
            let second = try await send(origin, "/a").collect(atMost: 1 << 20)
            #expect(first == Fixture.body && second == Fixture.body && origin.requestCount() == 3)
            await expectError(.transport) { try await send(origin, "/a") }
            #expect(origin.requestCount() == 5)
        }
    }

    @Test func aRequestThatIsNotIdempotentIsNotSentAgain() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", sequence: [.testImage, OriginResponse(ending: .dropped), .testImage])
            _ = try await send(origin, "/a", method: "POST").collect(atMost: 1 << 20)
            await expectError(.transport) { try await send(origin, "/a", method: "POST") }
            #expect(origin.requestCount() == 2)
        }
    }

    @Test(arguments: [OriginResponse.Framing.contentLength, .chunked(size: 1000), .untilClose])
    func aBodyHasALimit(framing: OriginResponse.Framing) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.framing, to: framing))
            let whole = try await send(origin, "/a").collect(atMost: Fixture.body.count)
            #expect(whole == Fixture.body)
            let prefix = await (try send(origin, "/a")).prefix(100)
            #expect(prefix == Fixture.body.prefix(100))
            await expectError(.limitExceeded) {
                try await send(origin, "/a").collect(atMost: Fixture.body.count - 1)
            }
        }
    }

    @Test func aBodyThatBreaksOffIsTruncated() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .reset(after: 1000)))
            let response = try await send(origin, "/a")
            do {
                _ = try await response.collect(atMost: 1 << 20)
                Issue.record("expected an error")
            } catch {
                #expect((error as? TintypeError)?.code == .truncatedBody)
            }
        }
    }

    @Test func aResponseThatIsReleasedClosesItsConnection() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .silence(after: 1000)))
            _ = try await send(origin, "/a").status
            await origin.waitForClosedEarly(1)
        }
    }

    /// The head may take longer than each part of the body, or the other way round.
    @Test(
        arguments: [
            ("no head", 5, 3, nil, [(4, false), (5, true)]),
            ("a silent body after the head", 5, 3, 4, [(5, false), (6, false), (7, true)]),
            ("a patient body", 5, 9, 4, [(5, false), (12, false), (13, true)]),
        ] as [(String, Int, Int, Int?, [(Int, Bool)])])
    func theBodyHasALimitOfItsOwn(
        name: String, firstByte: Int, idle: Int, head: Int?, steps: [(time: Int, isTooSlow: Bool)]
    ) {
        var pace = TransferPace(
            totalTime: nil, from: .zero, rate: nil,
            silence: SilenceLimit(connecting: .zero, idle: .seconds(firstByte), idleInBody: .seconds(idle)))
        pace.begin(at: .zero)
        for step in steps {
            let time = head.map { Duration.seconds($0) }
            let progress = TransferPace.Progress(headTime: time, lastTime: time ?? .zero)
            let error = pace.check(progress, at: .seconds(step.time))
            #expect((error != nil) == step.isTooSlow, "\(name) at \(step.time) s")
        }
    }
}
