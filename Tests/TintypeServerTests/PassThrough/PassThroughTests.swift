import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeHTTP
@testable import TintypeServer

/// The option `raw`: sources that are passed through, as by a shared cache of HTTP.
@Suite(.timeLimited) struct PassThroughTests {
    private static let cached = (name: "Cache-Control", value: "max-age=600")

    /// Runs a test with a service that passes sources through.
    private func run(
        isReverseProxy: Bool = false, storing maximum: Int = 1 << 20, serverGuard: ServerGuard? = nil,
        cache: EntriesOfTest = EntriesOfTest(), _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        try await ServiceFixture.run(
            { configuration in
                var gateway = GatewayConfiguration(cache: cache)
                let hour = Duration.seconds(3600)
                gateway.limits = ExchangeLimits(connecting: hour, firstByte: hour, idle: hour, total: hour)
                gateway.maximumStoredByteCount = maximum
                gateway.serverGuard = serverGuard
                configuration.passThrough = PassThrough(
                    Gateway(gateway), ForwardedFields(isReverseProxy: isReverseProxy, userAgent: "tests"))
            }, body)
    }

    private func text(_ text: String, _ headers: [(name: String, value: String)] = [cached]) -> OriginResponse {
        OriginResponse(headers: [("Content-Type", "text/html"), ("ETag", "\"1\"")] + headers, body: Data(text.utf8))
    }

