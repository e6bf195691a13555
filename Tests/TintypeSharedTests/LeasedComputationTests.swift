import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeShared

@Suite(.timeLimited) struct LeasedComputationTests {
    /// Machines with one store. Each wait moves the clock, and then awaits what the test has set for it.
    private final class Cluster: Sendable {
        let clock = ManualClock()
        let store: FakeSharedStore
        let waits = Shared<[Duration]>([])
        /// Called after each wait, with the number of waits so far.
        let afterWait = Shared<(@Sendable (Int) async -> Void)?>(nil)

        init(maximumValueSize: Int = 64 << 20) {
            store = FakeSharedStore(maximumValueSize: maximumValueSize, time: clock.timeSource)
        }

        /// A machine with a shared cache of its own.
        func machine() -> LeasedComputation {
            let cache = SharedCache(store, configuration: .patient, clock: .manual(clock))
            let time = StoreClock(
                time: clock.timeSource,
                sleep: { [self] delay in
                    // Limits of calls: only polls are shorter.
                    guard delay < .milliseconds(250) else {
                        guard await Gate().wait() else { throw CancellationError() }
                        return
                    }
                    try Task.checkCancellation()
                    clock.advance(by: delay)
                    let count = waits.withLock { waits in
                        waits.append(delay)
                        return waits.count
                    }
                    await afterWait.now?(count)
                }, random: { 0.5 })
            var configuration = LeaseConfiguration()
            configuration.callWait = .seconds(3600)...Duration.seconds(3600)
            return LeasedComputation(store, results: [cache], configuration: configuration, clock: time)
        }

        var waited: Duration { waits.now.reduce(.zero, +) }
    }

    private let key = CacheKey(source: "https://example.org/a.png", rendition: "fit(1x1)")
    private let entry = CacheEntry(data: Data([1]), format: .png)
    private let otherEntry = CacheEntry(data: Data([2]), format: .png)

    /// A store that has failed for the cache is not called for leases either.
    @Test func leasesShareTheBreakerOfTheCacheInTheirStore() async throws {
        let (store, clock) = (FakeSharedStore(), ManualClock())
        let cache = SharedCache(store, configuration: .patient, clock: .manual(clock))
        let shared = LeasedComputation(store, results: [cache], sharingBreakerOf: cache, clock: .manual(clock))
        let own = LeasedComputation(store, results: [cache], clock: .manual(clock))
        store.behave(.failure(SharedFixture.failure), in: [.read])
        for _ in 0..<CircuitBreaker.failuresInARow { _ = await cache.entry(for: key) }
        #expect(shared.stats.breaker == .open && own.stats.breaker == .closed)
        let entry = entry
        let made = try await shared.entry(for: key) { () async throws(TintypeError) in entry }
        #expect(made.data == entry.data && store.count(.acquire) == 0 && shared.stats.unleased == 1)
    }

    /// Starts a computation that waits at a gate, and returns when it does.
    private func start(
        _ machine: LeasedComputation, _ result: Result<CacheEntry, TintypeError>, at gate: Gate
    ) async -> Task<Result<CacheEntry, TintypeError>, Never> {
        let key = key
        let task = Task {
            await Self.result { () async throws(TintypeError) in
                try await machine.entry(for: key) { () async throws(TintypeError) in
                    guard await gate.wait() else { throw .cancelled }
                    return try result.get()
                }
            }
        }
        await gate.waitForArrivals(1)
        return task
    }

    private static func result(
        _ body: () async throws(TintypeError) -> CacheEntry
    ) async -> Result<CacheEntry, TintypeError> {
        do throws(TintypeError) { return .success(try await body()) } catch { return .failure(error) }
    }

    @Test func twoMachinesMakeOneComputation() async throws {
        let cluster = Cluster()
        let (first, second, gate) = (cluster.machine(), cluster.machine(), Gate())
        let winner = await start(first, .success(entry), at: gate)
        // The winner is done when the loser has waited three times.
        cluster.afterWait.withLock {
            $0 = { count in
                guard count == 3 else { return }
                gate.open()
                _ = await winner.value
                await first.flush()
            }
        }
        let result = try await second.entry(for: key) { () async throws(TintypeError) in
            Issue.record("the second machine computes")
            return otherEntry
        }
        #expect(result.data == entry.data)
        #expect(cluster.waits.now == [.milliseconds(20), .milliseconds(40), .milliseconds(80)])
        #expect(first.stats.leased == 1 && second.stats.shared == 1 && second.stats.leased == 0)
        #expect(!cluster.store.isHeld(SharedName.lease(key)))
    }

    @Test func theResultOfTheLastHolderIsFoundByTheNextOne() async throws {
        let cluster = Cluster()
        let (first, second) = (cluster.machine(), cluster.machine())
        _ = try await first.entry(for: key) { () async throws(TintypeError) in entry }
        await first.flush()
        let result = try await second.entry(for: key) { () async throws(TintypeError) in otherEntry }
        await second.flush()
        #expect(result.data == entry.data && cluster.waits.now.isEmpty)
        #expect(!cluster.store.isHeld(SharedName.lease(key)))
    }

