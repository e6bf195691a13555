import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTP2
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

@Suite(.timeLimit(.minutes(15))) struct ClientTraitsTests {
    private static let changes: [@Sendable (inout DownloaderConfiguration) -> Void] = [
        { $0.connectTimeout = .seconds(1) }, { $0.idleTimeout = .seconds(1) }, { $0.connectionsPerHost = 1 },
        { $0.allowsHTTP2.toggle() }, { $0.trustedCertificates = ["a"] }, { $0.serverGuard = ServerGuard() },
        { $0.maximumBytesPerSecond = 100_000 }, { $0.client = .shared },
    ]

    private func traits(
        proxy: ProxyServer? = nil, pin: HostPin? = nil, _ change: (inout DownloaderConfiguration) -> Void = { _ in }
    ) -> ClientTraits {
        var configuration = DownloaderConfiguration()
        change(&configuration)
        return ClientTraits(configuration, HTTPOptions(), proxy: proxy, pin: pin)
    }

    @Test func differentTraitsNeedDifferentClients() {
        #expect(traits() == traits())
        for change in Self.changes { #expect(traits(change) != traits() && traits(change) == traits(change)) }
        #expect(traits(proxy: ProxyServer(host: "a", port: 1)) != traits())
        let pins = ["10.0.0.1", "10.0.0.2"].compactMap { IPAddress($0).map { HostPin(host: "a", address: $0) } }
        #expect(traits(pin: pins[0]) != traits() && traits(pin: pins[0]) != traits(pin: pins[1]))
    }

    @Test(arguments: [
        (1, 1024), (10_240, 1024), (20_479, 1024), (20_480, 2048), (100_000, 8192), (655_360, 65_536),
        (Int.max, 65_536),
    ])
    func aLimitedConnectionReadsLittleAtOnce(_ rate: Int, _ size: Int) {
        #expect(traits { $0.maximumBytesPerSecond = rate }.readSize == size)
    }

    @Test func everyTraitIsTested() {
        #expect(Mirror(reflecting: traits()).children.count == Self.changes.count + 2)
    }

    /// The client never gives up an HTTP/2 connection whose server sends no settings.
    @Test func aServerGuardAllowsOnlyHTTP1() throws {
        let (free, guarded) = (traits(), traits { $0.serverGuard = ServerGuard() })
        #expect(try free.configuration().httpVersion == .automatic)
        #expect(try guarded.configuration().httpVersion == .http1Only)
    }

    @Test func theVersionOfAServerSelectsItsClient() throws {
        func traits(_ version: NegotiatedVersion?, _ configuration: DownloaderConfiguration) -> ClientTraits {
            ClientTraits(configuration, HTTPOptions(), version: version)
        }
        var configuration = DownloaderConfiguration()
        let all = [nil, .http1, .http2].map { traits($0, configuration) }
        #expect(all[0] != all[1] && all[0] != all[2] && all[1] != all[2])
        #expect(try all.map { try $0.configuration().httpVersion } == [.automatic, .http1Only, .automatic])
        configuration.allowsHTTP2 = false
        #expect(traits(.http2, configuration) == traits(nil, configuration))
    }

    /// A server that changes its mind each time would otherwise be asked forever.
    @Test func aServerThatChoseHTTP1StaysThere() {
        var versions = HostVersions()
        #expect(versions.isEmpty && versions.version(of: "a", at: .zero) == nil)
        for version in [NegotiatedVersion.http2, .http2, .http1, .http2] { versions.record(version, of: "a") }
        versions.record(.http2, of: "b")
        #expect(["a", "b"].map { versions.version(of: $0, at: .zero) } == [.http1, .http2])
        for number in 0..<1000 { versions.record(.http1, of: "\(number)") }
        #expect(["b", "999"].map { versions.version(of: $0, at: .zero) } == [nil, .http1])
    }

    @Test func aServerWithoutAConnectionInTimeIsOfferedOnlyHTTP1() {
        var versions = HostVersions()
        versions.record(.http2, of: "a")
        versions.recordTimeout(of: "b", at: .zero)
        #expect(["a", "b", "c"].map { versions.version(of: $0, at: .zero) } == [.http2, .http1, nil])
        versions.recordTimeout(of: "a", at: .zero)
        #expect(versions.version(of: "a", at: .seconds(599)) == .http1)
        #expect(["a", "b"].map { versions.version(of: $0, at: .seconds(600)) } == [.http2, nil])
    }

    /// A server that was offered HTTP/1.1 only because of a time-out.
    @Test func aVersionThatAServerChoosesReplacesATimeout() {
        var versions = HostVersions()
        versions.recordTimeout(of: "a", at: .zero)
        versions.record(.http2, of: "a")
        #expect(versions.version(of: "a", at: .zero) == .http2)
    }

    /// Each may hold a descriptor for ever.
    @Test func afterManyTimeoutsNewServersAreOfferedOnlyHTTP1() {
        var versions = HostVersions()
        versions.record(.http2, of: "a")
        for number in 0..<31 { versions.recordTimeout(of: "\(number)", at: .seconds(number)) }
        #expect(versions.version(of: "new", at: .seconds(31)) == nil)
        versions.recordTimeout(of: "31", at: .seconds(31))
        #expect(["new", "a"].map { versions.version(of: $0, at: .seconds(31)) } == [.http1, .http2])
        #expect(["new", "0"].map { versions.version(of: $0, at: .seconds(3599)) } == [.http1, .http1])
        #expect(versions.version(of: "new", at: .seconds(3600)) == nil && !versions.isEmpty)
    }

    /// The client forgets a connection that is refused, and would leave it open.
    @Test func aRefusedConnectionIsClosed() throws {
        let configuration = try traits { $0.serverGuard = ServerGuard() }.configuration()
        let initializers = [
            configuration.http1_1ConnectionDebugInitializer, configuration.http2ConnectionDebugInitializer,
        ]
        for initialize in initializers {
            let channel = EmbeddedChannel()
            defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
            let result = initialize?(channel)
            #expect(throws: TintypeError.self) { try result?.wait() }
            #expect(!channel.isActive)
        }
    }

    /// A request can reach a connection after its end, and before the client has noticed it.
    @Test func aStreamOfAClosedConnectionFails() throws {
        let initialize = try traits().configuration().http2StreamChannelDebugInitializer
        let connection = EmbeddedChannel()
        defer { _ = try? connection.finish(acceptAlreadyClosed: true) }
        let multiplexer = HTTP2StreamMultiplexer(mode: .client, channel: connection, inboundStreamInitializer: nil)
        try connection.pipeline.syncOperations.addHandler(multiplexer)
        let failures = Shared(0)
        multiplexer.createStreamChannel(promise: nil) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers([
                    HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https), FailureCounter(failures),
                ])
            }.flatMap { initialize?(stream) ?? stream.eventLoop.makeSucceededVoidFuture() }
        }
        #expect(failures.now == 0)
        connection.embeddedEventLoop.run()
        #expect(failures.now == 1)
    }

    private final class FailureCounter: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        private let count: Shared<Int>

        init(_ count: Shared<Int>) {
            self.count = count
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            count.withLock { $0 += 1 }
        }
    }
}