    @Test func rawIsRefusedUnlessTheOperatorAllowsIt() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            #expect(await fixture.get("raw:1", "/a.png").status == 403)
            #expect(fixture.origin.requestCount() == 0)
        }
    }

    @Test func anyTypeIsPassedThroughAndStoredAndCannotRun() async throws {
        try await run { fixture in
            fixture.origin.serve("/a", response: text("<script>"))
            for isStored in [false, true] {
                let response = await fixture.get("raw:1", "/a")
                #expect(response.status == 200 && response.fields["content-type"] == "text/html")
                let body = try await response.wholeBody()
                #expect(body == Data("<script>".utf8))
                #expect(response.fields["content-security-policy"]?.contains("sandbox") == true)
                #expect(response.fields["x-content-type-options"] == "nosniff")
                #expect((response.report.tier == .raw) == isStored && (response.fields["age"] != nil) == isStored)
            }
            #expect(fixture.origin.requestCount() == 1)
        }
    }

    @Test func aBodyIsPassedOnWhileItArrives() async throws {
        try await run { fixture in
            let gate = OriginGate(after: 5)
            fixture.origin.serve("/a", response: text("first, last").setting(\.gate, to: gate))
            let stream = try #require(await fixture.get("raw:1", "/a").stream)
            var data = Data()
            while data.count < 5 { data.append(try #require(try await stream.next())) }
            // The origin has not sent the rest.
            #expect(data == Data("first".utf8))
            gate.open()
            while let part = try await stream.next() { data.append(part) }
            #expect(data == Data("first, last".utf8))
        }
    }

    @Test func equalRequestsAskTheOriginOnce() async throws {
        try await run { fixture in
            let gate = OriginGate(after: 5)
            fixture.origin.serve("/a", response: text("first, last").setting(\.gate, to: gate))
            async let first = fixture.get("raw:1", "/a")
            let stream = try #require(await first.stream)
            async let others = withTaskGroup(of: Data?.self) { group in
                for _ in 0..<8 { group.addTask { try? await fixture.get("raw:1", "/a").wholeBody() } }
                return await group.reduce(into: [Data?]()) { $0.append($1) }
            }
            // A range and a condition do not wait, because their responses are not stored.
            _ = await fixture.get("raw:1", "/a", ["Range": "bytes=0-1"])
            #expect(fixture.origin.requestCount("/a") == 2)
            gate.open()
            while try await stream.next() != nil {}
            #expect(await others == Array(repeating: Data("first, last".utf8), count: 8))
            #expect(fixture.origin.requestCount("/a") == 2)
        }
    }

    @Test func requestsDoNotWaitForAResponseThatIsNotStored() async throws {
        try await run { fixture in
            let gate = OriginGate(after: 5)
            fixture.origin.serve(
                "/a", response: text("first, last", [("Cache-Control", "no-store")]).setting(\.gate, to: gate))
            let first = try #require(await fixture.get("raw:1", "/a").stream)
            let second = try #require(await fixture.get("raw:1", "/a").stream)
            gate.open()
            for stream in [first, second] { while try await stream.next() != nil {} }
            #expect(fixture.origin.requestCount("/a") == 2)
        }
    }

    /// The reader of the first response leaves: the next one asks the origin.
    @Test func requestsDoNotWaitForAReaderThatHasLeft() async throws {
        try await run { fixture in
            let gate = OriginGate(after: 5)
            fixture.origin.serve(
                "/a", sequence: [text("first, last").setting(\.gate, to: gate), text("whole")])
            var first = await fixture.get("raw:1", "/a").stream
            #expect(first != nil)
            async let second = fixture.get("raw:1", "/a").wholeBody()
            first = nil
            let whole = try await second
            #expect(whole == Data("whole".utf8))
            gate.open()
        }
    }

    @Test func aBodyThatBreaksOffIsAnErrorAndIsNotStored() async throws {
        try await run { fixture in
            let broken = text("first, last").setting(\.ending, to: .reset(after: 5))
            fixture.origin.serve("/a", sequence: [broken, text("whole")])
            let ends = Locked<[BodyStream.End]>([])
            let stream = try #require(await fixture.get("raw:1", "/a").stream)
            stream.whenEnded { end in ends.withLock { $0.append(end) } }
            await expectError(.truncatedBody) { while try await stream.next() != nil {} }
            #expect(ends.withLock { $0.count } == 1 && ends.withLock { $0.first?.isComplete } == false)
            #expect(try await fixture.get("raw:1", "/a").wholeBody() == Data("whole".utf8))
        }
    }

    @Test func aBodyBeyondTheLimitIsPassedOnAndNotStored() async throws {
        try await run(storing: 4) { fixture in
            for framing in [OriginResponse.Framing.contentLength, .chunked(size: 3)] {
                fixture.origin.forgetRequests()
                fixture.origin.serve("/a", response: text("larger").setting(\.framing, to: framing))
                for _ in 0..<2 {
                    let body = try await fixture.get("raw:1", "/a").wholeBody()
                    #expect(body == Data("larger".utf8))
                }
                #expect(fixture.origin.requestCount() == 2)
            }
        }
    }

    @Test func aStoredResponseAnswersConditionsAndRanges() async throws {
        try await run { fixture in
            fixture.origin.serve("/a", response: text("0123456789"))
            _ = try await fixture.get("raw:1", "/a").wholeBody()
            let unmodified = await fixture.get("raw:1", "/a", ["If-None-Match": "\"1\""])
            #expect(unmodified.status == 304 && unmodified.body == nil && unmodified.fields["etag"] == "\"1\"")
            let part = await fixture.get("raw:1", "/a", ["Range": "bytes=2-4"])
            #expect(part.status == 206 && part.body == Data("234".utf8))
            #expect(part.fields["content-range"] == "bytes 2-4/10" && part.fields["content-length"] == "3")
            #expect(await fixture.get("raw:1", "/a", ["Range": "bytes=2-4", "If-Range": "\"2\""]).status == 200)
            #expect(await fixture.get("raw:1", "/a", ["Range": "bytes=20-"]).status == 416)
            let head = await fixture.get("raw:1", "/a", method: "HEAD")
            #expect(head.status == 200 && head.body == nil && head.fields["content-length"] == "10")
            #expect(fixture.origin.requestCount() == 1)
        }
    }

    @Test func aStaleResponseIsRevalidated() async throws {
        try await run { fixture in
            let confirmation = OriginResponse(status: 304, headers: [("ETag", "\"1\""), Self.cached])
            fixture.origin.serve("/a", sequence: [text("old", [("Cache-Control", "max-age=0")]), confirmation])
            _ = try await fixture.get("raw:1", "/a").wholeBody()
            for _ in 0..<2 {
                let body = try await fixture.get("raw:1", "/a").wholeBody()
                #expect(body == Data("old".utf8))
            }
            #expect(fixture.origin.requests.map { $0[header: "if-none-match"] } == [nil, "\"1\""])
        }
    }

    @Test func aPrivateResponseIsNotStored() async throws {
        try await run { fixture in
            fixture.origin.serve("/a", response: text("own", [("Cache-Control", "private, max-age=600")]))
            for _ in 0..<2 { _ = try await fixture.get("raw:1", "/a").wholeBody() }
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func redirectsAreTheClientsOwn() async throws {
        try await run { fixture in
            fixture.origin.serve("/a", response: .redirect(to: "http://10.0.0.1/"))
            let response = await fixture.get("raw:1", "/a")
            #expect(response.status == 302 && response.fields["location"] == "http://10.0.0.1/")
        }
    }

    @Test func theGuardHoldsForPassedSources() async throws {
        try await run(serverGuard: ServerGuard(ports: nil)) { fixture in
            fixture.origin.serve("/a", response: text("inside"))
            #expect(await fixture.get("raw:1", "/a").status == 403)
            #expect(fixture.origin.requestCount() == 0)
        }
    }

    @Test func cookiesAndCredentialsStayHere() async throws {
        try await run { fixture in
            fixture.origin.serve("/a", response: text("x", [("Set-Cookie", "a=b"), Self.cached]))
            let asking: HTTPFields = [
                "Cookie": "secret", "Authorization": "secret", "Cache-Control": "no-cache", "Accept": "image/webp",
            ]
            for _ in 0..<2 {
                let response = await fixture.get("raw:1", "/a", asking)
                _ = try await response.wholeBody()
                #expect(!response.fields.contains("set-cookie"))
            }
            // `no-cache` of a client does not reach the origin.
            let sent = try #require(fixture.origin.requests.first)
            #expect(fixture.origin.requestCount() == 1 && sent[header: "accept"] == "image/webp")
            #expect(sent[header: "cookie"] == nil && sent[header: "authorization"] == nil)
            #expect(sent[header: "user-agent"] == "tests" && sent[header: "via"] == "1.1 tintype")
        }
    }

    @Test func aReverseProxyPassesMethodsBodiesAndQueriesOn() async throws {
        try await run(isReverseProxy: true) { fixture in
            fixture.origin.serve("/a") { request in
                request.method == "POST" ? OriginResponse(status: 201) : text(request.query ?? "none")
            }
            let target = "/unsigned/raw:1/plain/\(fixture.origin.url("/a").absoluteString)"
            func ask(_ method: String, _ query: String, _ body: Data? = nil) async throws -> ServiceResponse {
                await fixture.service.respond(
                    to: ServerRequest(method: method, target: target + query, id: "test", body: body))
            }
            #expect(try await ask("GET", "?b=%26").wholeBody() == Data("b=%26".utf8))
            #expect(try await ask("GET", "").wholeBody() == Data("none".utf8))
            #expect(try await ask("POST", "", Data("new".utf8)).status == 201)
            #expect(fixture.origin.requests.last?.body == Data("new".utf8))
            // The request has changed what is stored for its URL, and for no other.
            _ = try await ask("GET", "").wholeBody()
            _ = try await ask("GET", "?b=%26").wholeBody()
            #expect(fixture.origin.requests.map(\.method) == ["GET", "GET", "POST", "GET"])
            // Images have no other methods.
            #expect(await fixture.get("w:1", "/a", method: "POST").status == 405)
        }
    }

    @Test func aPurgeRemovesWhatIsPassedThrough() async throws {
        try await run { fixture in
            fixture.origin.serve("/a", response: text("x"))
            for _ in 0..<2 { _ = try await fixture.get("raw:1", "/a").wholeBody() }
            await fixture.service.purge(.url(try SourceURL(fixture.origin.url("/a").absoluteString)))
            _ = try await fixture.get("raw:1", "/a").wholeBody()
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    /// The look at the cache came a moment too early.
    @Test func aResponseThatIsStoredMeanwhileIsFound() async throws {
        let cache = EntriesOfTest()
        try await run(cache: cache) { fixture in
            fixture.origin.serve("/a", response: text("x"))
            _ = try await fixture.get("raw:1", "/a").wholeBody()
            try await fixture.service.flush()
            cache.missesNext.withLock { $0 = true }
            #expect(try await fixture.get("raw:1", "/a").wholeBody() == Data("x".utf8))
            #expect(fixture.origin.requestCount() == 1 && !cache.missesNext.withLock { $0 })
        }
    }

    @Test func aPurgeByPrefixRemovesWhatIsPassedThrough() async throws {
        try await run { fixture in
            for path in ["/p/a", "/q/a"] {
                fixture.origin.serve(path, response: text("x"))
                _ = try await fixture.get("raw:1", path).wholeBody()
            }
            await fixture.service.purge(.prefix(fixture.origin.url("/p/").absoluteString))
            for path in ["/p/a", "/q/a"] { _ = try await fixture.get("raw:1", path).wholeBody() }
            #expect(["/p/a", "/q/a"].map { fixture.origin.requestCount($0) } == [2, 1])
        }
    }

    /// The client that waits gets it, but it is not stored.
    @Test func aResponseThatIsOnItsWayAtAPurgeIsNotStored() async throws {
        try await run { fixture in
            let gate = OriginGate(after: 5)
            fixture.origin.serve("/a", response: text("first, last").setting(\.gate, to: gate))
            let response = await fixture.get("raw:1", "/a")
            await fixture.service.purge(.url(try SourceURL(fixture.origin.url("/a").absoluteString)))
            gate.open()
            #expect(try await response.wholeBody() == Data("first, last".utf8))
            try await fixture.service.flush()
            _ = try await fixture.get("raw:1", "/a").wholeBody()
            _ = try await fixture.get("raw:1", "/a").wholeBody()
            #expect(fixture.origin.requestCount("/a") == 2)
        }
    }
}

extension ServiceResponse {
    /// The body, read to its end.
    func wholeBody() async throws -> Data {
        guard let stream else { return body ?? Data() }
        var data = Data()
        while let part = try await stream.next() { data.append(part) }
        return data
    }
}

/// A disk cache without a disk.
private final class EntriesOfTest: ListedCache {
    private let entries = Locked<[CacheKey: CacheEntry]>([:])

    func removeEntries(sourcesFrom prefix: String) async {
        entries.withLock { $0 = $0.filter { !$0.key.source.hasPrefix(prefix) } }
    }

    /// Whether the next look finds nothing.
    let missesNext = Locked(false)

    func entry(for key: CacheKey) -> CacheEntry? {
        let misses = missesNext.withLock { misses in
            defer { misses = false }
            return misses
        }
        return misses ? nil : entries.withLock { $0[key] }
    }
    func store(_ entry: CacheEntry, for key: CacheKey) { entries.withLock { $0[key] = entry } }
    func remove(_ key: CacheKey) { entries.withLock { $0[key] = nil } }
    func contains(_ key: CacheKey) -> Bool { entries.withLock { $0[key] != nil } }
    func removeAll() async throws(TintypeError) { entries.withLock { $0 = [:] } }
    func flush() async throws(TintypeError) {}
}
