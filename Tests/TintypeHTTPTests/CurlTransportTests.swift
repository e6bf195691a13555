import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// What the transport checks because libcurl does not.
@Suite(.timeLimited) struct CurlTransportTests {
    /// Otherwise, the tests of HTTP/2 would be skipped silently.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[CurlLibrary.variable] != nil))
    func theLibraryOfTheEnvironmentIsUsedForHTTP2() {
        #expect(CurlTransport.usesHTTP2)
    }

    /// libcurl takes a head that was cut off for a whole response without a body.
    @Test func aHeadThatIsCutOffIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve(
                "/a",
                response: OriginResponse().setting(\.preamble, to: "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n")
                    .setting(\.statusLine, to: "X-Y: z").setting(\.ending, to: .dropped))
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }

    /// The target goes to the server byte for byte.
    @Test(arguments: [
        "/caf%e9.png", "/%83%65.png", "/%ff", "/%C3%28", "/a/../b", "/%2e%2e/b", "/a%2Fb?c=%zz", "/a?b|c", "/~a/%7Eb",
        "/a//b/./c", "/%E4%B8%80?%E4%B8%80=1",
    ])
    func theTargetIsSentAsItIsWritten(_ target: String) async throws {
        try await Fixture.withOrigin { origin in
            let url = try #require(URL(string: origin.baseURL.absoluteString + target))
            _ = try? await Fixture.load(.url(url), .patient)
            let sent = try #require(origin.requests.first?.target)
            let percent = sent.contains("%25zz") ? "%25zz" : "%zz"
            #expect(sent == target.replacing("|", with: "%7C").replacing("%zz", with: percent))
        }
    }

    @Test func bytesOfALocationThatAreNotASCIIAreSentAsEscapes() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .redirect(to: "/\u{E9}.png"))
            origin.serve("/\u{E9}.png", response: .testImage)
            let data = try await load("/a").data
            #expect(data == Fixture.body && origin.requests.last?.target == "/%C3%A9.png")
        }
    }

    /// A server may have processed a request whose connection it closed before it responded. libcurl would send any
    /// request again on another connection.
    @Test(arguments: [("POST", 1), ("GET", 2)])
    func onlyAnIdempotentRequestIsSentAgain(_ method: String, _ count: Int) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            origin.serve("/b", sequence: [OriginResponse().setting(\.ending, to: .dropped), .testImage])
            let downloader = Downloader.patient
            _ = try await Fixture.load(.url(origin.url("/a")), downloader)
            let source = ImageSource.http(HTTPSource(url: origin.url("/b"), method: method))
            let loaded = try? await Fixture.load(source, downloader)
            #expect(origin.requestCount("/b") == count && (loaded != nil) == (method == "GET"))
        }
    }

    /// Before 8.1.1, a handle of libcurl that is used again has a pointer to a field of the last response, which is
    /// freed, and appends to it what continues no field of this response. Sanitizers see it at once, the allocator
    /// sometimes.
    @Test func aResponseThatBeginsWithAContinuationDoesNotContinueTheLastOne() async {
        await #expect(processExitsWith: .success) {
            try await Fixture.withOrigin { origin in
                // Longer than any field, so that libcurl would move it.
                let long = String(repeating: "nothing", count: 100)
                origin.serve("/a", response: .testImage)
                origin.serve(
                    "/b",
                    response: .testImage.setting(\.statusLine, to: "HTTP/1.1 200 OK\r\n\tof: " + long))
                let downloader = Downloader.patient
                for _ in 0..<20 {
                    _ = try await Fixture.load(.url(origin.url("/a")), downloader)
                    _ = try? await Fixture.load(.url(origin.url("/b")), downloader)
                }
            }
        }
    }

    /// What a server sends over an idle connection is not the response to a later request.
    @Test func anIdleConnectionWithInputIsNotUsedAgain() async throws {
        try await Fixture.withOrigin { origin in
            let late = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8)
            let gate = OriginGate(after: Fixture.body.count)
            origin.serve(
                "/a",
                response: OriginResponse.image(Fixture.body + late, type: "image/png")
                    .setting(\.framing, to: .declared(Fixture.body.count)).setting(\.gate, to: gate)
                    .setting(\.ending, to: .silence(after: Fixture.body.count + late.count)))
            origin.serve("/b", response: .testImage)
            let downloader = Downloader.patient
            let first = try await Fixture.load(.url(origin.url("/a")), downloader)
            #expect(first.data == Fixture.body && origin.openConnections == 1)
            gate.open()
            // The origin writes one thing after another, so the bytes are in the socket when it has answered elsewhere.
            var other = DownloaderConfiguration.patient
            other.transport = CurlTransport()
            _ = try await Fixture.load(.url(origin.url("/b")), Downloader(other))
            let second = try await Fixture.load(.url(origin.url("/b")), downloader)
            #expect(second.data == Fixture.body && second.metrics?.isConnectionReused == false)
        }
    }

    @Test func downloadersWithEqualNumbersOfThreadsShareThem() {
        func transport(_ threadCount: Int) -> CurlTransport { .shared(threadCount: threadCount) }
        for count in [Int.min, 0, 1] { #expect(transport(count) === CurlTransport.shared) }
        #expect(transport(2) === transport(2) && transport(2) !== transport(3))
        #expect(transport(64) === transport(.max))
    }

    /// Connections belong to threads, which take turns.
    @Test func requestsAreDistributedAmongThreads() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.transportThreadCount = 5
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .testImage)
            for _ in 0..<4 { _ = try await load("/a") }
            #expect(origin.openConnections == 4)
        }
    }

    @Test func aTransportOfTheProgramKeepsItsThreads() {
        var configuration = DownloaderConfiguration()
        configuration.transportThreadCount = 5
        let own = CurlTransport()
        configuration.transport = own
        #expect(configuration.usedTransport as? CurlTransport === own)
    }

    /// libcurl may begin a request over a connection before it reports the end of the response over it.
    @Test func aConnectionThatBecomesIdleInTheSameTurnIsChecked() async throws {
        try await Fixture.withOrigin { origin in
            let late = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8)
            let gate = OriginGate(after: 100)
            origin.serve(
                "/a",
                response: OriginResponse.image(Fixture.body + late, type: "image/png")
                    .setting(\.framing, to: .declared(Fixture.body.count)).setting(\.gate, to: gate)
                    .setting(\.ending, to: .silence(after: Fixture.body.count + late.count)))
            for path in ["/b", "/x"] { origin.serve(path, response: .testImage) }
            let transport = CurlTransport()
            let first = stream(origin.url("/a"), transport)
            _ = try await first.head()
            // Holds the thread of the transport, so that the rest of the response and the next request wait for it.
            let (isHeld, release) = (SharedPromise<Void>(), DispatchSemaphore(value: 0))
            let holding = stream(origin.url("/x"), transport) { _ in
                isHeld.fulfill(())
                release.wait()
            }
            await isHeld.wait { () }
            gate.open()
            _ = try await Fixture.load(.url(origin.url("/b")), .patient)
            let next = stream(origin.url("/b"), transport)
            // The address is checked twice.
            for _ in 0..<2 { release.signal() }
            #expect(try await body(of: first) == Fixture.body)
            let nextBody = try? await body(of: next)
            #expect(nextBody == nil || nextBody == Fixture.body)
            #expect(try await body(of: holding) == Fixture.body)
        }
    }

    private func stream(
        _ url: URL, _ transport: CurlTransport, check: TransportRequest.AddressCheck? = nil
    ) -> ResponseStream {
        var request = TransportRequest(url: url)
        request.addressCheck = check
        return ResponseStream(
            to: request, over: transport, .system, at: TransferPace(totalTime: nil, from: .zero, rate: nil),
            under: TransferWatch(.system), limitedBy: nil)
    }

    private func body(of stream: ResponseStream) async throws -> Data {
        _ = try await stream.head()
        var body = Data()
        while case let part = try await stream.part(), !part.isEmpty { body += part }
        return body
    }

    /// libcurl removes codings that nobody asked for.
    @Test func transferCodingsAndOtherVersionsAreErrors() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .testImage.with(header: "Transfer-Encoding", value: "gzip"))
            await Fixture.expect(.transport) { try await load("/a") }
            for version in ["2", "3"] {
                origin.serve("/b", response: .testImage.setting(\.statusLine, to: "HTTP/\(version) 200 OK"))
                await Fixture.expect(.transport) { try await load("/b") }
            }
        }
    }

    @Test func foldedFieldsAndEqualLengthsAreAccepted() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve(
                "/a",
                response: .testImage.with(header: "X-A", value: "b\r\n c")
                    .with(header: "Content-Length", value: "\(Fixture.body.count)"))
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            origin.serve("/b", response: .testImage.with(header: "Content-Length", value: "7"))
            await Fixture.expect(.transport) { try await load("/b") }
        }
    }

    @Test func manyFieldsAreAccepted() async throws {
        try await Fixture.withOrigin { origin, load in
            let response = (0..<300).reduce(OriginResponse.testImage) { $0.with(header: "X-\($1)", value: "\($1)") }
            origin.serve("/a", response: response)
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    @Test func aHeadWithoutEndIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            let response = (0..<300).reduce(OriginResponse.testImage) { response, number in
                response.with(header: "X-\(number)", value: String(repeating: "x", count: 1000))
            }
            origin.serve("/a", response: response)
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }
}
