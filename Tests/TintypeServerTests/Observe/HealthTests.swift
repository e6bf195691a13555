import Testing

@testable import TintypeServer

@Suite struct HealthTests {
    private static func load(
        running: Int, waiting: Int = 0, oldest: Int? = nil, youngest: Int? = nil, isDraining: Bool = false
    ) -> AdmissionStatus {
        AdmissionStatus(
            limits: AdmissionLimits(workers: 2, decodedBytes: 100, queueLength: 8), runningCount: running,
            waitingCount: waiting, queueLimit: 8, decodedBytes: 0, oldestJobAge: oldest.map { .seconds($0) },
            youngestJobAge: (youngest ?? oldest).map { .seconds($0) }, oldestWaitAge: nil, isDraining: isDraining)
    }

    private static func health(_ load: AdmissionStatus, isStarted: Bool = true, stores: [String: String] = [:])
        -> Health
    {
        Health(Health.Inputs(load: load, isStarted: isStarted, requestTimeout: .seconds(20), stores: stores))
    }

    @Test(
        arguments: [
            (load(running: 0), true, [], true), (load(running: 2, waiting: 7, oldest: 40), true, [], true),
            (load(running: 0), false, ["starting"], true),
            (load(running: 1, isDraining: true), true, ["draining"], true),
            (load(running: 2, waiting: 8, oldest: 1), true, ["queue full"], true),
            (load(running: 1, oldest: 41), true, ["worker hangs"], true),
            (load(running: 1, oldest: 4100), true, ["worker hangs"], true),
            (load(running: 2, oldest: 4100, youngest: 5), true, ["worker hangs"], true),
            (load(running: 2, oldest: 121), true, ["worker hangs"], false),
            (
                load(running: 2, waiting: 8, oldest: 121, isDraining: true), false,
                ["starting", "draining", "queue full", "worker hangs"], false
            ),
        ] as [(AdmissionStatus, Bool, [String], Bool)])
    func readinessReflectsProgress(_ load: AdmissionStatus, _ isStarted: Bool, _ reasons: [String], _ isAlive: Bool) {
        let health = Self.health(load, isStarted: isStarted)
        #expect(health.reasons == reasons && health.isAlive == isAlive)
        #expect(health.readyStatus == (reasons.isEmpty ? 200 : 503) && health.liveStatus == (isAlive ? 200 : 503))
    }

    @Test func theResidentMemoryIsPlausible() {
        #expect(ResidentMemory.pages(in: "44013 12345 3000 10 0 9000 0\n") == 12_345)
        #expect(ResidentMemory.pages(in: "") == nil)
        #if os(Linux)
        #expect(ResidentMemory.bytes.map { (1 << 20)...(1 << 36) ~= $0 } == true)
        #endif
    }

    @Test func aStoreThatIsDownIsReportedButNotRequired() {
        let health = Self.health(Self.load(running: 0), stores: ["s3": "closed", "redis": "open"])
        #expect(health.isReady)
        #expect(health.readyBody == "{\"status\":\"ready\",\"stores\":{\"redis\":\"open\",\"s3\":\"closed\"}}")
        let draining = Self.health(Self.load(running: 0, isDraining: true))
        #expect(draining.readyBody == "{\"status\":\"not ready\",\"reasons\":\"draining\"}")
    }
}
