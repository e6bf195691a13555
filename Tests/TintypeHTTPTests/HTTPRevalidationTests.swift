import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Loads under the rules of HTTP: redirects, revalidation, methods, and what may be stored.
@Suite(.timeLimited) struct HTTPRevalidationTests {
    private typealias Fixture = HTTPCacheFixture

    // MARK: Directives of the request

    @Test func aDirectiveOfAnInterceptorAsksTheOrigin() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", Fixture.fresh))
            for _ in 0..<2 { _ = try await fixture.load() }
            #expect(fixture.origin.requestCount() == 1)
            _ = try await fixture.load(adding: ["Cache-Control": "no-cache"])
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func noStoreOfAnInterceptorStoresNothing() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", Fixture.fresh))
            _ = try await fixture.load(adding: ["Cache-Control": "no-store"])
            #expect(fixture.disk.count == 0)
        }
    }

    @Test func noStoreOfTheResponseStoresNothing() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", [("Cache-Control", "no-store")]))
            let request = fixture.request().fitting(width: 1)
            try await fixture.expect("a", from: request)
            #expect(fixture.disk.count == 0)
            for request in [request, fixture.request()] {
                #expect(fixture.pipeline.cachedImage(for: request.freshness(.cached)) == nil)
            }
        }
    }

    @Test func onlyIfCachedSendsNothing() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", Fixture.fresh))
            let fields = ["Cache-Control": "only-if-cached"]
            let error = await fixture.failure(of: fixture.request(adding: fields))
            #expect(error?.code == .notCached && fixture.origin.requestCount() == 0)
            _ = try await fixture.load()
            try await fixture.expect("a", adding: fields)
        }
    }

    // MARK: Redirects

    @Test(arguments: [
        ([(name: String, value: String)](), 4), ([("Cache-Control", "max-age=60")], 2),
        ([("Cache-Control", "no-store")], 4), ([("Cache-Control", "no-cache, max-age=60")], 3),
    ]) func theRedirectMustBeFreshToo(_ fields: [(name: String, value: String)], _ count: Int) async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve(
                "/a", response: OriginResponse.redirect(to: "/b").setting(\.headers, to: [("Location", "/b")] + fields))
            fixture.origin.serve("/b", response: .text("b", Fixture.fresh))
            for _ in 0..<2 { try await fixture.expect("b") }
            #expect((fixture.origin.requestCount() == 2) == (count == 2))
            #expect(fixture.disk.count == (fields.contains { $0.value == "no-store" } ? 0 : 1))
        }
    }

    /// Two URLs may have the same entity tag for different images.
    @Test func aTagIsOnlySentToItsOwnURL() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .redirect(to: "/b"))
            for name in ["b", "c"] {
                fixture.origin.serve("/\(name)") { request in
                    request[header: "If-None-Match"] == nil ? .text(name, [("ETag", "\"1\"")]) : .status(304)
                }
            }
            try await fixture.expect("b")
            try await fixture.expect("b")
            #expect(fixture.origin.requests.map { $0[header: "If-None-Match"] } == [nil, nil, nil, "\"1\""])
            fixture.origin.serve("/a", response: .redirect(to: "/c"))
            try await fixture.expect("c")
        }
    }

    // MARK: 304

    @Test func a304WithAnotherTagIsNotAboutTheStoredImage() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("old", [("ETag", "\"1\"")]))
            try await fixture.expect("old")
            fixture.origin.serve("/a") { request in
                request[header: "If-None-Match"] == nil
                    ? .text("new", [("ETag", "\"2\"")]) : OriginResponse(status: 304, headers: [("ETag", "\"2\"")])
            }
            try await fixture.expect("new")
            #expect(fixture.origin.requestCount() == 3)
        }
    }

    @Test func a304WithNoStoreRenewsNothing() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", [("ETag", "\"1\""), ("Cache-Control", "max-age=1")]))
            _ = try await fixture.load()
            fixture.clock.advance(by: .seconds(2))
            fixture.origin.serve(
                "/a", response: OriginResponse(status: 304, headers: [("Cache-Control", "no-store, max-age=60")]))
            for _ in 0..<2 { try await fixture.expect("a") }
            #expect(fixture.origin.requestCount() == 3, "the entry is still stale")
        }
    }

    /// RFC 9110, 8.6: its length is that of the image.
    @Test func a304WithALengthHasNoBody() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", [("ETag", "\"1\"")]))
            var request = fixture.request()
            request.http.interceptors = [BodyReader()]
            try await fixture.expect("a", from: request)
            fixture.origin.serve("/a", response: OriginResponse(status: 304, headers: [("Content-Length", "10")]))
            try await fixture.expect("a", from: request)
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func a304OfAVariantRenewsThatVariant() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a") { request in
                let user = request[header: "X-User"] ?? ""
                let fields = [("ETag", "\"\(user)\""), ("Cache-Control", "max-age=10"), ("Vary", "X-User")]
                return request[header: "If-None-Match"] == "\"\(user)\""
                    ? OriginResponse(status: 304, headers: fields) : .text(user, fields)
            }
            for _ in 0..<3 {
                for user in ["a", "b"] { try await fixture.expect(user, adding: ["X-User": user]) }
                fixture.clock.advance(by: .seconds(11))
            }
            let tags = fixture.origin.requests.map { $0[header: "If-None-Match"] }
            #expect(tags == [nil, nil, "\"a\"", "\"b\"", "\"a\"", "\"b\""])
        }
    }

    // MARK: Methods

    @Test func aPostIsAlwaysSentAndInvalidates() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a") { request in
                .text(request.method + (request[header: "X-User"] ?? ""), Fixture.fresh + [("Vary", "X-User")])
            }
            for user in ["a", "b"] { _ = try await fixture.load(adding: ["X-User": user]) }
            #expect(fixture.disk.count == 2)
            var post = fixture.request()
            post.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "POST"))
            for count in 3...4 {
                try await fixture.expect("POST", from: post)
                #expect(fixture.origin.requestCount() == count && fixture.disk.count == 0)
            }
        }
    }

    @Test func aFailedPostInvalidatesNothing() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a") { $0.method == "GET" ? .text("a", Fixture.fresh) : .status(500) }
            _ = try await fixture.load()
            var post = fixture.request()
            post.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "POST"))
            let status = await fixture.failure(of: post)?.status
            #expect(status == 500)
            try await fixture.expect("a")
            #expect(fixture.origin.requests.map(\.method) == ["GET", "POST"])
        }
    }

    @Test func anAcceptedErrorOfAPostInvalidatesNothing() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.acceptableStatusCodes = 200..<600
        try await Fixture.run(configuration) { fixture in
            fixture.origin.serve("/a") { request in
                .text("a", Fixture.fresh).setting(\.status, to: request.method == "GET" ? 200 : 500)
            }
            _ = try await fixture.load()
            var post = fixture.request()
            post.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "POST"))
            _ = try await fixture.load(post)
            #expect(fixture.disk.count == 1)
        }
    }

    /// The server has done what the request asks for, whatever follows.
    @Test(arguments: [
        OriginResponse.redirect(to: "/missing", status: 303), .redirect(to: "/failing", status: 307), .html("done"),
        .text("done").setting(\.ending, to: .cut(after: 2)),
    ])
    func aPostThatLeadsToNoImageInvalidates(_ answer: OriginResponse) async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.acceptableContentTypes = ["image/*"]
        try await Fixture.run(configuration) { fixture in
            fixture.origin.serve("/a") { $0.method == "GET" ? .text("a", Fixture.fresh) : answer }
            fixture.origin.serve("/missing", response: .status(404))
            fixture.origin.serve("/failing", response: .status(500))
            _ = try await fixture.load()
            #expect(fixture.disk.count == 1)
            var post = fixture.request()
            post.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "POST"))
            let failure = await fixture.failure(of: post)
            #expect(failure != nil && fixture.disk.count == 0)
        }
    }

    /// The server has done what the request asks for before the load is cancelled.
    @Test func aCancelledPostInvalidates() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a") { .text($0.method, Fixture.fresh) }
            _ = try await fixture.load()
            #expect(fixture.disk.count == 1)
            let gate = Gate()
            var post = fixture.request()
            post.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "POST"))
            post.http.interceptors = [HeldResponse(gate: gate)]
            let task = fixture.pipeline.start(post)
            await gate.waitForArrivals(1)
            task.cancel()
            await fixture.disk.waitUntilEmpty()
        }
    }

    @Test func everyAttemptInvalidatesWhatItNames() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.retry = .standard
        try await Fixture.run(configuration) { fixture in
            let first = OriginResponse.text("abc", [("Content-Location", "/b")]).setting(\.ending, to: .cut(after: 1))
            fixture.origin.serve("/a", sequence: [first, .text("abc")])
            fixture.origin.serve("/b", response: .text("b", Fixture.fresh))
            _ = try await fixture.load("/b")
            var put = fixture.request()
            put.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "PUT"))
            try await fixture.expect("abc", from: put)
            #expect(fixture.origin.requestCount("/a") == 2 && fixture.disk.count == 0)
        }
    }

    @Test func everyRequestOfAnInterceptorInvalidates() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", sequence: [.text("a", Fixture.fresh), .text("done"), .status(500)])
            _ = try await fixture.load()
            var post = fixture.request()
            post.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "POST"))
            post.http.interceptors = [RepeatedRequest()]
            let status = await fixture.failure(of: post)?.status
            #expect(status == 500 && fixture.disk.count == 0)
        }
    }

    @Test func anInvalidationStaysWithItsError() {
        let urls = [URL(filePath: "/a")]
        let error = TintypeError(.badStatus, stage: .load, "HTTP 500", status: 500).invalidating(urls)
        #expect(error.about("a").invalidated == urls && error.at(.decode).invalidated == urls)
        #expect(error.about("a").status == 500 && error.about("a").subject == "a" && error.at(.decode).stage == .decode)
    }

    /// RFC 9111, 4.4: URLs that the response names, but none of another origin.
    @Test func aPutInvalidatesWhatItNames() async throws {
        try await Fixture.run { fixture in
            for path in ["/a", "/b", "/c"] {
                fixture.origin.serve(path) { request in
                    let fields = [("Location", "/b"), ("Content-Location", "http://other.example/c")]
                    return .text(path, Fixture.fresh + (request.method == "PUT" ? fields : []))
                }
                _ = try await fixture.load(path)
            }
            var put = fixture.request()
            put.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "PUT"))
            _ = try await fixture.load(put)
            #expect(fixture.disk.count == 1)
            try await fixture.expect("/c", from: "/c")
            #expect(fixture.origin.requestCount() == 4)
        }
    }

    /// A response with a thousand of them would cause ten thousand removals.
    @Test func onlyOneLocationIsInvalidated() async throws {
        try await Fixture.run { fixture in
            let locations = (0..<9).map { (name: "Location", value: "/\($0)") }
            fixture.origin.serve("/3", response: .text("b", Fixture.fresh))
            fixture.origin.serve("/a", response: .text("a", locations))
            _ = try await fixture.load("/3")
            var post = fixture.request()
            post.source = .http(HTTPSource(url: fixture.origin.url("/a"), method: "POST"))
            _ = try await fixture.load(post)
            #expect(fixture.disk.count == 1)
        }
    }

    // MARK: Without the origin

    @Test(arguments: [
        ("max-age=1", true), ("max-age=1, must-revalidate", false), ("max-age=1, stale-if-error=1", false),
    ])
    func aStaleImageIsUsedWithoutTheOriginIfItIsAllowed(_ control: String, _ isUsed: Bool) async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", [("Cache-Control", control)]))
            _ = try await fixture.load()
            fixture.clock.advance(by: .seconds(3600))
            fixture.origin.serve("/a", response: OriginResponse(body: Data(), framing: .untilClose, ending: .dropped))
            let response = try? await fixture.pipeline.response(for: fixture.request())
            #expect((response?.revalidationFailure?.code == .transport) == isUsed)
        }
    }

    @Test func anErrorOfTheOriginIsNoReasonForAStaleImage() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", [("Cache-Control", "max-age=1")]))
            _ = try await fixture.load()
            fixture.clock.advance(by: .seconds(2))
            fixture.origin.serve("/a", response: .status(503))
            let status = await fixture.failure(of: fixture.request())?.status
            #expect(status == 503)
        }
    }

    @Test func aStaleVariantIsRevalidatedInTheBackground() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a") { request in
                .text(
                    request[header: "X-User"] ?? "",
                    [
                        ("Cache-Control", "max-age=1, stale-while-revalidate=60"), ("Vary", "X-User"),
                    ])
            }
            for user in ["a", "b"] { _ = try await fixture.load(adding: ["X-User": user]) }
            fixture.clock.advance(by: .seconds(2))
            fixture.origin.serve("/a", response: .text("newer", Fixture.fresh + [("Vary", "X-User")]))
            try await fixture.expect("b", adding: ["X-User": "b"])
            await fixture.origin.waitForRequests(3)
            while try await fixture.load(adding: ["X-User": "b"]) == "b" { await Task.yield() }
            // Not renewed by that of another user.
            try await fixture.expect("a", adding: ["X-User": "a"])
        }
    }

    // MARK: The response

    @Test func theResponseTellsItsAgeAndItsFields() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.storedHeaders = ["X-Author"]
        try await Fixture.run(configuration) { fixture in
            let fields = Fixture.fresh + [("Age", "10"), ("X-Author", "A"), ("X-Other", "B"), ("ETag", "W/\"1\"")]
            fixture.origin.serve("/a", response: .text("a", fields))
            let fresh = try #require(try await fixture.pipeline.response(for: fixture.request()).http)
            #expect(fresh.url == fixture.origin.url("/a") && !fresh.isRedirected && fresh.headers["x-other"] == "B")
            fixture.clock.advance(by: .seconds(5))
            let http = try #require(try await fixture.pipeline.response(for: fixture.request()).http)
            #expect(http.status == 200 && http.age(at: fixture.clock.date) == 15)
            #expect(http.headers["x-author"] == "A" && http.headers["x-other"] == nil)
            #expect(http.isUnmodified(for: ["If-None-Match": "\"0\", \"1\""]))
            #expect(!http.isUnmodified(for: ["If-None-Match": "\"0\""]) && !http.isUnmodified(for: [:]))
            // Without `Last-Modified`, the date of the response counts.
            for (date, isUnmodified) in [
                ("Fri, 01 Jan 2100 00:00:00 GMT", true), ("Thu, 01 Jan 1970 00:00:00 GMT", false),
            ] {
                #expect(http.isUnmodified(for: ["If-Modified-Since": date]) == isUnmodified)
            }
        }
    }
}

/// An interceptor that reads each body.
private struct BodyReader: HTTPInterceptor {
    let id = "body reader"

    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        var response = try await next(request)
        response.body = DownloadBody(try await response.body.collect())
        return response
    }
}

/// An interceptor that sends each request twice.
private struct RepeatedRequest: HTTPInterceptor {
    let id = "repeated request"

    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        _ = try await next(request).body.collect()
        return try await next(request)
    }
}

/// An interceptor that holds back each response until the load is cancelled.
private struct HeldResponse: HTTPInterceptor {
    let id = "held response"
    let gate: Gate

    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        let response = try await next(request)
        _ = await gate.wait()
        return response
    }
}
