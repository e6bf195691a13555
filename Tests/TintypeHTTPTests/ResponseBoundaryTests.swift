import AsyncHTTPClient
import Foundation
import HTTPTestSupport
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// The reaction of an HTTP/1.1 connection to bytes after the end of a response.
@Suite(.timeLimit(.minutes(15))) struct ResponseBoundaryTests {
    /// A connection with a client that sends the next request as soon as it has a response, as the real one does.
    private final class Connection {
        private let closing: ClosingChannel
        var channel: EmbeddedChannel { closing.channel }
        let client = EagerClient()

        init() throws {
            let responses = ResponseGuard()
            let decoder = HTTPResponseDecoder(
                leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)
            closing = ClosingChannel(
                EmbeddedChannel(handlers: [
                    HTTPRequestEncoder(), ResponseBoundary(responses), ByteToMessageHandler(decoder), responses, client,
                ]))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
            client.send(on: channel.pipeline)
        }

        /// The number of requests that were sent.
        func sentHeads() throws -> Int {
            var text = ""
            while case .byteBuffer(let bytes)? = try channel.readOutbound(as: IOData.self) {
                text += String(buffer: bytes)
            }
            return text.components(separatedBy: "GET ").count - 1
        }

        /// Receives each piece in a read of its own; only the last one is the last that can be read.
        func receive(_ pieces: [Data], atOnce: Bool = false) {
            for piece in pieces {
                channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece))
                if !atOnce { channel.pipeline.fireChannelReadComplete() }
            }
            if atOnce { channel.pipeline.fireChannelReadComplete() }
        }
    }

    private final class EagerClient: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundOut = HTTPClientRequestPart

        private(set) var bodies: [String] = []
        private(set) var errors: [any Error] = []
        private(set) var sent = 0
        private var body = ""

        func send(on pipeline: ChannelPipeline) {
            sent += 1
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
            pipeline.write(HTTPClientRequestPart.head(head), promise: nil)
            pipeline.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: body = ""
            case .body(let bytes): body += String(buffer: bytes)
            case .end:
                bodies.append(body)
                send(on: context.pipeline)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }
    }

    private static let responses = [
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\na\r\n\r\nbc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nX-A: b\r\n\r\n",
    ]

    @Test(arguments: responses)
    func aResponseInAnyTwoPiecesKeepsItsConnection(_ response: String) throws {
        let wire = Data(response.utf8)
        for split in 1..<wire.count {
            for atOnce in [false, true] {
                let connection = try Connection()
                for _ in 0..<2 { connection.receive([wire.prefix(split), wire.dropFirst(split)], atOnce: atOnce) }
                #expect(connection.client.bodies.count == 2, "\(split) \(atOnce)")
                #expect(connection.client.errors.isEmpty, "\(split) \(atOnce)")
                #expect(connection.channel.isActive, "\(split) \(atOnce)")
            }
        }
    }

    private static let surpluses = [
        "x", "H", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "abc", "c", "rest\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", "\u{0}",
    ]

    /// Whatever follows a response, it is not taken as the response to a request that was sent later.
    @Test(arguments: responses, surpluses)
    func bytesBehindAResponseEndTheConnection(_ response: String, _ surplus: String) throws {
        let wire = Data((response + surplus).utf8)
        for split in 1..<wire.count {
            let connection = try Connection()
            let isComplete = split >= response.utf8.count
            connection.receive([wire.prefix(split), wire.dropFirst(split)], atOnce: isComplete)
            #expect(connection.client.bodies.count == 1, "\(split)")
            #expect(connection.client.errors.map { $0 is UnsentRequest } == [true], "\(split)")
            #expect(!connection.channel.isActive, "\(split)")
            #expect(try connection.sentHeads() == 1, "\(split)")
        }
    }

    @Test(arguments: surpluses + ["\r\n"])
    func bytesBeforeARequestEndTheConnection(_ surplus: String) throws {
        let responses = ResponseGuard()
        let channel = EmbeddedChannel(handlers: [
            ResponseBoundary(responses), ByteToMessageHandler(HTTPResponseDecoder()), responses,
        ])
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        try channel.writeInbound(ByteBuffer(string: surplus))
        #expect(!channel.isActive)
        #expect(try channel.readInbound(as: HTTPClientResponsePart.self) == nil)
    }

    @Test(arguments: [false, true], [nil, false, true])
    func onlyARequestWithoutAResponseIsSentAgain(_ isIdempotent: Bool, _ isReused: Bool?) {
        func allows(_ error: any Error) -> Bool {
            error.allowsReplay(isIdempotent: isIdempotent, isReused: isReused)
        }
        #expect(allows(UnsentRequest()))
        #expect(allows(HTTPParserError.invalidConstant) == (isIdempotent && isReused == true))
        #expect(allows(HTTPClientError.remoteConnectionClosed) == (isIdempotent && isReused != false))
        #expect(!allows(HTTPClientError.readTimeout))
    }

    // MARK: Framing

    private static let chunkedHead = Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    private static let lastChunk = Data("0\r\n\r\n".utf8)

    /// A chunk with an extension, which the client does not get.
    private static func chunk(_ body: String, extensionLength: Int) -> Data {
        let size = String(body.utf8.count, radix: 16)
        return Data("\(size);".utf8) + Data(repeating: UInt8(ascii: "x"), count: extensionLength)
            + Data("\r\n\(body)\r\n".utf8)
    }

    @Test func chunkExtensionsWithoutEndAreAnError() throws {
        let connection = try Connection()
        let chunk = Self.chunk("a", extensionLength: 1 << 20)
        connection.receive([Self.chunkedHead] + Array(repeating: chunk, count: 6))
        #expect(connection.client.errors.map { ($0 as? TintypeError)?.code } == [.transport])
        #expect(connection.client.bodies.isEmpty)
    }

    /// Nothing of the next response is lost, because there is none on the same connection.
    @Test func aResponseThatEndsWithTooManyExtensionsIsTheLastOne() throws {
        let connection = try Connection()
        connection.receive([Self.chunkedHead + Self.chunk("a", extensionLength: 5 << 20) + Self.lastChunk])
        #expect(connection.client.bodies == ["a"])
        #expect(connection.client.errors.map { $0 is UnsentRequest } == [true])
        #expect(!connection.channel.isActive)
    }

    @Test func smallChunksWithExtensionsAreNoError() throws {
        let connection = try Connection()
        let chunk = Self.chunk("0123456789abcdef", extensionLength: 100)
        let chunks = Data(Array(repeating: chunk, count: 40_000).joined())
        connection.receive([Self.chunkedHead, chunks, Self.lastChunk])
        #expect(connection.client.bodies.map(\.utf8.count) == [640_000])
        #expect(connection.client.errors.isEmpty && connection.channel.isActive)
    }

    @Test func framingIsCountedForEachResponse() throws {
        let connection = try Connection()
        let response = Self.chunkedHead + Self.chunk("a", extensionLength: 3 << 20) + Self.lastChunk
        connection.receive(Array(repeating: response, count: 3))
        #expect(connection.client.bodies == ["a", "a", "a"])
        #expect(connection.client.errors.isEmpty && connection.channel.isActive)
    }

    @Test(arguments: [
        (4 << 20, 0, false), (4 << 20 + 1, 0, true), (4 << 20 + 8, 1, false), (4 << 20 + 9, 1, true),
        (1 << 40, 1 << 40, false),
    ])
    func aResponseMayHaveSomeFraming(_ wire: Int, _ body: Int, _ isTooMuch: Bool) {
        #expect(ResponseSize(wireByteCount: wire, bodyByteCount: body).isMostlyFraming == isTooMuch)
    }

    // MARK: The end of a connection

    /// A body without a length ends with its connection.
    @Test func theEndOfAConnectionEndsAResponse() throws {
        let connection = try Connection()
        connection.receive([Data("HTTP/1.1 200 OK\r\n\r\nabc".utf8)])
        #expect(connection.client.bodies.isEmpty)
        connection.channel.pipeline.fireChannelInactive()
        #expect(connection.client.bodies == ["abc"])
    }
}

