import HTTPTestSupport
import TestSupport
import Testing
import TintypeHTTP
import TintypeTesting

@testable import TintypeCore

/// Pipelines that share the transfer of a request which changes its resource.
@Suite(.timeLimited) struct SharedInvalidationTests {
    @Test(arguments: [200, 303]) func aSharedPostInvalidatesInEveryPipeline(_ status: Int) async throws {
        try await HTTPCacheFixture.run { first in
            let second = first.sharingDownloader()
            let gate = OriginGate()
            let done = OriginResponse.text("done", [("Location", "/missing")]).setting(\.status, to: status)
            first.origin.serve("/a") { request in
                request.method == "GET" ? .text("a", HTTPCacheFixture.fresh) : done.setting(\.gate, to: gate)
            }
            let fixtures = [first, second]
            for fixture in fixtures {
                _ = try await fixture.load()
                #expect(fixture.disk.count == 1)
            }
            var post = first.request()
            post.source = .http(HTTPSource(url: first.origin.url("/a"), method: "POST"))
            let tasks = fixtures.map { $0.pipeline.start(post) }
            while first.downloader.loads.activity.subscribers < 2 { await Task.yield() }
            gate.open()
            for (task, fixture) in zip(tasks, fixtures) {
                _ = try? await task.response
                #expect(fixture.disk.count == 0)
            }
            #expect(first.origin.requests.filter { $0.method == "POST" }.count == 1)
        }
    }
}
