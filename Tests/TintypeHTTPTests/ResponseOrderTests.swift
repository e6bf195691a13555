import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import Testing
import TintypeCore

@testable import TintypeHTTP

/// Which parts of a response reach the client, in every short sequence.
@Suite struct ResponseOrderTests {
    private enum Event: CaseIterable {
        case sendHead, sendEnd, invalid, informational, switching, final, error, body, end

        func apply(to order: inout ResponseOrder) -> ResponseOrder.Decision? {
            switch self {
            case .sendHead: order.sendHead()
            case .sendEnd: order.sendEnd()
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
            order.sendEnd()
            #expect(order.receiveHead(status: 103) == .drop)
            #expect(order.receiveHead(status: status) == .forward)
            #expect(order.receiveRest(isEnd: false) == .forward)
            #expect(order.receiveRest(isEnd: true) == .forward)
        }
    }

    @Test func aSuccessBeforeTheEndOfTheRequestIsEarly() {
        var order = ResponseOrder()
        order.sendHead()
        #expect(order.receiveHead(status: 200) == .forward && order.isEarly && !order.hasSentRequest)
        #expect(order.receiveRest(isEnd: true) == .forward && order.isEarly)
        order.sendEnd()
        #expect(!order.isEarly && order.hasSentRequest)
    }

    @Test func anErrorBeforeTheEndOfTheRequestIsNotEarly() {
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

    @Test func theEndOfAnEarlyResponseWaitsForThatOfTheRequest() throws {
        try channel.writeOutbound(Self.head)
        try receive(200)
        try channel.writeInbound(HTTPClientResponsePart.body(Self.part))
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        guard case .head? = try readPart() else { return #expect(Bool(false), "no head") }
        #expect(try readPart() == .body(Self.part))
        try channel.writeOutbound(HTTPClientRequestPart.body(.byteBuffer(Self.part)))
        loop.run()
        #expect(try readPart() == nil)
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        // The client has not noted yet that the end was sent.
        #expect(try readPart() == nil)
        loop.run()
        #expect(try readPart() == .end(nil))
        #expect(channel.isActive)
    }

    /// The client does not send the rest of the request.
    @Test func theEndOfAnEarlyErrorDoesNotWait() throws {
        try channel.writeOutbound(Self.head)
        try receive(413)
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        guard case .head? = try readPart() else { return #expect(Bool(false), "no head") }
        #expect(try readPart() == .end(nil))
    }

    @Test(arguments: [false, true]) func anEarlyResponseIsLostWithItsConnection(_ hasSurplus: Bool) throws {
        try channel.writeOutbound(Self.head)
        try receive(200)
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        if hasSurplus { try receive(200) } else { channel.pipeline.fireChannelInactive() }
        guard case .head? = try readPart() else { return #expect(Bool(false), "no head") }
        #expect(try readPart() == nil)
        #expect(channel.isActive != hasSurplus)
    }

    /// SwiftNIO delivers what has arrived while a write fails, before the write returns.
    @Test func aResponseThatArrivesWhileAHeadIsSentIsDropped() throws {
        channel.write(Self.head, promise: nil)
        try receive(200)
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        channel.flush()
        #expect(try readPart() == nil)
    }

    private func readPart() throws -> HTTPClientResponsePart? { try channel.readInbound() }

    /// The next request would wait until the server has read the rest of the last one.
    @Test(arguments: [false, true]) func aConnectionWithUnsentBytesIsNotUsedAgain(_ isWritable: Bool) throws {
        try channel.writeOutbound(Self.head)
        let sent = loop.makePromise(of: Void.self)
        channel.write(HTTPClientRequestPart.end(nil), promise: sent)
        channel.isWritable = isWritable
        try receive(200)
        let end = HTTPClientResponsePart.end(nil)
        // The client may have begun the next request.
        if isWritable {
            try channel.writeInbound(end)
        } else {
            #expect(throws: UnsentRequest.self) { try channel.writeInbound(end) }
        }
        guard case .head? = try readPart() else { return #expect(Bool(false), "no head") }
        #expect(try readPart() == end)
        #expect(channel.isActive == isWritable)
        channel.flush()
        // A failure of the write would be one of the response.
        try sent.futureResult.wait()
    }

    // MARK: Writability

    @Test func writabilityDoesNotChangeWhileAHeadIsSent() throws {
        channel.write(Self.head, promise: nil)
        changeWritability(to: false)
        #expect(recorder.changes == [])
        channel.flush()
        #expect(recorder.changes == [])
        loop.run()
        #expect(recorder.changes == [false])
        changeWritability(to: true)
        #expect(recorder.changes == [false, true])
    }

    /// A head that is larger than the buffers may make the channel unwritable only for a moment.
    @Test func aChangeThatTheClientKnowsIsNotForwarded() throws {
        channel.write(Self.head, promise: nil)
        changeWritability(to: false)
        changeWritability(to: true)
        channel.flush()
        loop.run()
        #expect(recorder.changes == [])
        changeWritability(to: false)
        changeWritability(to: false)
        #expect(recorder.changes == [false])
    }

    private func changeWritability(to isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    private final class WritabilityRecorder: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        var changes: [Bool] = []

        func channelWritabilityChanged(context: ChannelHandlerContext) { changes.append(context.channel.isWritable) }
    }
}

/// The guard in a channel of an HTTP/2 stream.
@Suite struct StreamGuardTests {
    private static func head(_ fields: HPACKHeaders, isEnd: Bool) -> HTTP2Frame.FramePayload {
        .headers(.init(headers: fields, endStream: isEnd))
    }

    private static let get = head([":method": "GET", ":path": "/"], isEnd: true)
    private static let post = head([":method": "POST", ":path": "/"], isEnd: false)
    private static let response = head([":status": "200"], isEnd: true)

    private static func body(isEnd: Bool) -> HTTP2Frame.FramePayload {
        .data(.init(data: .byteBuffer(ByteBuffer(bytes: [1])), endStream: isEnd))
    }

    /// Delivers a response while a flush fails, as SwiftNIO does.
    private final class ResponseDuringFlush: ChannelOutboundHandler {
        typealias OutboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        func flush(context: ChannelHandlerContext) {
            context.fireChannelRead(NIOAny(StreamGuardTests.response))
            context.flush()
        }
    }

    private static func channel(_ handlers: [any ChannelHandler] = []) throws -> ClosingChannel {
        let closing = ClosingChannel(EmbeddedChannel(handlers: handlers + [StreamGuard(connection: nil)]))
        try closing.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return closing
    }

    @Test func aResponseThatArrivesWhileAHeadIsSentIsDropped() throws {
        let closing = try Self.channel([ResponseDuringFlush()])
        try closing.channel.writeOutbound(Self.get)
        #expect(try closing.channel.readInbound(as: HTTP2Frame.FramePayload.self) == nil)
    }

    /// The client would forget the request, and end the process when the connection is closed.
    @Test(arguments: [false, true]) func aResponseBeforeTheEndOfTheRequestIsRejected(_ isEnd: Bool) throws {
        let closing = try Self.channel()
        try closing.channel.writeOutbound(Self.post)
        try closing.channel.writeOutbound(Self.body(isEnd: isEnd))
        if isEnd {
            try closing.channel.writeInbound(Self.response)
        } else {
            #expect(throws: TintypeError.self) { try closing.channel.writeInbound(Self.response) }
        }
        let received = try closing.channel.readInbound(as: HTTP2Frame.FramePayload.self)
        #expect((received != nil) == isEnd)
    }
}
