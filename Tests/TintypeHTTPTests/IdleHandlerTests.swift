import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import TintypeHTTP

/// How long a server may say nothing, by a clock that the tests move.
@Suite struct IdleHandlerTests {
    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(handler: IdleHandler(limit: .seconds(15)), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    private func ask() throws {
        try channel.writeOutbound(
            HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
    }

    private func hear(_ part: HTTPClientResponsePart) throws {
        try channel.writeInbound(part)
    }

    private static let head = HTTPClientResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok))
    private static let piece = HTTPClientResponsePart.body(ByteBuffer(bytes: [1, 2, 3]))

    private func wait(_ seconds: Int64) throws {
        loop.advanceTime(by: .seconds(seconds))
        try channel.throwIfErrorCaught()
    }

    private func expectTimeOut(after seconds: Int64) {
        #expect(throws: HTTPClientError.readTimeout) { try wait(seconds) }
    }

    @Test func whoSaysNothingIsGivenUp() throws {
        try ask()
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func everyPieceBeginsTheTimeAnew() throws {
        try ask()
        try wait(14)
        try hear(Self.head)
        for _ in 0..<5 {
            try wait(14)
            try hear(Self.piece)
        }
        expectTimeOut(after: 15)
    }

    @Test func nothingIsExpectedBeforeARequestAndAfterAResponse() throws {
        try wait(60)
        try ask()
        try hear(Self.head)
        try hear(.end(nil))
        try wait(60)
    }

    @Test func theNextRequestOfAConnectionHasAllOfTheTime() throws {
        try ask()
        try hear(Self.head)
        try hear(.end(nil))
        try wait(10)
        try ask()
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func aRequestAfterATimeWithoutAnyHasAllOfTheTime() throws {
        try ask()
        try hear(Self.head)
        try hear(.end(nil))
        try wait(60)
        try ask()
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func whoTakesNoRequestInIsGivenUp() throws {
        try ask()
        channel.isWritable = false
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func whatIsToldBeforeTheResponseIsNotItsEnd() throws {
        try ask()
        try wait(14)
        try hear(.head(HTTPResponseHead(version: .http1_1, status: .processing)))
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func silenceIsToldOnce() throws {
        try ask()
        expectTimeOut(after: 15)
        try wait(60)
    }

    @Test func ofAClosedConnectionNothingIsExpected() throws {
        try ask()
        try channel.close().wait()
        try wait(60)
    }
}
