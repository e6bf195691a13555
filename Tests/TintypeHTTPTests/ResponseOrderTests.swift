import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import TintypeCore

@testable import TintypeHTTP

/// Which parts of a response reach the client, in every short sequence.
@Suite struct ResponseOrderTests {
    private enum Event: CaseIterable {
        case sendHead, sendRest, invalid, informational, switching, final, error, body, end

        func apply(to order: inout ResponseOrder) -> ResponseOrder.Decision? {
            switch self {
            case .sendHead: order.sendHead()
            case .sendRest: order.sendRest()
            case .invalid: return order.receiveHead(status: "000")
            case .informational: return order.receiveHead(status: "100")
            case .switching: return order.receiveHead(status: 101)
            case .final: return order.receiveHead(status: 200)
            case .error: return order.receiveHead(status: "404")
            case .body: return order.receiveRest(isEnd: false)
            case .end: return order.receiveRest(isEnd: true)
            }
            return nil
        }
    }

    /// The parts that the client accepts: for each request one final head, body, one end; and nothing after a rejection.
    @Test func theClientGetsNothingThatItDoesNotExpect() {
        func check(_ order: ResponseOrder, _ expectsHead: Bool, _ isInBody: Bool, _ isRejected: Bool, _ depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var order = order
                var (expectsHead, isInBody, isRejected) = (expectsHead, isInBody, isRejected)
                switch (event, event.apply(to: &order)) {
                // The client sends a request only on an idle connection.
                case (.sendHead, nil) where expectsHead || isInBody: continue
                case (.sendHead, nil): expectsHead = true
                case (_, nil), (_, .drop): break
                case (.final, .forward), (.error, .forward):
                    #expect(expectsHead && !isInBody && !isRejected)
                    (expectsHead, isInBody) = (false, true)
                case (.body, .forward): #expect(isInBody && !isRejected)
                case (.end, .forward):
                    #expect(isInBody && !isRejected)
                    isInBody = false
                case (_, .reject):
                    #expect(!isRejected)
                    isRejected = true
                case (_, .forward): Issue.record("\(event) reached the client")
                }
                check(order, expectsHead, isInBody, isRejected, depth - 1)
            }
        }
        check(ResponseOrder(), false, false, false, 6)
    }

    @Test func aRegularExchangeIsForwarded() {
        var order = ResponseOrder()
        for status in [200, 304, 404, 599, 999] {
            order.sendHead()
            order.sendRest()
            #expect(order.receiveHead(status: 103) == .drop)
            #expect(order.receiveHead(status: status) == .forward)
            #expect(order.receiveRest(isEnd: false) == .forward)
            #expect(order.receiveRest(isEnd: true) == .forward)
        }
    }

    @Test func aSuccessBeforeTheRequestBodyIsEarly() {
        var order = ResponseOrder()
        order.sendHead()
        #expect(order.receiveHead(status: 200) == .forward && order.isEarly)
        #expect(order.receiveRest(isEnd: true) == .forward && order.isEarly)
        order.sendRest()
        #expect(!order.isEarly)
    }

    @Test func anErrorBeforeTheRequestBodyIsForwarded() {
        var order = ResponseOrder()
        order.sendHead()
        #expect(order.receiveHead(status: 413) == .forward && !order.isEarly)
    }
}

/// The guard in a channel of HTTP/1.1.
@Suite(.timeLimit(.minutes(15))) struct ResponseGuardTests {
    private let loop = EmbeddedEventLoop()
    private let closing: ClosingChannel
    private var channel: EmbeddedChannel { closing.channel }
    private let recorder = WritabilityRecorder()

    init() throws {
        closing = ClosingChannel(
            EmbeddedChannel(handlers: [ResponseGuard(), IdleHandler(limit: .seconds(15)), recorder], loop: loop))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    private static let head = HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"))

    /// Receives a head. Like a real channel, the channel then reads again.
    private func receive(_ status: Int) throws {
        try channel.writeInbound(
            HTTPClientResponsePart.head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status))))
        channel.read()
    }

    /// Informational responses are no progress.
    @Test func endlessInformationalResponsesAreATimeOut() throws {
        channel.write(Self.head, promise: nil)
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        #expect(throws: HTTPClientError.readTimeout) {
            for _ in 0..<30 {
                try receive(103)
                loop.advanceTime(by: .seconds(1))
                try channel.throwIfErrorCaught()
            }
        }
    }

    @Test func aRejectedResponseIsOneError() throws {
        channel.write(Self.head, promise: nil)
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        #expect(throws: TintypeError.self) { try receive(0) }
        try receive(0)
        try channel.writeInbound(HTTPClientResponsePart.body(ByteBuffer(bytes: [1])))
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        #expect(try channel.readInbound(as: HTTPClientResponsePart.self) == nil)
    }

    // MARK: Early responses

    private static let part = ByteBuffer(bytes: [1])

    private func readPart() throws -> HTTPClientResponsePart? { try channel.readInbound() }

    @Test func anEarlyResponseWaitsForTheRequestBody() throws {
        try channel.writeOutbound(Self.head)
        try receive(200)
        try channel.writeInbound(HTTPClientResponsePart.body(Self.part))
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        #expect(try readPart() == nil)
        try channel.writeOutbound(HTTPClientRequestPart.body(.byteBuffer(Self.part)))
        // The client has not noted yet that the part was sent.
        #expect(try readPart() == nil)
        loop.run()
        guard case .head? = try readPart() else { return #expect(Bool(false), "no head") }
        #expect(try readPart() == .body(Self.part))
        #expect(try readPart() == .end(nil))
    }

    @Test(arguments: [false, true]) func anEarlyResponseIsLostWithItsConnection(_ hasEnded: Bool) throws {
        try channel.writeOutbound(Self.head)
        try receive(200)
        if hasEnded { try channel.writeInbound(HTTPClientResponsePart.end(nil)) }
        channel.pipeline.fireChannelInactive()
        try channel.writeOutbound(HTTPClientRequestPart.body(.byteBuffer(Self.part)))
        loop.run()
        #expect(try readPart() == nil)
    }

    @Test func aLongEarlyResponseIsRejected() throws {
        try channel.writeOutbound(Self.head)
        try receive(200)
        let error = #expect(throws: TintypeError.self) {
            for _ in 0..<64 { try channel.writeInbound(HTTPClientResponsePart.body(Self.part)) }
        }
        #expect(error?.message == "the server responded before it received the request")
        try channel.writeOutbound(HTTPClientRequestPart.body(.byteBuffer(Self.part)))
        loop.run()
        #expect(try readPart() == nil)
    }

    @Test func writabilityDoesNotChangeWhileAHeadIsSent() throws {
        channel.write(Self.head, promise: nil)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(recorder.changes == 0)
        channel.flush()
        #expect(recorder.changes == 0)
        loop.run()
        #expect(recorder.changes == 1)
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(recorder.changes == 2)
    }

    private final class WritabilityRecorder: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        var changes = 0

        func channelWritabilityChanged(context: ChannelHandlerContext) { changes += 1 }
    }
}
