import TintypeCore

/// Renews a credential once for all who find that the same one is no longer taken.
final class SharedRenewal: Sendable {
    private struct State: Sendable {
        var credential: HTTPCredential?
        /// How often it was renewed.
        var generation = 0
        var running: Task<HTTPCredential, any Error>?
    }

    private let source: @Sendable () async throws -> HTTPCredential
    private let limit: Duration
    private let clock: TransferClock
    private let state = Locked(State())

    /// - Parameter limit: how long a renewal may take; then it has failed, and the next one begins anew.
    init(
        _ limit: Duration, _ clock: TransferClock, _ source: @escaping @Sendable () async throws -> HTTPCredential
    ) {
        self.limit = limit
        self.clock = clock
        self.source = source
    }

    /// The last renewed credential, if any, and how often there was one.
    var latest: (credential: HTTPCredential?, generation: Int) {
        state.withLock { ($0.credential, $0.generation) }
    }

    /// A credential newer than that of a generation: one that came meanwhile, the one that is under way, or a new one.
    func renew(after generation: Int) async throws -> HTTPCredential {
        let task: Task<HTTPCredential, any Error>? = state.withLock { state in
            guard state.generation == generation else { return nil }
            if state.running == nil { state.running = Task { try await self.run() } }
            return state.running
        }
        // It ends within its limit; a transfer that is cancelled does not wait for that.
        if let task { return try await BoundedWait.wait(nil, clock) { try await task.value } }
        if let credential = latest.credential { return credential }
        return try await BoundedWait.wait(limit, clock, for: source)
    }

    /// Not a part of the transfer that asked first, which may be cancelled.
    private func run() async throws -> HTTPCredential {
        do {
            let credential = try await BoundedWait.wait(limit, clock, for: source)
            state.withLock { state in
                state.credential = credential
                state.generation += 1
                state.running = nil
            }
            return credential
        } catch {
            state.withLock { $0.running = nil }
            throw error
        }
    }
}