    /// The winner dies: it neither stores nor releases.
    @Test func aMachineComputesWhenTheLeaseOfADeadOneEnds() async throws {
        let cluster = Cluster()
        let held = try await cluster.store.acquireLease(SharedName.lease(key), for: .seconds(5))
        #expect(held != nil)
        let machine = cluster.machine()
        let result = try await machine.entry(for: key) { () async throws(TintypeError) in entry }
        #expect(result.data == entry.data && cluster.waited == .seconds(5) && machine.stats.impatient == 1)
        await machine.flush()
        #expect(cluster.store.keys == [SharedName.entry(key)])
    }

    @Test func aMachineWaitsForHalfOfItsDeadlineOnly() async throws {
        let cluster = Cluster()
        _ = try await cluster.store.acquireLease(SharedName.lease(key), for: .seconds(5))
        let machine = cluster.machine()
        _ = try await machine.entry(for: key, deadline: .seconds(1)) { () async throws(TintypeError) in entry }
        #expect(cluster.waited == .milliseconds(500) && machine.stats.impatient == 1)
    }

    /// The winner is slower than its lease. Its release must not end the lease of a later holder.
    @Test func aSlowWinnerDoesNotReleaseTheLeaseOfAnother() async throws {
        let cluster = Cluster()
        let (first, second) = (cluster.machine(), cluster.machine())
        let (firstGate, secondGate) = (Gate(), Gate())
        let slow = await start(first, .success(entry), at: firstGate)
        cluster.clock.advance(by: .seconds(6))
        let next = await start(second, .success(otherEntry), at: secondGate)
        firstGate.open()
        _ = await slow.value
        await first.flush()
        #expect(cluster.store.isHeld(SharedName.lease(key)))
        secondGate.open()
        #expect(try await next.value.get().data == otherEntry.data)
        await second.flush()
        #expect(!cluster.store.isHeld(SharedName.lease(key)))
    }

    @Test func anErrorOfTheSourceReachesTheMachinesThatWait() async throws {
        let cluster = Cluster()
        let (first, second, gate) = (cluster.machine(), cluster.machine(), Gate())
        let failure = TintypeError(.badStatus, stage: .load, "status 404", status: 404)
        let winner = await start(first, .failure(failure), at: gate)
        cluster.afterWait.withLock {
            $0 = { count in
                guard count == 1 else { return }
                gate.open()
                _ = await winner.value
                await first.flush()
            }
        }
        let error = await expectError(.badStatus) {
            try await second.entry(for: key) { () async throws(TintypeError) in otherEntry }
        }
        #expect(error?.status == 404 && second.stats.sharedFailures == 1)
        // Machines that come within five seconds do not try again, and later ones do.
        await expectError(.badStatus) {
            try await first.entry(for: key) { () async throws(TintypeError) in otherEntry }
        }
        await first.flush()
        cluster.clock.advance(by: .seconds(5))
        let result = try await first.entry(for: key) { () async throws(TintypeError) in otherEntry }
        #expect(result.data == otherEntry.data)
    }

    @Test func anErrorOfTheMachineMakesAnotherOneCompute() async throws {
        let cluster = Cluster()
        let (first, second, gate) = (cluster.machine(), cluster.machine(), Gate())
        let winner = await start(
            first, .failure(TintypeError(.outOfMemory, stage: .decode, "no memory for the pixels")), at: gate)
        cluster.afterWait.withLock {
            $0 = { _ in
                gate.open()
                _ = await winner.value
                await first.flush()
            }
        }
        let result = try await second.entry(for: key) { () async throws(TintypeError) in otherEntry }
        #expect(result.data == otherEntry.data && second.stats.leased == 1 && cluster.waits.now.count == 1)
    }

    @Test func aCancelledWinnerLetsAnotherMachineCompute() async throws {
        let cluster = Cluster()
        let (first, second, gate) = (cluster.machine(), cluster.machine(), Gate())
        let winner = await start(first, .success(entry), at: gate)
        cluster.afterWait.withLock {
            $0 = { _ in
                winner.cancel()
                _ = await winner.value
                await first.flush()
            }
        }
        let result = try await second.entry(for: key) { () async throws(TintypeError) in otherEntry }
        #expect(result.data == otherEntry.data && second.stats.leased == 1)
        guard case .failure(let error) = await winner.value else {
            Issue.record("the winner was not cancelled")
            return
        }
        #expect(error.code == .cancelled)
    }

