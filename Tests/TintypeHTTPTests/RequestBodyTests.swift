import AsyncHTTPClient
import Dispatch
import Foundation
import HTTPTestSupport
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Requests with a body, which share the event loop of their connection over HTTP/2.
@Suite(.timeLimit(.minutes(15))) struct RequestBodyTests {
    private static let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())

    /// A reference that does not retain.
    private struct Weak {
        weak var delegate: ResponseDelegate?
    }

    private static func client(_ identity: OriginIdentity) throws -> PooledClient {
        var configuration = DownloaderConfiguration.patient
        configuration.trustedCertificates = [identity.certificates]
        return try PooledClient(ClientTraits(configuration, HTTPOptions()), .system)
    }

    private static func post(_ url: URL, byteCount: Int = 1000) throws -> HTTPClient.Request {
        try DownloadRequest(url: url, method: "POST", body: Data(count: byteCount)).clientRequest
    }

    /// Waits until the event loops have performed what they have to do now, and what follows from it on another loop.
    private static func drainLoops() async throws {
        for _ in 0..<4 { for loop in loops { try await loop.submit {}.get() } }
    }

    // MARK: Streams that close before the end of the request

    /// The client would retain a request of another event loop forever. That loop is held back until the client has read
    /// the reset, so that the body comes too late.
    @Test(.enabled(if: loops.count > 1)) func aRequestThatIsResetBeforeItsBodyIsSentIsReleased() async throws {
        let identity = try TestCertificate.make()
        let response = OriginFrame.headers([(":status", "200")], endStream: true, stream: 1)
        let origin = try await FrameOrigin.start(identity, answersHeads: true) { number in
            number == 0 ? [] : [.reset(8), response]
        }
        let client = try Self.client(identity)
        let first = ResponseStream(to: try DownloadRequest(url: origin.url("/a")).clientRequest, over: client)
        await origin.waitForRequests(1)
        let held = DispatchSemaphore(value: 0)
        Self.loops[1].execute { held.wait() }
        var post: ResponseStream? = ResponseStream(to: try Self.post(origin.url("/b")), over: client)
        do {
            defer { held.signal() }
            _ = try await first.head()
        }
        await #expect(throws: (any Error).self) { try await post?.head() }
        let delegate = Weak(delegate: post?.delegate)
        post = nil
        try await Self.drainLoops()
        #expect(delegate.delegate == nil)
        await origin.stop()
    }

    // MARK: Responses before the end of the request

    /// Responds to each request when its head arrives.
    private final class EagerResponder: ConnectionHandler {
        private let status: Int

        init(_ status: Int) {
            self.status = status
        }

        func received(_ bytes: Data, on connection: SocketConnection) {
            // Bodies consist of zeros.
            guard String(decoding: bytes, as: UTF8.self).contains("POST ") else { return }
            connection.send(Data("HTTP/1.1 \(status) X\r\nContent-Length: 3\r\n\r\nabc".utf8))
        }
    }

    /// Many of the requests are of another event loop than their connection, and send the body a turn after the head.
    @Test(arguments: [200, 413]) func aResponseMayComeBeforeTheBody(_ status: Int) async throws {
        let server = try await SocketServer { _ in (EagerResponder(status), nil) }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/a"))
        let client = try PooledClient(ClientTraits(.patient, HTTPOptions()), .system)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<50 { try await Self.post(to: url, over: client, expecting: status) } }
            }
            try await group.waitForAll()
        }
        await server.stop()
    }

    private static func post(to url: URL, over client: PooledClient, expecting status: Int) async throws {
        let stream = ResponseStream(to: try post(url, byteCount: 50_000), over: client)
        let head = try await stream.head()
        #expect(head.head.status.code == status)
        // The client does not send the body after an error, and reports that instead of the rest of the response.
        guard status < 300 else { return }
        var count = 0
        while case let parts = try await stream.parts(), !parts.isEmpty {
            count += parts.reduce(0) { $0 + $1.readableBytes }
        }
        #expect(count == 3)
    }

    // MARK: The number of connections

    @Test func requestsWithABodyShareTheConnectionOfOthers() async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(identity, body: Fixture.body)
        let client = try Self.client(identity)
        server.holdResponses(true)
        let get = try DownloadRequest(url: server.url("/held")).clientRequest
        let held = ResponseStream(to: get, over: client)
        while server.requestCount < 1 { await Task.yield() }
        server.holdResponses(false)
        // Each of them would be on another event loop.
        let posts = try (0..<8).map { _ in ResponseStream(to: try Self.post(server.url("/a")), over: client) }
        for post in posts { _ = try await post.head() }
        #expect(server.connectionCount == 1)
        withExtendedLifetime(held) {}
        await server.stop()
    }

    /// The client closes a connection of HTTP/1.1 that it opened on a required event loop. Only the first request may have
    /// such a connection.
    @Test(.enabled(if: Fixture.connectsInTime)) func requestsWithABodyUseAConnectionOfHTTP1Again() async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(identity, body: Fixture.body) { _ in ["http/1.1"] }
        let client = try Self.client(identity)
        for _ in 0..<6 {
            let post = ResponseStream(to: try Self.post(server.url("/a")), over: client)
            _ = try await post.head()
            while try await !post.parts().isEmpty {}
            try await Self.drainLoops()
        }
        #expect(server.connectionCount == 2)
        await server.stop()
    }

    // MARK: The event loops of connections

    @Test func theMostRecentConnectionCountsUntilItIsClosed() throws {
        let loops = HTTP2Loops()
        let channels = (0..<2).map { _ in EmbeddedChannel() }
        #expect(loops.loop(of: "a") == nil)
        for channel in channels { loops.record(channel, to: "a") }
        #expect(loops.loop(of: "a") === channels[1].eventLoop && loops.loop(of: "b") == nil)
        func close(_ channel: EmbeddedChannel) throws {
            try channel.close().wait()
            channel.embeddedEventLoop.run()
        }
        try close(channels[0])
        #expect(loops.loop(of: "a") === channels[1].eventLoop)
        try close(channels[1])
        #expect(loops.loop(of: "a") == nil)
    }

    @Test(arguments: [
        ("https://a/b", "a"), ("https://a:443/b", "a"), ("https://a:8443/b", "a:8443"), ("https://[::1]:1/", "[::1]:1"),
    ])
    func theAuthorityIsThatOfTheRequest(_ url: String, _ authority: String) throws {
        #expect(try HTTPClient.Request(url: url).authority == authority)
        #expect(try HTTPClient.Request(url: url, headers: ["Host": "c"]).authority == "c")
    }
}
