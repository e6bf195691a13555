import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Which responses are accepted, and what the settings and options change.
@Suite(.timeLimited) struct ResponseTests {
    @Test(arguments: [
        ("image/png", true), ("IMAGE/PNG; q=1", true), ("image/webp", true), ("text/html", false), ("imagery/x", false),
    ])
    func onlyAcceptableContentTypesAreAccepted(_ type: String, _ isAccepted: Bool) async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.acceptableContentTypes = ["image/*"]
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .image(Fixture.body, type: type))
            if isAccepted {
                let data = try await load("/a").data
                #expect(data == Fixture.body)
            } else {
                await Fixture.expect(.badContentType) { try await load("/a") }
            }
        }
    }

    @Test(arguments: ["text/html; charset=utf-8", nil])
    func theErrorOfABadContentTypeCarriesTheType(_ type: String?) async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.acceptableContentTypes = ["image/*"]
        try await Fixture.withOrigin(configuration) { origin, load in
            let headers = type.map { [(name: "Content-Type", value: $0)] } ?? []
            origin.serve("/a", response: OriginResponse(headers: headers, body: Fixture.body))
            let error = await Fixture.expect(.badContentType) { try await load("/a") }
            #expect(error?.contentType == type && error?.status == 200)
            #expect(error?.about("x").contentType == type)
        }
    }

    @Test func aResponseCarriesItsFinalURLStatusAndFields() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .redirect(to: "/b?secret"))
            origin.serve(
                "/b",
                response: .testImage.setting(\.status, to: 203).with(header: "X-Other", value: "1").with(
                    header: "ETag", value: "\"2\""))
            let bytes = try await load("/a")
            let http = try #require(bytes.http)
            #expect(http.url == origin.url("/b?secret") && http.status == 203 && http.isRedirected)
            #expect(http.headers["x-other"] == "1" && http.headers["etag"] == "\"2\"")
            #expect(http.headers["connection"] == nil)
            // A cache has no URLs, which may be secrets, and only the selected fields.
            let stored = try #require(LoadedBytes(data: bytes.data, origin: .disk, metadata: bytes.metadata).http)
            #expect(stored.url == nil && stored.status == 203 && stored.isRedirected)
            #expect(stored.headers["etag"] == "\"2\"" && stored.headers["x-other"] == nil)
            #expect(LoadedBytes(data: bytes.data, origin: .file).http == nil)
        }
    }

    @Test func acceptableStatusesCanBeSet() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.acceptableStatusCodes = 200..<500
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .testImage.setting(\.status, to: 404))
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
        configuration.acceptableStatusCodes = 201..<202
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .testImage)
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            #expect(error?.status == 200)
        }
    }

    @Test func aRequestMayHaveALimitOfItsOwn() async throws {
        var options = HTTPOptions()
        options.maximumByteCount = 1000
        options.maximumRedirects = 1
        try await Fixture.withOrigin(options: options) { origin, load in
            origin.serve("/large", response: .testImage)
            origin.serve("/one", response: .redirect(to: "/two"))
            origin.serve("/two", response: .redirect(to: "/three"))
            await Fixture.expect(.limitExceeded) { try await load("/large") }
            await Fixture.expect(.tooManyRedirects) { try await load("/one") }
        }
    }

    @Test func withoutAllowedRedirectsARedirectIsAnError() async throws {
        var options = HTTPOptions()
        options.maximumRedirects = 0
        try await Fixture.withOrigin(options: options) { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            #expect(error?.status == 302)
        }
    }

    @Test func aRequestMayHaveATimeOutOfItsOwn() async throws {
        var options = HTTPOptions()
        options.idleTimeout = .milliseconds(100)
        try await Fixture.withOrigin(options: options) { origin, load in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .never))
            await Fixture.expect(.timedOut) { try await load("/a") }
        }
    }

    @Test func aRefusedConnectionFailsAtOnce() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let url = try port.url
        var configuration = DownloaderConfiguration.patient
        // The test does not wait for it.
        configuration.connectTimeout = .seconds(3600)
        await Fixture.expect(.unreachable) { try await Fixture.load(.url(url), Downloader(configuration)) }
    }

    @Test(arguments: [["X-A": "1\r\nX-Evil: 2"], ["X-A: 1\r\nX-Evil": "2"], ["X A": "1"], ["": "1"]])
    func anInvalidHeaderFieldIsNotSent(_ headers: [String: String]) async throws {
        try await Fixture.withOrigin { origin in
            let source = ImageSource.http(HTTPSource(url: origin.url("/a"), headers: headers))
            await Fixture.expect(.invalidSource) { try await Fixture.load(source, Downloader.patient) }
            #expect(origin.requestCount() == 0)
        }
    }

    @Test func aBodyArrivesCompletelyWhileItsClientIsEvicted() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate(after: 1000)
            origin.serve("/slow", response: .testImage.setting(\.gate, to: gate))
            origin.serve("/a", response: .testImage)
            let downloader = Downloader.patient
            let slow = await downloader.download(.url(origin.url("/slow")), untilReceived: 1000)
            // Each needs a client of its own, and only 8 are kept.
            for number in 1...20 {
                var options = HTTPOptions()
                options.idleTimeout = .seconds(300 + number)
                _ = try await Fixture.load(.url(origin.url("/a")), downloader, options: options)
            }
            gate.open()
            let data = try await slow.bytes.data
            #expect(data == Fixture.body)
        }
    }

    @Test func aShortErrorResponseLeavesItsConnectionUsable() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/none", response: .status(404).setting(\.body, to: Data(count: 1000)))
            origin.serve("/a", response: .testImage)
            await Fixture.expect(.badStatus) { try await load("/none") }
            let metrics = try await load("/a").metrics
            #expect(metrics?.isConnectionReused == true)
        }
    }

    @Test func settingsOfARunningDownloaderCanBeChanged() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let downloader = Downloader.patient
            downloader.configuration.headers["X-Test"] = "1"
            _ = try await downloader.download(.url(origin.url("/a"))).bytes
            downloader.configuration.headers["X-Test"] = "2"
            _ = try await downloader.download(.url(origin.url("/a"))).bytes
            downloader.configuration.headers["X-Test"] = nil
            _ = try await downloader.download(.url(origin.url("/a"))).bytes
            #expect(origin.requests.map { $0[header: "x-test"] } == ["1", "2", nil])
        }
    }

    @Test func aLargeBodyArrivesCompletely() async throws {
        try await Fixture.withOrigin(limit: 32 << 20) { origin, load in
            // Every megabyte begins with its number.
            let large = (0..<20).reduce(into: Data()) { $0 += Data([UInt8($1)]) + Data(count: (1 << 20) - 1) }
            origin.serve("/a", response: .image(large, type: "image/png"))
            let data = try await load("/a").data
            #expect(data == large)
        }
    }
}
