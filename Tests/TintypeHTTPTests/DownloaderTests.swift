import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@Suite(.timeLimited) struct DownloaderTests {
    // MARK: Success

    @Test(arguments: [OriginResponse.Framing.contentLength, .chunked(size: 777), .untilClose])
    func aBodyArrivesCompletely(_ framing: OriginResponse.Framing) async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .image(Fixture.body, type: "image/png").setting(\.framing, to: framing))
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.origin == .network)
        }
    }

    @Test func redirectsAreFollowed() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .redirect(to: origin.url("/c").absoluteString, status: 301))
            origin.serve("/c", response: .image(Fixture.body, type: "image/png"))
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body)
        }
    }

    @Test func headersAreSent() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.headers = ["X-Test": "1", "user-agent": "mine"]
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .image(Fixture.body, type: "image/png"))
            _ = try await load("/a")
            let request = try #require(origin.requests.first)
            #expect(request[header: "X-Test"] == "1" && request[header: "User-Agent"] == "mine")
            #expect(request[header: "Accept"]?.contains("image/*") == true)
        }
    }

    @Test func connectionsAreReused() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .image(Fixture.body, type: "image/png"))
            for _ in 0..<5 { _ = try await load("/a") }
            #expect(origin.openConnections == 1)
        }
    }

    // MARK: Failure

    @Test(arguments: [404, 500, 403, 304]) func anErrorStatusIsAnError(_ status: Int) async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .status(status))
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            #expect(error?.message.contains("\(status)") == true)
            #expect(error?.subject == origin.url("/a").absoluteString)
        }
    }

    @Test func theErrorOfAStatusHasTheResponse() async throws {
        try await Fixture.withOrigin { origin, load in
            let busy = OriginResponse.status(429).with(header: "Retry-After", value: "7200")
                .with(header: "X-Reason", value: "quota")
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: busy)
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            let http = try #require(error?.http)
            #expect(http.status == 429 && http.url == origin.url("/b") && http.retryAfter == .seconds(7200))
            #expect(http.headers["x-reason"] == "quota" && error?.subject == origin.url("/a").absoluteString)
            // An error that is remembered keeps its cause.
            let again = TintypeError(.failedBefore, stage: .load, "failed before", underlying: error)
            #expect(again.http?.status == 429)
        }
    }

    @Test func theResponseOfAnErrorIsBounded() async throws {
        try await Fixture.withOrigin { origin, load in
            let response = (0..<20).reduce(OriginResponse.status(503)) { response, number in
                response.with(header: "X-\(number)", value: String(repeating: "x", count: 1000))
            }
            origin.serve("/a", response: response)
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            let fields = try #require(error?.http?.headers.all)
            #expect(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } <= 8_000 && fields.count > 5)
        }
    }

    @Test(arguments: [OriginResponse.Framing.contentLength, .chunked(size: 1000)])
    func aTruncatedBodyIsAnError(_ framing: OriginResponse.Framing) async throws {
        try await Fixture.withOrigin { origin, load in
            for ending in [OriginResponse.Ending.cut(after: 20_000), .reset(after: 20_000)] {
                origin.serve(
                    "/a",
                    response: .image(Fixture.body, type: "image/png").setting(\.framing, to: framing).setting(
                        \.ending, to: ending))
                _ = await Fixture.expect(.truncatedBody) { try await load("/a") }
            }
        }
    }

    @Test func aContentLengthBeyondTheBodyIsATruncatedBody() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve(
                "/a", response: .image(Fixture.body, type: "image/png").setting(\.framing, to: .declared(60_000)))
            let error = await Fixture.expect(.truncatedBody) { try await load("/a") }
            #expect(error?.message.contains("of 60000 bytes") == true)
        }
    }

    @Test func aDroppedConnectionIsATransportError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: OriginResponse(body: Data(), framing: .untilClose, ending: .dropped))
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }

    @Test func anIdleServerIsATimeOut() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.idleTimeout = .milliseconds(100)
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/never", response: .image(Fixture.body, type: "image/png").setting(\.ending, to: .never))
            origin.serve(
                "/stalls",
                response: .image(Fixture.body, type: "image/png").setting(\.ending, to: .silence(after: 1000)))
            _ = await Fixture.expect(.timedOut) { try await load("/never") }
            _ = await Fixture.expect(.timedOut) { try await load("/stalls") }
        }
    }

    @Test func aClosedPortIsUnreachable() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let url = try port.url
        let context = LoadContext(received: ReceivedBytes(limit: 100), job: JobContext(priority: .normal))
        let error = await Fixture.expect(.unreachable) {
            try await Downloader.patient.load(.url(url), context: context)
        }
        #expect(error?.subject == url.absoluteString)
    }

    @Test func aRedirectCycleIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .redirect(to: "/a"))
            _ = await Fixture.expect(.tooManyRedirects) { try await load("/a") }
        }
    }

    @Test func moreRedirectsThanAllowedAreAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            for number in 0..<20 { origin.serve("/\(number)", response: .redirect(to: "/\(number + 1)")) }
            _ = await Fixture.expect(.tooManyRedirects) { try await load("/0") }
            #expect(origin.requestCount() == 11)
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:99999/a", "file:///etc/passwd", "http+unix://%2Ftmp%2Fx/a", "http://", "ftp://127.0.0.1/",
    ])
    func aRedirectToAnInvalidURLIsAnError(_ location: String) async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .redirect(to: location))
            _ = await Fixture.expect(.invalidSource) { try await load("/a") }
        }
    }

    @Test func fieldsThatMayBeSecretStayWithTheirOrigin() async throws {
        let other = try await Origin.start()
        other.serve("/b", response: .image(Fixture.body, type: "image/png"))
        var configuration = DownloaderConfiguration.patient
        configuration.headers = [
            "Authorization": "secret", "X-Api-Key": "secret", "X-Safe": "1", "Accept-Language": "de",
        ]
        configuration.crossOriginFields = ["x-safe"]
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .redirect(to: "/same"))
            origin.serve("/same", response: .redirect(to: other.url("/b").absoluteString))
            _ = try await load("/a")
            #expect(origin.requests.allSatisfy { $0[header: "Authorization"] == "secret" })
            #expect(origin.requests.allSatisfy { $0[header: "X-Api-Key"] == "secret" })
        }
        let request = try #require(other.requests.first)
        #expect(request[header: "Authorization"] == nil && request[header: "X-Api-Key"] == nil)
        #expect(request[header: "X-Safe"] == "1" && request[header: "Accept-Language"] == "de")
        await other.stop()
    }

    @Test(arguments: ["http://127.0.0.1:99999/a", "http://127.0.0.1:0/a"]) func anInvalidPortIsAnInvalidSource(
        _ text: String
    ) async throws {
        let url = try #require(URL(string: text))
        let context = LoadContext(received: ReceivedBytes(limit: 100), job: JobContext(priority: .normal))
        _ = await Fixture.expect(.invalidSource) { try await Downloader.patient.load(.url(url), context: context) }
    }

    @Test func moreBytesThanAllowedAreRefused() async throws {
        try await Fixture.withOrigin(limit: 10_000) { origin, load in
            origin.serve("/announced", response: .image(Fixture.body, type: "image/png"))
            origin.serve(
                "/chunked",
                response: .image(Fixture.body, type: "image/png").setting(\.framing, to: .chunked(size: 5000)))
            _ = await Fixture.expect(.limitExceeded) { try await load("/announced") }
            _ = await Fixture.expect(.limitExceeded) { try await load("/chunked") }
        }
    }

    @Test func aURLWithoutAHostIsInvalid() async throws {
        let url = try #require(URL(string: "http:///a"))
        let context = LoadContext(received: ReceivedBytes(limit: 100), job: JobContext(priority: .normal))
        _ = await Fixture.expect(.invalidSource) { try await Downloader.patient.load(.url(url), context: context) }
    }

    // MARK: Cancellation and limits

    @Test func aCancelledTransferClosesItsConnection() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve(
                "/a", response: .image(Fixture.body, type: "image/png").setting(\.ending, to: .silence(after: 1000)))
            let task = Task { try await load("/a") }
            await origin.waitForRequests(1)
            task.cancel()
            _ = await Fixture.expect(.cancelled) { try await task.value }
            await origin.waitForClosedEarly(1)
        }
    }

    @Test func noMoreThanAllowedRunAtOnce() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 2
        try await Fixture.withOrigin(configuration) { origin, load in
            let gate = OriginGate()
            for number in 0..<10 { origin.serve("/\(number)", response: .testImage.setting(\.gate, to: gate)) }
            origin.serve("/other", response: .testImage)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10 { group.addTask { _ = try await load("/\(number)") } }
                await origin.waitForRequests(2)
                // A third transfer has at least the time of a whole other one.
                _ = try await Fixture.load(.url(origin.url("/other")), Downloader.patient)
                #expect(origin.requestCount() == 3)
                gate.open()
                try await group.waitForAll()
            }
            #expect(origin.requestCount() == 11)
        }
    }
}
