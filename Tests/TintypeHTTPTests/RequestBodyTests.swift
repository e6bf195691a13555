import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Requests with a body.
@Suite(.timeLimited) struct RequestBodyTests {
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

    @Test(arguments: [200, 413]) func aResponseMayComeBeforeTheBody(_ status: Int) async throws {
        let server = try await SocketServer { _ in (EagerResponder(status), nil) }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/a"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<50 { try await Self.post(to: url, expecting: status) } }
            }
            try await group.waitForAll()
        }
        await server.stop()
    }

    private static func post(to url: URL, expecting status: Int) async throws {
        let stream = ResponseStream(to: TransportRequest(url: url, method: "POST", body: Data(count: 50_000)))
        let head = try await stream.head()
        #expect(head.head.status == status)
        var count = 0
        while case let part = try await stream.part(), !part.isEmpty { count += part.count }
        #expect(count == 3)
    }

    // MARK: The number of connections

    private static func request(_ url: URL, _ identity: OriginIdentity, body: Data? = nil) -> TransportRequest {
        var request = TransportRequest(url: url, method: body == nil ? "GET" : "POST", body: body)
        request.security.trustedCertificates = [identity.certificates]
        return request
    }

    @Test(.enabled(if: Fixture.hasHTTP2)) func requestsWithABodyShareTheConnectionOfOthers() async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(identity, body: Fixture.body)
        server.holdResponses(true)
        let held = ResponseStream(to: Self.request(server.url("/held"), identity))
        await server.waitForRequests(1)
        server.holdResponses(false)
        let posts = (0..<8).map { _ in
            ResponseStream(to: Self.request(server.url("/a"), identity, body: Data(count: 1000)))
        }
        for post in posts { _ = try await post.head() }
        #expect(server.connectionCount == 1)
        withExtendedLifetime(held) {}
        await server.stop()
    }

    @Test(.enabled(if: Fixture.connectsInTime)) func requestsWithABodyUseAConnectionOfHTTP1Again() async throws {
        let identity = try TestCertificate.make()
        let server = try await HTTP2Server.start(identity, body: Fixture.body) { _ in ["http/1.1"] }
        for _ in 0..<6 {
            let post = ResponseStream(to: Self.request(server.url("/a"), identity, body: Data(count: 1000)))
            _ = try await post.head()
            while try await !post.part().isEmpty {}
        }
        #expect(server.connectionCount == 1)
        await server.stop()
    }
}
