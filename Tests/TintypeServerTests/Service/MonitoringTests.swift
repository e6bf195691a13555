import Foundation
import TestSupport
import Testing
import Tintype
import TintypeShared
import TintypeTesting

@testable import TintypeServer

/// What the metrics and the log say of requests to a running service.
@Suite(.timeLimited) struct MonitoringTests {
    private let registry = PrometheusRegistry()
    private let store = FakeSharedStore(name: "redis")

    private var metrics: ServerMetrics { ServerMetrics(factory: PrometheusFactory(registry)) }

    private func value(_ series: String) -> Int? {
        let line = registry.text().split(separator: "\n").first { $0.hasPrefix("\(series) ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    private func lookups(_ tier: String, _ result: String) -> Int? {
        value("tintype_cache_requests_total{result=\"\(result)\",tier=\"\(tier)\"}")
    }

    private func operations(_ operation: String, _ result: String) -> Int? {
        value("tintype_store_operations_total{op=\"\(operation)\",result=\"\(result)\",store=\"redis\"}")
    }

    /// The shared tier of a machine, as the settings of a server make it.
    private func share(_ configuration: inout ServiceConfiguration, _ metrics: ServerMetrics) {
        let shared = SharedCache(ObservedStore(store, metrics: metrics), configuration: .patient)
        configuration.metrics = metrics
        configuration.renditionCache = TieredDataCache([
            CountedCache(MemoryTier(), tier: "disk", metrics: metrics),
            CountedCache(shared, tier: "redis", metrics: metrics),
        ])
        configuration.breakers = { ["redis": shared.stats.breaker] }
    }

    @Test func eachTierCountsItsOwnHitsAndMisses() async throws {
        let metrics = metrics
        for machine in 0..<2 {
            try await ServiceFixture.run({ share(&$0, metrics) }) { fixture in
                try fixture.servePicture("/a.png")
                for _ in 0..<2 { #expect(await fixture.get("w:40", "/a.png").status == 200) }
                try await fixture.service.flush()
                #expect(lookups("memory", "hit") == machine + 1 && lookups("memory", "miss") == machine + 1)
                // The second machine has neither in memory nor on disk what the first one has shared.
                #expect(lookups("disk", "hit") == 0 && lookups("disk", "miss") == machine + 1)
                #expect(lookups("redis", "hit") == machine && lookups("redis", "miss") == 1)
            }
        }
        #expect(operations("get", "miss") == 1 && operations("get", "ok") == 1 && operations("put", "ok") == 1)
        #expect(value("tintype_store_operation_duration_seconds_count{op=\"get\",store=\"redis\"}") == 2)
    }

    @Test func aStoreThatFailsOpensItsBreakerAndSaysSo() async throws {
        store.behave(.failure(TintypeError(.unreachable, stage: .load, "the store is down")))
        let metrics = metrics
        try await ServiceFixture.run({ share(&$0, metrics) }) { fixture in
            try fixture.servePicture("/a.png")
            metrics.update(fixture.service.load, breakers: fixture.service.breakers, residentBytes: nil)
            #expect(value("tintype_breaker_state{store=\"redis\"}") == 0)
            for width in 30..<40 { #expect(await fixture.get("w:\(width)", "/a.png").status == 200) }
            metrics.update(fixture.service.load, breakers: fixture.service.breakers, residentBytes: nil)
            #expect(value("tintype_breaker_state{store=\"redis\"}") ?? 0 > 0)
            #expect(operations("get", "error") ?? 0 > 0)
            let inputs = Health.Inputs(
                load: fixture.service.load, isStarted: true, requestTimeout: .seconds(20),
                stores: fixture.service.breakers.mapValues(\.rawValue))
            #expect(Health(inputs).readyBody.contains("\"stores\":{\"redis\":\""))
        }
    }

    @Test func requestsThatShareWorkAreCounted() async throws {
        let (count, metrics) = (50, metrics)
        let lines = Locked<[String]>([])
        let monitor = RequestMonitor(metrics: metrics) { line in lines.withLock { $0.append(line) } }
        try await ServiceFixture.run({ $0.metrics = metrics }) { fixture in
            let gate = OriginGate()
            try fixture.servePicture("/a.png", gate: gate)
            let target = "/unsigned/w:40/plain/\(fixture.origin.url("/a.png").absoluteString)"
            let request = ServerRequest(method: "GET", target: target, id: "test")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        _ = await monitor.watching(request) { await fixture.service.respond(to: request) }
                    }
                }
                while value("tintype_requests_in_progress") != count { await Task.yield() }
                gate.open()
            }
        }
        let (all, shared) = lines.withLock { ($0.count, $0.count { $0.contains("\"shared\":\"process\"") }) }
        #expect(all == count && shared > 0)
        #expect(value("tintype_coalesced_total{scope=\"process\"}") == shared)
        #expect(value("tintype_coalesced_total{scope=\"cluster\"}") == 0)
        // One request did the work, and those that came later found it in memory.
        #expect(lines.withLock { $0.count { $0.contains("decode_ms") } } == 1)
    }

    @Test func theLogTellsDecodingFromEncoding() async throws {
        let metrics = metrics
        let lines = Locked<[String]>([])
        let monitor = RequestMonitor(metrics: metrics) { line in lines.withLock { $0.append(line) } }
        try await ServiceFixture.run({ $0.metrics = metrics }) { fixture in
            try fixture.servePicture("/a.png")
            let target = "/unsigned/w:40/plain/\(fixture.origin.url("/a.png").absoluteString)"
            let request = ServerRequest(method: "GET", target: target, id: "test")
            for _ in 0..<2 { _ = await monitor.watching(request) { await fixture.service.respond(to: request) } }
        }
        let (first, second) = try lines.withLock { (try #require($0.first), try #require($0.last)) }
        for name in ["queue_ms", "download_ms", "decode_ms", "encode_ms", "key"] {
            #expect(first.contains("\"\(name)\":"), "\(name)")
        }
        #expect(second.contains("\"tier\":\"memory\"") && !second.contains("decode_ms") && second.contains("\"key\":"))
        for span in ["queue", "processing_image"] {
            #expect(value("tintype_request_span_duration_seconds_count{span=\"\(span)\"}") == 1, "\(span)")
        }
    }

    @Test func aRenditionOfAnotherMachineIsCountedOnce() async throws {
        let leases = (0..<2).map { _ in Self.leases(store) }
        let reports = Locked<[ServiceReport]>([])
        try await ServiceFixture.run({ $0.leases = leases[0] }) { first in
            try await ServiceFixture.run({ $0.leases = leases[1] }) { second in
                for fixture in [first, second] {
                    try fixture.servePicture("/a.png")
                    let report = await fixture.get("w:40", "/a.png").report
                    reports.withLock { $0.append(report) }
                    await leases[0].flush()
                }
            }
        }
        let (made, found) = try reports.withLock { (try #require($0.first), try #require($0.last)) }
        #expect(made.shared == nil && made.work != nil)
        #expect(found.shared == .cluster && found.work == nil)
    }

    private static func leases(_ store: FakeSharedStore) -> LeasedComputation {
        var configuration = LeaseConfiguration()
        (configuration.leaseTime, configuration.callLimit) = (.seconds(3600), .seconds(3600))
        configuration.callWait = .seconds(3600)...Duration.seconds(3600)
        return LeasedComputation(
            store, results: [SharedCache(store, configuration: .patient)], configuration: configuration)
    }
}

/// A disk that holds nothing.
private final class MemoryTier: DataCaching {
    func entry(for key: CacheKey) -> CacheEntry? { nil }
    func store(_ entry: CacheEntry, for key: CacheKey) {}
    func remove(_ key: CacheKey) {}
    func contains(_ key: CacheKey) -> Bool { false }
    func removeAll() async throws(TintypeError) {}
    func flush() async throws(TintypeError) {}
}
