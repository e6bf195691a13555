import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// HTTP/2 connections that violate the protocol.
@Suite(.timeLimited, .enabled(if: Fixture.hasHTTP2)) struct HostileFrameTests {
    /// Runs a test with a server that sends `opening`, and answers the first request with `frames` and all further ones
    /// with an image.
    static func withOrigin(
        _ frames: [OriginFrame], opening: [OriginFrame] = [.settings()], options: HTTPOptions = HTTPOptions(),
        _ body: (FrameOrigin, @escaping Fixture.Load) async throws -> Void
    ) async throws {
        let identity = try TestCertificate.make()
        let origin = try await FrameOrigin.start(identity, opening: { opening }) { number in
            number == 0 ? frames : OriginFrame.response(Fixture.body)
        }
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        let downloader = Downloader(configuration)
        try await body(origin) { path in
            try await Fixture.load(.url(origin.url(path)), downloader, options: options)
        }
        await origin.stop()
    }

    private func expectError(_ frames: [OriginFrame], _ code: TintypeError.Code = .transport) async throws {
        try await Self.withOrigin(frames) { _, load in
            await Fixture.expect(code) { try await load("/a") }
            // The process lives, and so does the origin.
            let data = try await load("/b").data
            #expect(data == Fixture.body)
        }
    }

    @Test func aResponseOfFramesIsReceived() async throws {
        try await Self.withOrigin(OriginFrame.response(Fixture.body)) { origin, load in
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.httpVersion == "http/2")
            #expect(origin.connectionCount == 1)
        }
    }

    @Test(arguments: ["", "0", "000", "099", "-20", "+200", "200 ", "2000", "1", "18446744073709551816", "２００", "abc"])
    func aStatusThatIsNotThreeDigitsIsAnError(_ status: String) async throws {
        try await expectError(OriginFrame.response(Fixture.body, status: status))
    }

    @Test(arguments: ["", "000", "-20"])
    func aWrongStatusAtTheEndOfAStreamIsAnError(_ status: String) async throws {
        try await expectError([.headers([(":status", status)], endStream: true)])
    }

    @Test func aChangeOfTheProtocolIsAnError() async throws {
        try await expectError([.headers([(":status", "101")])] + OriginFrame.response(Fixture.body))
    }

    @Test func informationalResponsesAreSkipped() async throws {
        let hint = OriginFrame.headers([(":status", "103"), ("link", "</b>")])
        try await Self.withOrigin([hint, hint] + OriginFrame.response(Fixture.body)) { _, load in
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    @Test func tooManyInformationalResponsesAreAnError() async throws {
        let hints = Array(repeating: OriginFrame.headers([(":status", "100")]), count: 1000)
        try await expectError(hints + OriginFrame.response(Fixture.body))
    }

    @Test func trailersAreAccepted() async throws {
        let frames: [OriginFrame] = [
            .headers([(":status", "200")]), .data(Data([1, 2, 3])), .headers([("x-checksum", "1")], endStream: true),
        ]
        try await Self.withOrigin(frames) { _, load in
            let data = try await load("/a").data
            #expect(data == Data([1, 2, 3]))
        }
    }

    /// Pushed streams that end are counted as requests that end, until the server has acknowledged the settings.
    @Test(arguments: [false, true])
    func aPushedResponseEndsTheConnection(_ endsPushed: Bool) async throws {
        let promise = OriginFrame.pushPromise(
            promisedStream: 2,
            fields: [(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/b")])
        let pushed: [OriginFrame] = [
            .headers([(":status", "200")], stream: 2), .data(Data([1]), endStream: endsPushed, stream: 2),
            .reset(8, stream: 2),
        ]
        try await expectError([promise] + pushed + OriginFrame.response(Fixture.body))
    }

    @Test(arguments: [
        [OriginFrame.data(Data([1]), stream: 2)],
        [.data(Data([1]), stream: 99)],
        [.windowUpdate(0, stream: 0)],
        [.windowUpdate(0x7FFF_FFFF, stream: 0), .windowUpdate(0x7FFF_FFFF, stream: 0)],
        [.continuation([("a", "b")])],
        [OriginFrame(type: 6, stream: 0, payload: Data(count: 3))],
        [OriginFrame(type: 0, flags: OriginFrame.Flag.padded, payload: Data([9, 1]))],
        [OriginFrame(type: 1, flags: 0x2C, payload: Data([200, 1, 2, 3]))],
        [OriginFrame(type: 1, flags: 4, payload: Data([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]))],
        [OriginFrame(type: 1, flags: 4, payload: Data([0x82, 0x3F, 0xFF, 0xFF, 0x7F]))],
        [.settings([(4, 0x8000_0000)])],
        [.settings([(5, 1)])],
        [.goAway(last: 2)],
    ])
    func aViolationEndsTheConnectionAtOnce(_ frames: [OriginFrame]) async throws {
        try await expectError(frames)
    }

    @Test(arguments: [
        [OriginFrame.settings([(1, .max), (3, .max), (4, 0x7FFF_FFFF), (5, 0xFF_FFFF), (6, 0)])],
        [.settings([(1, 0), (3, 0), (3, 1), (4, 0), (4, 0x7FFF_FFFF), (4, 0)])],
        [
            OriginFrame(type: 10, stream: 0, payload: Data([0, 1, 65])),
            OriginFrame(type: 12, stream: 0, payload: Data()),
        ],
        [OriginFrame(type: 2, payload: Data([0, 0, 0, 3, 9])), OriginFrame(type: 200, payload: Data([1]))],
    ])
    func unusualFramesBeforeAResponseAreAccepted(_ frames: [OriginFrame]) async throws {
        try await Self.withOrigin(frames + OriginFrame.response(Fixture.body)) { _, load in
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    @Test(arguments: [
        [("content-length", "-1")], [("content-length", "1"), ("content-length", "2")], [("content-length", "x")],
        [("content-length", "99999999999999999999")], [("connection", "close")],
        [("A", "b")], [(":status", "200")], [(":path", "/")],
    ])
    func aMalformedFieldBlockIsAnError(_ fields: [(String, String)]) async throws {
        try await expectError([
            .headers([(":status", "200")] + fields.map { (name: $0.0, value: $0.1) }),
            .data(Data(count: 5), endStream: true),
        ])
    }

    /// nghttp2 drops them.
    @Test(arguments: [[("a", "b\nc")], [("", "a")]])
    func anInvalidFieldIsIgnored(_ fields: [(String, String)]) async throws {
        let head = OriginFrame.headers([(":status", "200")] + fields.map { (name: $0.0, value: $0.1) })
        try await Self.withOrigin([head, .data(Data(count: 5), endStream: true)]) { _, load in
            let data = try await load("/a").data
            #expect(data == Data(count: 5))
        }
    }

    @Test func aBodyBeyondItsLengthIsAnError() async throws {
        let head = OriginFrame.headers([(":status", "200"), ("content-length", "3")])
        try await expectError([head, .data(Data(count: 5), endStream: true)], .truncatedBody)
    }

    @Test func aConnectionWithoutRoomForStreamsIsATimeOut() async throws {
        var options = HTTPOptions()
        // The connection is established when the handshake of TLS has ended.
        options.idleTimeout = .milliseconds(200)
        try await Self.withOrigin([], opening: [.settings([(3, 0)])], options: options) { _, load in
            await Fixture.expect(.timedOut) { try await load("/a") }
        }
    }

    @Test(arguments: [[], [OriginFrame.goAway(last: 0)], [.windowUpdate(1, stream: 0)]])
    func aConnectionWithoutSettingsIsAnError(_ opening: [OriginFrame]) async throws {
        try await Self.withOrigin([], opening: opening) { _, load in
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }

    /// A server that shuts down has not processed the streams after the last one that it names (RFC 9113, 6.8).
    @Test(arguments: [[OriginFrame.goAway(last: 0)], [.reset(7)], [.goAway(last: 0), .close]])
    func aRefusedRequestIsSentAgain(_ frames: [OriginFrame]) async throws {
        try await Self.withOrigin(frames) { origin, load in
            let data = try await load("/a").data
            #expect(data == Fixture.body && origin.requestCount == 2)
        }
    }

    @Test func aRequestThatIsRefusedAgainAndAgainIsAnError() async throws {
        let identity = try TestCertificate.make()
        let origin = try await FrameOrigin.start(identity) { _ in [.goAway(last: 0)] }
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        let downloader = Downloader(configuration)
        await Fixture.expect(.transport) { try await Fixture.load(.url(origin.url("/a")), downloader) }
        await origin.stop()
    }

    @Test(arguments: [1, 7, 100, 0xFFFF_FFFF] as [UInt32])
    func anIdleConnectionLearnsItsLimitWithTheNextStream(_ limit: UInt32) async throws {
        let others = OriginFrame.settings([(4, 70_000), (3, 5)])
        let frames = Self.response + [others, Self.streams(limit), others, Self.streams(limit)]
        try await Self.withOrigin(frames) { origin, load in
            for path in ["/a", "/b", "/c"] {
                let data = try await load(path).data
                #expect(data == Fixture.body)
            }
            #expect(origin.connectionCount == 1)
        }
    }

    private static func streams(_ limit: UInt32) -> OriginFrame {
        let setting: (identifier: UInt16, value: UInt32) = (3, limit)
        return .settings([setting])
    }
    private static let response = OriginFrame.response(Fixture.body)
    private static let closing: [[OriginFrame]] = [
        response + [streams(0)], [streams(0)] + response, [streams(0), streams(1), streams(0)] + response,
        response + [.goAway(last: 1)], [.goAway(last: 1)] + response,
    ]

    /// A server that permits no streams, or no more of them, would keep the connection and its requests.
    @Test(arguments: closing)
    func anIdleConnectionWithoutRoomForStreamsIsClosed(_ frames: [OriginFrame]) async throws {
        try await Self.withOrigin(frames) { origin, load in
            let data = try await load("/a").data
            await origin.waitForNoConnections()
            let next = try await load("/b").data
            #expect(data == Fixture.body && next == Fixture.body && origin.connectionCount == 2)
        }
    }

    @Test func settingsAndGoAwayAtOnceAreAnError() async throws {
        try await Self.withOrigin([], opening: [.settings(), .settings([(3, 7)]), .goAway(last: 0)]) { _, load in
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }

    private static let largePost = {
        var options = HTTPOptions()
        options.interceptors = [DownloadModifier.largePost]
        return options
    }()

    @Test func aLargeRequestHeadWithABodyIsSent() async throws {
        let opening = [OriginFrame.settings([(5, 0xFF_FFFF), (4, 100_000)])]
        try await Self.withOrigin(
            OriginFrame.response(Fixture.body), opening: opening, options: Self.largePost
        ) { _, load in
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    /// Room for a large head in one frame, and for the bodies of several requests.
    private static let roomy = [
        OriginFrame.settings([(5, 0xFF_FFFF), (4, 100_000)]), .windowUpdate(1 << 20, stream: 0),
    ]

    @Test func aLargeRequestHeadIsSentOnASharedConnection() async throws {
        try await Self.withOrigin([], opening: Self.roomy, options: Self.largePost) { origin, load in
            let held = Task { try await load("/held") }
            await origin.waitForRequests(1)
            let data = try await load("/a").data
            #expect(data == Fixture.body && origin.connectionCount == 1)
            // A POST may have been processed, so it is not sent again.
            await origin.closeConnections()
            await Fixture.expect(.transport) { try await held.value }
        }
    }

    /// A server that never permits more than 64 KB on a connection (RFC 9113, 6.9) holds the rest of a request for
    /// ever.
    @Test(arguments: [false, true]) func aRequestThatTheServerHoldsIsATimeOut(_ isTotal: Bool) async throws {
        var options = Self.largePost
        if isTotal { options.totalTimeout = .milliseconds(300) } else { options.idleTimeout = .milliseconds(300) }
        try await Self.withOrigin([], opening: [Self.roomy[0]], options: options) { origin, load in
            await Fixture.expect(.timedOut) { try await load("/held") }
            guard !isTotal else { return }
            // A connection that was silent is not used again.
            let data = try await load("/a").data
            #expect(data == Fixture.body && origin.connectionCount == 2)
        }
    }

    @Test func aRequestHeadBeyondTheFrameSizeIsSentInSeveralFrames() async throws {
        try await Self.withOrigin(OriginFrame.response(Fixture.body), options: Self.largePost) { _, load in
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }
}
