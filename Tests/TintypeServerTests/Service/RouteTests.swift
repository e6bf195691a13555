import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// The routes besides images, and the gate in front of images.
@Suite(.timeLimited) struct RouteTests {
    private func request(_ method: String, _ target: String, _ fields: HTTPFields = HTTPFields()) -> ServerRequest {
        ServerRequest(method: method, target: target, fields: fields, id: "test")
    }

    @Test func healthIsThatOfTheLoad() async throws {
        try await ServiceFixture.run { fixture in
            let routes = ServerRoutes {
                Health(Health.Inputs(load: fixture.service.load, isStarted: true, requestTimeout: .seconds(20)))
            }
            #expect(routes.response(to: request("GET", "/health/live"))?.status == 200)
            #expect(routes.response(to: request("GET", "/health/ready?x"))?.status == 200)
            #expect(routes.response(to: request("HEAD", "/health/ready"))?.body == nil)
            #expect(routes.response(to: request("GET", "/healthy")) == nil)
            fixture.service.drain()
            #expect(routes.response(to: request("GET", "/health/ready"))?.status == 503)
        }
    }

    @Test func aPurgedSourceIsAskedForAgain() async throws {
        try await ServiceFixture.run { fixture in
            let routes = OperatorRoutes(fixture.service, gate: BearerGate(token: "secret"))
            let url = fixture.origin.url("/a.png").absoluteString
            let target = "/sources?url=\(url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            try fixture.servePicture("/a.png")
            _ = await fixture.get("w:40", "/a.png")
            #expect(await routes.response(to: request("DELETE", target)).status == 401)
            #expect(await routes.response(to: request("DELETE", target, ["Authorization": "Bearer x"])).status == 401)
            _ = await fixture.get("w:41", "/a.png")
            #expect(fixture.origin.requestCount() == 1)
            let purged = await routes.response(to: request("DELETE", target, ["Authorization": "Bearer secret"]))
            #expect(purged.status == 200)
            _ = await fixture.get("w:40", "/a.png")
            #expect(fixture.origin.requestCount() == 2)
            #expect(await routes.response(to: request("GET", target)).status == 404)
        }
    }

    @Test func sourcesArePurgedByTheBeginningsOfTheirURLs() async throws {
        try await ServiceFixture.run { fixture in
            let routes = OperatorRoutes(fixture.service, gate: BearerGate(token: "secret"))
            let paths = ["/p/a", "/p/b", "/q/a"]
            for path in paths {
                try fixture.servePicture(path)
                _ = await fixture.get("w:40", path)
            }
            let purge = { (prefix: String) in
                let text = prefix.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let target = "/sources?prefix=\(text)"
                return await routes.response(to: request("DELETE", target, ["Authorization": "Bearer secret"])).status
            }
            // All sources of all hosts are never meant.
            #expect(await purge("http://") == 400)
            #expect(await purge("http://127.0.0.1") == 400)
            #expect(await purge(fixture.origin.url("/p/").absoluteString) == 200)
            for path in paths { _ = await fixture.get("w:40", path) }
            #expect(paths.map { fixture.origin.requestCount($0) } == [2, 2, 1])
        }
    }

    /// Neither the request that waits nor the next one gets the bytes that were on their way.
    @Test func aPurgeDuringALoadLetsItBeginAgain() async throws {
        try await ServiceFixture.run { fixture in
            let gate = OriginGate(after: 20)
            try fixture.servePicture("/a", as: .png, gate: gate)
            async let waiting = fixture.get("", "/a")
            await fixture.origin.waitForRequests(1)
            try fixture.servePicture("/a", as: .jpeg)
            await fixture.service.purge(.url(try SourceURL(fixture.origin.url("/a").absoluteString)))
            gate.open()
            #expect(await waiting.format == .jpeg)
            #expect(await fixture.get("", "/a").format == .jpeg)
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func metricsAreServedOnTheirPortOnly() async throws {
        try await ServiceFixture.run { fixture in
            let metrics = OperatorRoutes(fixture.service, metrics: { "tintype_up 1" })
            let response = await metrics.response(to: request("GET", "/metrics"))
            #expect(response.status == 200 && response.body == Data("tintype_up 1\n".utf8))
            let purge = OperatorRoutes(fixture.service, gate: BearerGate(token: "secret"))
            #expect(await purge.response(to: request("GET", "/metrics")).status == 404)
        }
    }

    @Test func aGateRefusesRequestsWithoutItsToken() async throws {
        try await ServiceFixture.run({ $0.gate = BearerGate(token: "secret") }) { fixture in
            try fixture.servePicture("/a.png")
            #expect(await fixture.get("w:40", "/a.png").status == 403)
            #expect(await fixture.get("w:40", "/a.png", ["Authorization": "Bearer secret"]).status == 200)
        }
    }

    @Test func aFallbackImageKeepsTheStatus() async throws {
        let fallback = ProblemResponse.Fallback(contentType: "image/png", bytes: Data([1, 2, 3]))
        try await ServiceFixture.run({ $0.fallback = FallbackImage(fallback) }) { fixture in
            let response = await fixture.get("w:40", "/missing.png")
            #expect(response.status == 404 && response.body == Data([1, 2, 3]))
            #expect(response.fields["content-type"] == "image/png")
        }
    }
}
