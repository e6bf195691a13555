import Foundation
import TintypeCore
import TintypeShared

/// A shared store whose operations are counted and timed. What a circuit breaker holds back does not reach it.
struct ObservedStore<Store: SharedStore>: SharedStore {
    private let store: Store
    private let metrics: ServerMetrics?

    /// - Parameter metrics: `nil` counts nothing.
    init(_ store: Store, metrics: ServerMetrics?) {
        (self.store, self.metrics) = (store, metrics)
    }

    var name: String { store.name }
    var maximumValueSize: Int { store.maximumValueSize }

    func value(for key: String) async throws(TintypeError) -> Data? {
        try await observing("get", { $0 == nil ? "miss" : "ok" }) { () throws(TintypeError) in
            try await store.value(for: key)
        }
    }

    func store(_ value: Data, for key: String, timeToLive: Duration?) async throws(TintypeError) {
        try await observing("put") { () throws(TintypeError) in
            try await store.store(value, for: key, timeToLive: timeToLive)
        }
    }

    func remove(_ key: String) async throws(TintypeError) {
        try await observing("delete") { () throws(TintypeError) in try await store.remove(key) }
    }

    func contains(_ key: String) async throws(TintypeError) -> Bool {
        try await observing("head", { $0 ? "ok" : "miss" }) { () throws(TintypeError) in try await store.contains(key) }
    }

    private func observing<Value: Sendable>(
        _ operation: String, _ result: (Value) -> String = { _ in "ok" }, _ body: () async throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        let start = ContinuousClock.now
        func end(_ result: String) {
            metrics?.storeOperationEnded(
                store: store.name, operation: operation, result: result, ContinuousClock.now - start)
        }
        do throws(TintypeError) {
            let value = try await body()
            end(result(value))
            return value
        } catch {
            end(error.code == .cancelled ? "cancelled" : error.code == .timedOut ? "timeout" : "error")
            throw error
        }
    }
}

extension ObservedStore: LeaseStore where Store: LeaseStore {
    func acquireLease(_ key: String, for time: Duration) async throws(TintypeError) -> LeaseToken? {
        try await observing("lease", { $0 == nil ? "held" : "ok" }) { () throws(TintypeError) in
            try await store.acquireLease(key, for: time)
        }
    }

    func releaseLease(_ key: String, _ token: LeaseToken) async throws(TintypeError) {
        try await observing("release") { () throws(TintypeError) in try await store.releaseLease(key, token) }
    }
}