/// Responses that are longer than they say, from a real server.
@Suite(.timeLimit(.minutes(15))) struct SurplusTests {
    private static let small = Data((0..<100).map { UInt8($0) })

    /// One connection, so that a request waits for the response before it.
    private static var configuration: DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.connectionsPerHost = 1
        return configuration
    }

    private static func response(_ surplus: Data) -> OriginResponse {
        OriginResponse.image(small + surplus, type: "image/png").setting(\.framing, to: .declared(small.count))
            .setting(\.ending, to: .silence(after: small.count + surplus.count))
    }

    private static let second = Data(
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nwrong".utf8)

    @Test(arguments: [second, second.prefix(30), Data("rest".utf8), Data(count: 100_000)])
    func whatFollowsAResponseIsNotTheNextOne(_ surplus: Data) async throws {
        for identity in [nil, try TestCertificate.make()] {
            var configuration = Self.configuration
            configuration.trustedCertificates = identity.map { [$0.certificates] } ?? []
            try await Fixture.withOrigin(configuration, identity: identity) { origin, load in
                let gate = OriginGate()
                origin.serve("/long", response: Self.response(surplus).setting(\.gate, to: gate))
                origin.serve("/innocent", response: .testImage)
                let long = Task { try await load("/long").data }
                await origin.waitForRequests(1)
                let innocent = ["/innocent", "/innocent?other"].map { path in Task { try await load(path).data } }
                gate.open()
                let short = try await long.value
                #expect(short == Self.small)
                for innocent in innocent {
                    let data = try await innocent.value
                    #expect(data == Fixture.body)
                }
            }
        }
    }

    /// The rest of a response that arrives after the next request.
    @Test func aRestInsteadOfAResponseMakesARequestBeSentAgain() async throws {
        try await Fixture.withOrigin(Self.configuration) { origin, load in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            origin.serve("/b", sequence: [OriginResponse().setting(\.statusLine, to: "rest of a body"), .testImage])
            let first = Task { try await load("/a").data }
            await origin.waitForRequests(1)
            // Before the first response ends. On a busy machine, the connection might be closed as idle otherwise.
            let second = Task { try await load("/b").data }
            gate.open()
            let bodies = (try await first.value, try await second.value)
            #expect(bodies == (Fixture.body, Fixture.body))
            #expect(origin.requestCount("/b") == 2)
        }
    }

    @Test func aServerThatDoesNotSpeakHTTPIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: OriginResponse().setting(\.statusLine, to: "no HTTP"))
            await Fixture.expect(.transport) { try await load("/a") }
            #expect(origin.requestCount("/a") == 1)
        }
    }
}
