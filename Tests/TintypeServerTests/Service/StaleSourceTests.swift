import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// Sources whose freshness has ended (RFC 5861). Their origin says that they are old already.
@Suite(.timeLimited) struct StaleSourceTests {
    @Test func aStaleSourceIsUsedWhileItIsAskedForAgain() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a", cache: "max-age=10", age: 20)
            _ = await fixture.get("w:40", "/a")
            let gate = OriginGate()
            try fixture.servePicture("/a", as: .jpeg, cache: "max-age=60", gate: gate)
            // The next ones need not wait for the origin, also if their result was not made before.
            let known = await fixture.get("w:40", "/a")
            let new = await fixture.get("w:50", "/a")
            #expect(known.format == .png && new.format == .png)
            // Caches in front learn that no freshness is left.
            let age = try #require(known.fields["age"])
            #expect(known.fields["cache-control"]?.contains("max-age=\(age),") == true && known.report.isStale)
            await fixture.origin.waitForRequests(2)
            gate.open()
            while await fixture.get("w:40", "/a").format == .png { await Task.yield() }
            #expect(await fixture.get("w:40", "/a").report.isStale == false)
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test(arguments: ["max-age=10, stale-while-revalidate=0", "max-age=10, stale-while-revalidate=5"])
    func aStaleSourceIsUsedWhenItsOriginFails(_ cache: String) async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a", cache: cache, age: 20)
            _ = await fixture.get("w:40", "/a")
            fixture.origin.serve("/a", response: .status(500))
            let known = await fixture.get("w:40", "/a")
            #expect(known.status == 200 && known.report.isStale)
            #expect(await fixture.get("w:50", "/a").status == 200)
            #expect(fixture.origin.requestCount() > 1)
        }
    }

    @Test(arguments: [
        ("max-age=10, must-revalidate", 500, 502), ("max-age=10, stale-while-revalidate=0, stale-if-error=5", 500, 502),
        ("max-age=10, stale-while-revalidate=0", 404, 404), ("max-age=10, no-store", 500, 502),
        ("max-age=0", 500, 200), ("max-age=0, stale-if-error=0", 500, 502),
    ])
    func theOriginDecidesWhetherAStaleSourceIsUsed(_ cache: String, _ status: Int, _ expected: Int) async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a", cache: cache, age: 20)
            _ = await fixture.get("w:40", "/a")
            fixture.origin.serve("/a", response: .status(status))
            #expect(await fixture.get("w:40", "/a").status == expected)
        }
    }

    /// What the origin says in the background counts from then on.
    @Test func aSourceThatIsGoneIsNotUsedAnyLonger() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a", cache: "max-age=10", age: 20)
            _ = await fixture.get("w:40", "/a")
            fixture.origin.serve("/a", response: .status(404))
            while await fixture.get("w:40", "/a").status == 200 { await Task.yield() }
            #expect(await fixture.get("w:40", "/a").status == 404)
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    /// The result of a versioned URL is kept for a year.
    @Test func aVersionedURLWaitsForItsSource() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a", cache: "max-age=10", age: 20)
            _ = await fixture.get("cb:1", "/a")
            try fixture.servePicture("/a", as: .jpeg, cache: "max-age=10", age: 20)
            let next = await fixture.get("cb:2", "/a")
            #expect(next.format == .jpeg && next.fields["cache-control"]?.contains("immutable") == true)
            fixture.origin.serve("/a", response: .status(500))
            let last = await fixture.get("cb:3", "/a")
            #expect(last.status == 200 && last.fields["cache-control"]?.contains("immutable") == false)
        }
    }

    @Test(arguments: [(86_400, 200), (0, 502)])
    func theNextProcessUsesStaleSources(_ staleIfError: Int, _ status: Int) async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a", cache: "max-age=10", age: 20)
            _ = await fixture.get("w:40", "/a")
            try await fixture.service.flush()
            var configuration = fixture.service.configuration
            configuration.cacheLimits.standard.staleIfError = staleIfError
            let next = ServiceFixture(origin: fixture.origin, service: ImageService(configuration))
            await fixture.origin.stop()
            #expect(await next.get("w:40", "/a").status == status)
        }
    }

    /// Also of a source whose origin lets caches use it while they revalidate it, which the pipeline does by itself.
    @Test func aStaleSourceIsAskedForOnce() async throws {
        try await ServiceFixture.run { fixture in
            let cache = "max-age=10, stale-while-revalidate=1000"
            try fixture.servePicture("/a", cache: cache, age: 20)
            _ = await fixture.get("w:40", "/a")
            let gate = OriginGate()
            try fixture.servePicture("/a", as: .jpeg, cache: cache, gate: gate)
            #expect(await fixture.get("w:40", "/a").report.isStale)
            await fixture.origin.waitForRequests(2)
            // The purge ends the load in the background, which begins again.
            try fixture.servePicture("/a", as: .jpeg, gate: gate)
            await fixture.service.purge(.url(try SourceURL(fixture.origin.url("/a").absoluteString)))
            gate.open()
            #expect(await fixture.get("w:40", "/a").format == .jpeg)
            #expect(fixture.origin.requestCount() == 3)
        }
    }

    @Test func theOperatorMayForbidStaleSources() async throws {
        try await ServiceFixture.run({
            $0.cacheLimits.standard.staleWhileRevalidate = 0
            $0.cacheLimits.standard.staleIfError = 0
        }) { fixture in
            try fixture.servePicture("/a", cache: "max-age=10", age: 20)
            _ = await fixture.get("w:40", "/a")
            try fixture.servePicture("/a", as: .jpeg, cache: "max-age=10", age: 20)
            #expect(await fixture.get("w:40", "/a").format == .jpeg)
            fixture.origin.serve("/a", response: .status(500))
            #expect(await fixture.get("w:40", "/a").status == 502)
        }
    }
}
