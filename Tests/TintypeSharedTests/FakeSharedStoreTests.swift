import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeShared
import TintypeTesting

@Suite(.timeLimited) struct FakeSharedStoreTests {
    private let clock = ManualClock()
    private let store: FakeSharedStore

    init() {
        store = FakeSharedStore(maximumValueSize: 3, time: clock.timeSource)
    }

    @Test func aValueEndsWithItsTimeToLive() async throws {
        try await store.store(Data([1]), for: "a", timeToLive: .seconds(5))
        try await store.store(Data([2]), for: "b", timeToLive: nil)
        clock.advance(by: .milliseconds(4999))
        #expect(try await store.value(for: "a") == Data([1]))
        clock.advance(by: .milliseconds(1))
        #expect(try await store.value(for: "a") == nil)
        #expect(try await store.contains("b"))
        try await store.remove("b")
        #expect(try await !store.contains("b"))
    }

    @Test func aLeaseHasOneHolderUntilItEndsOrIsReleased() async throws {
        let first = try #require(try await store.acquireLease("a", for: .seconds(5)))
        #expect(try await store.acquireLease("a", for: .seconds(5)) == nil)
        #expect(try await store.acquireLease("b", for: .seconds(5)) != nil)
        clock.advance(by: .seconds(5))
        let second = try #require(try await store.acquireLease("a", for: .seconds(5)))
        try await store.releaseLease("a", first)
        #expect(store.isHeld("a"))
        try await store.releaseLease("a", second)
        #expect(!store.isHeld("a"))
    }

    @Test func callsBehaveAsTheTestSaysAndAreCounted() async throws {
        store.behave(.failure(TintypeError(.transport, stage: .disk, "it broke")), in: [.read])
        try await store.store(Data([1]), for: "a", timeToLive: nil)
        await expectError(.transport) { try await store.value(for: "a") }
        store.behave(.damaging { $0 + [9] }, in: [.read])
        #expect(try await store.value(for: "a") == Data([1, 9]))
        await expectError(.limitExceeded) { try await store.store(Data(count: 4), for: "b", timeToLive: nil) }
        #expect(store.count(.read) == 2 && store.count(.write) == 2 && store.written == ["a"])
    }
}
