import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// A cached image is served only to requests that would get the same one (RFC 9111, 4.1).
@Suite(.timeLimited) struct HTTPVaryTests {
    private typealias Fixture = HTTPCacheFixture

    /// Serves the value of a request field, and says that the response varies by it.
    private func serve(_ field: String, on fixture: Fixture, _ path: String = "/a") {
        fixture.origin.serve(path) { request in
            .text("image of \(request[header: field] ?? "nobody")", Fixture.fresh + [("Vary", field)])
        }
    }

    @Test func fieldsOfInterceptorsSelectTheImage() async throws {
        try await Fixture.run { fixture in
            serve("X-User", on: fixture)
            for (user, count) in [("a", 1), ("b", 2), ("a", 2), ("b", 2)] {
                try await fixture.expect("image of \(user)", adding: ["X-User": user])
                #expect(fixture.origin.requestCount() == count, "every variant is stored")
            }
            try await fixture.expect("image of nobody")
        }
    }

    @Test func fieldsOfTheSourceSelectTheImage() async throws {
        try await Fixture.run { fixture in
            serve("X-User", on: fixture)
            for user in ["a", "b", "a"] {
                var request = fixture.request()
                request.source = .http(HTTPSource(url: fixture.origin.url("/a"), headers: ["X-User": user]))
                request.identity = "one name for all users"
                try await fixture.expect("image of \(user)", from: request)
            }
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func loadsOfOneNameWithOtherFieldsAreNotShared() async throws {
        try await Fixture.run { fixture in
            let gate = OriginGate()
            fixture.origin.serve("/a") { request in
                .text(request[header: "X-User"] ?? "", [("Vary", "X-User")]).setting(\.gate, to: gate)
            }
            let requests = ["a", "b"].map { user in
                var request = fixture.request()
                request.source = .http(HTTPSource(url: fixture.origin.url("/a"), headers: ["X-User": user]))
                request.identity = "one name for all users"
                return request
            }
            async let first = fixture.load(requests[0])
            async let second = fixture.load(requests[1])
            await fixture.origin.waitForRequests(2)
            gate.open()
            let texts = try await [first, second]
            #expect(texts == ["a", "b"])
        }
    }

    @Test func credentialsOfAnAuthorizerSelectTheImage() async throws {
        try await Fixture.run { fixture in
            serve("Authorization", on: fixture)
            let user = Shared("a")
            let authorizer = DownloadAuthorizer(
                current: { .bearer(user.withLock { $0 }) }, renewed: { .bearer("renewed") })
            var request = fixture.request()
            request.http.interceptors = [authorizer]
            try await fixture.expect("image of Bearer a", from: request)
            user.withLock { $0 = "b" }
            try await fixture.expect("image of Bearer b", from: request)
            user.withLock { $0 = "a" }
            try await fixture.expect("image of Bearer a", from: request)
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    /// The response to the request with the renewed credential is not that of the old one.
    @Test func theCredentialThatWasSentLastCounts() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a") { request in
                request[header: "Authorization"] == "Bearer old"
                    ? .status(401) : .text("image of the new", Fixture.fresh + [("Vary", "Authorization")])
            }
            var request = fixture.request()
            request.http.interceptors = [DownloadAuthorizer(current: { .bearer("old") }, renewed: { .bearer("new") })]
            try await fixture.expect("image of the new", from: request)
            try await fixture.expect("image of the new", from: request)
            #expect(fixture.origin.requestCount() == 2, "the authorizer has the renewed credential")
            fixture.origin.serve("/a", response: .text("image of another", [("Vary", "Authorization")]))
            try await fixture.expect("image of another", adding: ["Authorization": "Bearer old"])
        }
    }

    @Test func cookiesSelectTheImage() async throws {
        let configuration = DownloaderConfiguration.patient
        try await Fixture.run(configuration) { fixture in
            serve("Cookie", on: fixture)
            var request = fixture.request()
            request.http.usesCookies = true
            for user in ["a", "b", "a"] {
                configuration.cookies.store(["user=\(user)"], setBy: fixture.origin.url("/a"), at: fixture.clock.date)
                try await fixture.expect("image of user=\(user)", from: request)
            }
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func anInterceptorThatHangsIsATimeOut() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.totalTimeout = .seconds(900)
        try await Fixture.run(configuration) { fixture in
            var request = fixture.request()
            request.http.interceptors = [HangingInterceptor()]
            let code = await fixture.failure(of: request)?.code
            #expect(code == .timedOut)
        }
    }

    @Test func everyRenditionHasTheVariantOfItsRequest() async throws {
        try await Fixture.run { fixture in
            serve("X-User", on: fixture)
            for user in ["a", "b", "a", "b"] {
                let request = fixture.request(adding: ["X-User": user])
                try await fixture.expect("image of \(user)", from: request.fitting(width: 1))
            }
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func anOriginWithManyVariantsDoesNotFillTheCache() async throws {
        try await Fixture.run { fixture in
            serve("X-User", on: fixture)
            for user in 0..<60 {
                try await fixture.expect("image of \(user)", adding: ["X-User": "\(user)"])
            }
            #expect((5...Int(VariantName.count) + 1).contains(fixture.disk.count))
        }
    }

    @Test func variantsByAnythingAreNotStored() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a", response: .text("a", Fixture.fresh + [("Vary", "*")]))
            _ = try await fixture.load()
            #expect(fixture.disk.count == 0)
        }
    }

    /// A redirect by language or user decides which image is found.
    @Test func aRedirectVariesToo() async throws {
        try await Fixture.run { fixture in
            fixture.origin.serve("/a") { request in
                OriginResponse.redirect(to: "/\(request[header: "X-User"] ?? "b")").setting(
                    \.headers,
                    to: Fixture.fresh + [("Location", "/\(request[header: "X-User"] ?? "b")"), ("Vary", "X-User")])
            }
            for user in ["b", "c"] { fixture.origin.serve("/\(user)", response: .text(user, Fixture.fresh)) }
            for user in ["b", "c", "b"] { try await fixture.expect(user, adding: ["X-User": user]) }
            #expect(fixture.origin.requestCount() == 4)
        }
    }

    /// Entries of an earlier version have no digests that can be compared.
    @Test func anEntryInAnotherFormatIsNotUsed() async throws {
        try await Fixture.run { fixture in
            serve("X-User", on: fixture)
            try await fixture.expect("image of a", adding: ["X-User": "a"])
            fixture.disk.change { $0.metadata = Data("http 1\n".utf8) + $0.metadata }
            try await fixture.expect("image of b", adding: ["X-User": "b"])
        }
    }
}

/// Sends nothing until it is cancelled.
private struct HangingInterceptor: HTTPInterceptor {
    let id = "hanging"

    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
        try Task.checkCancellation()
        return try await next(request)
    }
}
