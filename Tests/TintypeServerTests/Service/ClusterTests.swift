import Foundation
import Testing
import Tintype
import TintypeShared
import TintypeTesting

@testable import TintypeServer

/// Several machines that share a store.
@Suite(.timeLimit(.minutes(5))) struct ClusterTests {
    private let store = FakeSharedStore()

    private func share(_ configuration: inout ServiceConfiguration, leases: LeasedComputation? = nil) {
        configuration.renditionCache = SharedCache(store, configuration: Self.patient)
        configuration.leases = leases
        configuration.requestTimeout = .seconds(7200)
    }

    /// Limits that no busy machine reaches.
    private static var patient: SharedCacheConfiguration {
        var configuration = SharedCacheConfiguration()
        configuration.readLimit = .seconds(3600)
        configuration.writeLimit = .seconds(3600)
        configuration.flushLimit = .seconds(3600)
        return configuration
    }

    private func makeLeases() -> LeasedComputation {
        var configuration = LeaseConfiguration()
        configuration.leaseTime = .seconds(3600)
        configuration.callLimit = .seconds(3600)
        return LeasedComputation(
            store, results: [SharedCache(store, configuration: Self.patient)], configuration: configuration)
    }

    @Test func aMachineFindsTheRenditionOfAnother() async throws {
        let tag = Locked<String?>(nil)
        try await ServiceFixture.run({ share(&$0) }) { fixture in
            try fixture.servePicture("/a.png")
            let response = await fixture.get("w:40", "/a.png")
            #expect(response.status == 200 && response.report.tier == nil)
            tag.withLock { $0 = response.fields["etag"] }
            try await fixture.service.flush()
        }
        try await ServiceFixture.run({ share(&$0) }) { fixture in
            try fixture.servePicture("/a.png")
            let response = await fixture.get("w:40", "/a.png")
            #expect(response.status == 200 && response.report.tier == .shared)
            #expect(response.fields["etag"] == tag.withLock { $0 })
        }
    }

    @Test func aStoreThatFailsCostsNoRequest() async throws {
        store.behave(.failure(TintypeError(.unreachable, stage: .load, "the store is down")))
        try await ServiceFixture.run({ share(&$0, leases: makeLeases()) }) {
            fixture in
            try fixture.servePicture("/a.png")
            for width in 30..<50 { #expect(await fixture.get("w:\(width)", "/a.png").status == 200) }
        }
    }

    @Test func twoMachinesMakeARenditionOnce() async throws {
        let leases = (0..<2).map { _ in makeLeases() }
        try await ServiceFixture.run({ share(&$0, leases: leases[0]) }) { first in
            try await ServiceFixture.run({ share(&$0, leases: leases[1]) }) { second in
                for fixture in [first, second] { try fixture.servePicture("/a.png") }
                await withTaskGroup(of: Int.self) { group in
                    for fixture in [first, second] {
                        for _ in 0..<20 { group.addTask { await fixture.get("w:40", "/a.png").status } }
                    }
                    for await status in group { #expect(status == 200) }
                }
            }
        }
        let stats = leases.map(\.stats)
        #expect(stats.map(\.leased).reduce(0, +) == 1)
        #expect(stats.map(\.unleased).reduce(0, +) == 0 && stats.map(\.impatient).reduce(0, +) == 0)
    }
}
