import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import TintypeHTTP

/// The longest time without a part, by a clock that the tests advance.
@Suite(.timeLimit(.minutes(15))) struct IdleHandlerTests {
    private let loop = EmbeddedEventLoop()
    private let closing: ClosingChannel
    private var channel: EmbeddedChannel { closing.channel }

    init() throws {
        closing = ClosingChannel(EmbeddedChannel(handler: IdleHandler(limit: .seconds(15)), loop: loop))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    private func send() throws {
        try channel.writeOutbound(
            HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
    }

    /// Receives a part. Like a real channel, the channel then reads again, unless its client holds it back.
    private func receive(_ part: HTTPClientResponsePart, readingOn readsOn: Bool = true) throws {
        try channel.writeInbound(part)
        if readsOn { channel.read() }
    }

    private static let head = HTTPClientResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok))
    private static let part = HTTPClientResponsePart.body(ByteBuffer(bytes: [1, 2, 3]))

    private func wait(_ seconds: Int64) throws {
        loop.advanceTime(by: .seconds(seconds))
        try channel.throwIfErrorCaught()
    }

    private func expectTimeOut(after seconds: Int64) {
        #expect(throws: HTTPClientError.readTimeout) { try wait(seconds) }
    }

    @Test func aSilentServerIsATimeOut() throws {
        try send()
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func everyPartRestartsTheTime() throws {
        try send()
        try wait(14)
        try receive(Self.head)
        for _ in 0..<5 {
            try wait(14)
            try receive(Self.part)
        }
        expectTimeOut(after: 15)
    }

    /// While the client does not read, because its reader is slow or its rate is limited, the server has to wait.
    @Test func timeInWhichTheClientDoesNotReadDoesNotCount() throws {
        try send()
        try receive(Self.head)
        for _ in 0..<3 {
            try receive(Self.part, readingOn: false)
            try wait(100)
            channel.read()
            try wait(14)
        }
        expectTimeOut(after: 15)
    }

    /// Bytes of an incomplete head are no progress.
    @Test func readsWithoutAPartDoNotRestartTheTime() throws {
        try send()
        for _ in 0..<14 {
            try wait(1)
            channel.pipeline.fireChannelReadComplete()
            channel.read()
        }
        expectTimeOut(after: 1)
    }

    @Test func nothingIsExpectedBeforeARequestOrAfterAResponse() throws {
        try wait(60)
        try send()
        try receive(Self.head)
        try receive(.end(nil))
        try wait(60)
    }

    @Test func theNextRequestOfAConnectionHasTheWholeTime() throws {
        try send()
        try receive(Self.head)
        try receive(.end(nil))
        try wait(10)
        try send()
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func aRequestAfterAnIdleTimeHasTheWholeTime() throws {
        try send()
        try receive(Self.head)
        try receive(.end(nil))
        try wait(60)
        try send()
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func aServerThatReadsNoRequestIsATimeOut() throws {
        try send()
        channel.isWritable = false
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func anInformationalResponseIsNotTheEnd() throws {
        try send()
        try wait(14)
        try receive(.head(HTTPResponseHead(version: .http1_1, status: .processing)))
        try wait(14)
        expectTimeOut(after: 1)
    }

    @Test func theTimeOutIsReportedOnce() throws {
        try send()
        expectTimeOut(after: 15)
        try wait(60)
    }

    @Test func nothingIsExpectedOfAClosedConnection() throws {
        try send()
        try channel.close().wait()
        try wait(60)
    }
}
