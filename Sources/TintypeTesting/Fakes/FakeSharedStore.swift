package import Foundation
package import TintypeCore
package import TintypeShared

/// A shared store in memory that fails, hangs or damages values on command, and counts its calls.
///
/// It is also a store of leases. Machines of a test that share one object share its values. You can use it from any
/// thread.
package final class FakeSharedStore: SharedStore, LeaseStore {
    /// A kind of call.
    package enum Call: Hashable, Sendable, CaseIterable {
        /// `value(for:)` and `contains(_:)`.
        case read
        /// `store(_:for:timeToLive:)`.
        case write
        /// `remove(_:)`.
        case remove
        /// `acquireLease(_:for:)`.
        case acquire
        /// `releaseLease(_:_:)`.
        case release
    }

    /// What a call does.
    package enum Behavior: Sendable {
        /// It succeeds.
        case normal
        /// It fails.
        case failure(TintypeError)
        /// It waits until the gate is open, and then succeeds. It fails with
        /// `TintypeError.Code.cancelled` if it is cancelled first.
        case gated(Gate)
        /// It waits until ``FakeSharedStore/endHangs()``, whether or not it is cancelled.
        case hanging
        /// It succeeds with the changed value. For reads; other calls are normal.
        case damaging(@Sendable (Data) -> Data)
    }

    private struct Value: Sendable {
        let data: Data
        let end: Duration?
    }

    private struct Lease: Sendable {
        let token: LeaseToken
        let end: Duration
    }

    private struct State: Sendable {
        var values: [String: Value] = [:]
        var leases: [String: Lease] = [:]
        var behaviors: [Call: Behavior] = [:]
        var counts: [Call: Int] = [:]
        var written: [String] = []
        var hangs: [SharedPromise<Void>] = []
    }

    /// The name of the store.
    package let name: String
    /// The size of the largest value that the store accepts, in bytes.
    package let maximumValueSize: Int
    private let time: TimeSource
    private let state = Shared(State())

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - name: The name of the store.
    ///   - maximumValueSize: The size of the largest value that it accepts, in bytes.
    ///   - time: The clock for times to live.
    package init(name: String = "fake", maximumValueSize: Int = 64 << 20, time: TimeSource = .system) {
        self.name = name
        self.maximumValueSize = maximumValueSize
        self.time = time
    }

    // MARK: For tests

    /// Sets what all further calls of some kinds do; by default of all kinds.
    package func behave(_ behavior: Behavior, in calls: [Call] = Call.allCases) {
        state.withLock { state in for call in calls { state.behaviors[call] = behavior } }
    }

    /// Ends all calls that hang.
    package func endHangs() {
        let hangs = state.withLock { state in
            defer { state.hangs = [] }
            return state.hangs
        }
        for hang in hangs { hang.fulfill(()) }
    }

    /// Returns the number of calls of a kind, whatever came of them.
    package func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// The keys with values, sorted.
    package var keys: [String] { state.withLock { $0.values.keys.sorted() } }

    /// The keys of all values that were written, in order.
    package var written: [String] { state.withLock { $0.written } }

    /// Returns the value of a key, without counting a call.
    package func data(for key: String) -> Data? { state.withLock { $0.values[key]?.data } }

    /// Returns how long a value has left; `nil` without a value or a limit.
    package func timeToLive(of key: String) -> Duration? {
        state.withLock { [now = time.uptime()] in $0.values[key]?.end.map { $0 - now } }
    }

    /// Sets a value, without counting a call.
    package func setData(_ data: Data, for key: String) {
        state.withLock { $0.values[key] = Value(data: data, end: nil) }
    }

    /// Whether a lease is held.
    package func isHeld(_ key: String) -> Bool {
        state.withLock { [now = time.uptime()] in $0.leases[key].map { $0.end > now } ?? false }
    }

    /// Waits until a lease was released and nobody holds the lease of `key`, or until the task is cancelled.
    package func waitForRelease(of key: String) async {
        await state.wait { $0.counts[.release, default: 0] > 0 && $0.leases[key] == nil }
    }

    // MARK: SharedStore

    /// Returns the value of a key, or `nil` if there is none.
    ///
    /// - Throws: The error that the test has set.
    package func value(for key: String) async throws(TintypeError) -> Data? {
        let behavior = try await begin(.read)
        let value = state.withLock { [now = time.uptime()] state in
            state.values[key].flatMap { value in value.end.map { $0 > now } ?? true ? value.data : nil }
        }
        if case .damaging(let change) = behavior { return value.map(change) }
        return value
    }

    /// Stores a value.
    ///
    /// - Throws: The error that the test has set; `TintypeError.Code.limitExceeded` if the value is too
    ///   large.
    package func store(_ value: Data, for key: String, timeToLive: Duration?) async throws(TintypeError) {
        _ = try await begin(.write)
        guard value.count <= maximumValueSize else {
            throw TintypeError(.limitExceeded, stage: .store, "the value is too large for the fake store")
        }
        state.withLock { [now = time.uptime()] state in
            state.values[key] = Value(data: value, end: timeToLive.map { now + $0 })
            state.written.append(key)
        }
    }

    /// Removes the value of a key.
    ///
    /// - Throws: The error that the test has set.
    package func remove(_ key: String) async throws(TintypeError) {
        _ = try await begin(.remove)
        state.withLock { $0.values[key] = nil }
    }

    /// Returns whether there is a value for a key.
    ///
    /// - Throws: The error that the test has set.
    package func contains(_ key: String) async throws(TintypeError) -> Bool { try await value(for: key) != nil }

    // MARK: LeaseStore

    /// Takes the lease of a key; `nil` if another holder has it.
    ///
    /// - Throws: The error that the test has set.
    package func acquireLease(_ key: String, for time: Duration) async throws(TintypeError) -> LeaseToken? {
        _ = try await begin(.acquire)
        return state.withLock { [now = self.time.uptime()] state in
            if let lease = state.leases[key], lease.end > now { return nil }
            let token = LeaseToken.random()
            state.leases[key] = Lease(token: token, end: now + time)
            return token
        }
    }

    /// Gives a lease back if the token still holds it.
    ///
    /// - Throws: The error that the test has set.
    package func releaseLease(_ key: String, _ token: LeaseToken) async throws(TintypeError) {
        _ = try await begin(.release)
        state.withLock { state in
            if state.leases[key]?.token == token { state.leases[key] = nil }
        }
    }

    private func begin(_ call: Call) async throws(TintypeError) -> Behavior {
        let behavior = state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.behaviors[call] ?? .normal
        }
        switch behavior {
        case .normal, .damaging: break
        case .failure(let error): throw error
        case .gated(let gate): guard await gate.wait() else { throw .cancelled }
        case .hanging:
            let end = SharedPromise<Void>()
            state.withLock { $0.hangs.append(end) }
            await end.wait { nil }
        }
        return behavior
    }
}
