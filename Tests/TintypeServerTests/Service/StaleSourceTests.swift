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
            #expect(known.fields["cache-control"]?.contains("max-age=20") == true && known.report.isStale)
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
    ])
    func theOriginDecidesWhetherAStaleSourceIsUsed(_ cache: String, _ status: Int, _ expected: Int) async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a", cache: cache, age: 20)
            _ = await fixture.get("w:40", "/a")
            fixture.origin.serve("/a", response: .status(status))
            #expect(await fixture.get("w:40", "/a").status == expected)
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