    @Test func aCancelledLoserStopsWaiting() async throws {
        let cluster = Cluster()
        _ = try await cluster.store.acquireLease(SharedName.lease(key), for: .seconds(5))
        let (machine, key, entry) = (cluster.machine(), key, entry)
        let loser = Shared<Task<Void, any Error>?>(nil)
        cluster.afterWait.withLock { $0 = { count in if count == 2 { loser.now?.cancel() } } }
        let begin = Gate()
        let task = Task {
            _ = await begin.wait()
            _ = try await machine.entry(for: key) { () async throws(TintypeError) in
                Issue.record("a cancelled machine computes")
                return entry
            }
        }
        loser.withLock { $0 = task }
        begin.open()
        await expectError(.cancelled) { try await task.value }
        #expect(cluster.waits.now.count <= 3)
    }

    @Test func aResultThatNoStoreAcceptsMakesTheOthersComputeAtOnce() async throws {
        let cluster = Cluster(maximumValueSize: 500)
        let (first, second, gate) = (cluster.machine(), cluster.machine(), Gate())
        let winner = await start(first, .success(CacheEntry(data: Data(count: 1000), format: .png)), at: gate)
        cluster.afterWait.withLock {
            $0 = { _ in
                gate.open()
                _ = await winner.value
                await first.flush()
            }
        }
        let result = try await second.entry(for: key) { () async throws(TintypeError) in otherEntry }
        #expect(result.data == otherEntry.data && cluster.waits.now.count == 1 && second.stats.unleased == 1)
    }

    @Test(arguments: [FakeSharedStore.Call.acquire, .read]) func aStoreThatFailsMakesTheMachineComputeAtOnce(
        _ call: FakeSharedStore.Call
    ) async throws {
        let cluster = Cluster()
        _ = try await cluster.store.acquireLease(SharedName.lease(key), for: .seconds(5))
        cluster.store.behave(.failure(SharedFixture.failure), in: [call])
        let machine = cluster.machine()
        let result = try await machine.entry(for: key) { () async throws(TintypeError) in entry }
        #expect(result.data == entry.data && machine.stats.unleased == 1)
        #expect(cluster.waits.now.count == (call == .read ? 1 : 0))
    }

    @Test func afterSeveralFailuresTheStoreIsNotAsked() async throws {
        let cluster = Cluster()
        cluster.store.behave(.failure(SharedFixture.failure))
        let machine = cluster.machine()
        for _ in 0..<8 { _ = try await machine.entry(for: key) { () async throws(TintypeError) in entry } }
        #expect(cluster.store.count(.acquire) == 5 && machine.stats.breaker == .open && machine.stats.unleased == 8)
    }

    @Test func aStoreThatHangsMakesTheMachineComputeAfterTheLimit() async throws {
        let (clock, store) = (ManualClock(), FakeSharedStore())
        store.behave(.hanging)
        let machine = LeasedComputation(
            store, results: [SharedCache(store, clock: .impatient(clock))], clock: .impatient(clock))
        let result = try await machine.entry(for: key) { () async throws(TintypeError) in entry }
        #expect(result.data == entry.data && machine.stats.unleased == 1)
        store.endHangs()
    }

    /// Others would wait for a lease that nobody uses.
    @Test func aLeaseThatArrivesTooLateIsReleased() async throws {
        let (clock, store, gate) = (ManualClock(), FakeSharedStore(), Gate())
        store.behave(.gated(gate), in: [.acquire])
        let time = StoreClock(
            time: clock.timeSource,
            sleep: { delay in
                guard delay >= .seconds(10) else { return }
                guard await Gate().wait() else { throw CancellationError() }
            }, random: { 0.5 })
        var configuration = LeaseConfiguration()
        configuration.callLimit = .seconds(10)
        let machine = LeasedComputation(
            store, results: [SharedCache(store, configuration: .patient, clock: .manual(clock))],
            configuration: configuration, clock: time)
        let result = try await machine.entry(for: key) { () async throws(TintypeError) in entry }
        #expect(result.data == entry.data && machine.stats.unleased == 1 && store.count(.release) == 0)
        gate.open()
        await store.waitForRelease(of: SharedName.lease(key))
        #expect(try await store.acquireLease(SharedName.lease(key), for: .seconds(1)) != nil)
    }

    @Test func sixMachinesMakeOneComputation() async throws {
        let cluster = Cluster()
        let computations = Shared(0)
        let machines = (0..<6).map { _ in cluster.machine() }
        // The fake time passes quickly, so no machine waits a second time before the result is stored.
        let stored = Gate()
        cluster.afterWait.withLock { $0 = { _ in _ = await stored.wait() } }
        let (key, entry) = (key, entry)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for machine in machines {
                group.addTask {
                    let result = try await machine.entry(for: key) { () async throws(TintypeError) in
                        computations.withLock { $0 += 1 }
                        return entry
                    }
                    await machine.flush()
                    stored.open()
                    return result.data
                }
            }
            for try await data in group { #expect(data == entry.data) }
        }
        #expect(computations.now == 1)
        #expect(machines.reduce(0) { $0 + $1.stats.leased } == 1)
    }
}
