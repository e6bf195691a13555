import Foundation
import TestSupport
import Testing
import Tintype
import TintypeShared
import TintypeTesting

@testable import TintypeServer

/// Several machines that share a store.
@Suite(.timeLimited) struct ClusterTests {
    private let store = FakeSharedStore()

    private func share(
        _ configuration: inout ServiceConfiguration, over cache: SharedCache? = nil, leases: LeasedComputation? = nil
    ) {
        configuration.renditionCache = cache ?? SharedCache(store, configuration: .patient)
        configuration.leases = leases
    }

    private func makeLeases(over cache: SharedCache? = nil) -> LeasedComputation {
        var configuration = LeaseConfiguration()
        configuration.leaseTime = .seconds(3600)
        configuration.callLimit = .seconds(3600)
        configuration.callWait = .seconds(3600)...Duration.seconds(3600)
        return LeasedComputation(
            store, results: [cache ?? SharedCache(store, configuration: .patient)], configuration: configuration)
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

    /// The holder of a lease writes the result to the store, so the service must not write it again: the second write
    /// would replace the first, on which the holder waits, and other machines would be told that there is no shared
    /// result.
    @Test func aRenditionMadeWithALeaseIsWrittenOnce() async throws {
        let gate = Gate()
        store.behave(.gated(gate), in: [.write])
        let shared = SharedCache(store, configuration: .patient)
        let leases = makeLeases(over: shared)
        try await ServiceFixture.run({
            share(&$0, over: shared, leases: leases)
        }) { fixture in
            try fixture.servePicture("/a.png")
            for width in 30..<40 { #expect(await fixture.get("w:\(width)", "/a.png").report.work != nil) }
            gate.open()
            await leases.flush()
            try await fixture.service.flush()
        }
        let renditions = store.written.filter { $0.hasPrefix("tt1/r/") }
        #expect(renditions.count == 10 && Set(renditions).count == 10 && renditions.count == store.written.count)
    }

    @Test func aStoreThatFailsCostsNoRequest() async throws {
        store.behave(.failure(TintypeError(.unreachable, stage: .load, "the store is down")))
        try await ServiceFixture.run({ share(&$0, leases: makeLeases()) }) {
            fixture in
            try fixture.servePicture("/a.png")
            for width in 30..<50 { #expect(await fixture.get("w:\(width)", "/a.png").status == 200) }
        }
    }

    /// The holder of a lease gives it up, and leaves no failure for others.
    @Test func aClientThatLeavesTheQueueKeepsNoOtherFromTheImage() async throws {
        try await ServiceFixture.run({
            share(&$0, leases: makeLeases())
            $0.admission = AdmissionLimits(workers: 1, decodedBytes: 1 << 30)
        }) { fixture in
            try fixture.servePicture("/a.png")
            let deadline = TimeSource.system.uptime() + .seconds(3600)
            let slot = try await fixture.service.admission.admit(bytes: 1, deadline: deadline)
            let left = Task { await fixture.get("w:40", "/a.png") }
            while fixture.service.load.waitingCount == 0 { await Task.yield() }
            left.cancel()
            #expect(await left.value.status == 499)
            slot.release()
            #expect(await fixture.get("w:40", "/a.png").status == 200)
        }
    }

    @Test func twoMachinesMakeARenditionOnce() async throws {
        let leases = (0..<2).map { _ in makeLeases() }
        try await ServiceFixture.run({ share(&$0, leases: leases[0]) }) { first in
            try await ServiceFixture.run({ share(&$0, leases: leases[1]) }) { second in
                for fixture in [first, second] { try fixture.servePicture("/a.png") }
                await withTaskGroup(of: ServiceResponse.self) { group in
                    for fixture in [first, second] {
                        for _ in 0..<20 { group.addTask { await fixture.get("w:40", "/a.png") } }
                    }
                    var made = 0
                    for await response in group {
                        #expect(response.status == 200)
                        if response.report.work != nil { made += 1 }
                    }
                    #expect(made == 1)
                }
            }
        }
        let stats = leases.map(\.stats)
        #expect(stats.map(\.leased).reduce(0, +) == 1)
        #expect(stats.map(\.unleased).reduce(0, +) == 0 && stats.map(\.impatient).reduce(0, +) == 0)
    }
}
