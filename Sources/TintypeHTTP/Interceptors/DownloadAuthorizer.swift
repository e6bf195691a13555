import Foundation
import TintypeCore

/// Proves who asks, with something that has to be got and renewed: a token, a signature.
///
/// The credential is asked for at every try. When the answer is 401, it is renewed once, however many transfers got that
/// answer at the same time, and each sends its request once more. A transfer keeps its place meanwhile, so neither may
/// take longer than a limit.
public final class DownloadAuthorizer: HTTPInterceptor {
    public typealias Source = @Sendable () async throws -> HTTPCredential

    private let current: Source
    private let renewals: SharedRenewal
    private let limit: Duration
    private let clock: TransferClock

    /// - Parameters:
    ///   - current: the credential to use now; called for each try.
    ///   - renewed: a new one, called after a 401; from then on it is used in place of `current`.
    ///   - limit: how long either may take. What takes longer is cancelled and waited for no more, and the transfers that
    ///     did wait fail with ``TintypeCore/TintypeError/Code/timedOut``, which a retry policy may try again.
    public convenience init(
        current: @escaping Source, renewed: @escaping Source, limit: Duration = .seconds(60)
    ) {
        self.init(current: current, renewed: renewed, limit: limit, clock: .system)
    }

    package init(
        current: @escaping Source, renewed: @escaping Source, limit: Duration, clock: TransferClock
    ) {
        self.current = current
        self.limit = limit
        self.clock = clock
        renewals = SharedRenewal(limit, clock, renewed)
    }

    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        let before = renewals.latest
        let response = try await next(request.authorized(by: try await credential(before.credential)))
        guard response.status == 401, response.url.hasOrigin(of: request.url) else { return response }
        await response.body.discard()
        let renewed = try await renewals.renew(after: before.generation)
        return try await next(request.authorized(by: renewed))
    }

    private func credential(_ renewed: HTTPCredential?) async throws -> HTTPCredential {
        if let renewed { return renewed }
        return try await BoundedWait.wait(limit, clock, for: current)
    }
}

extension DownloadRequest {
    func authorized(by credential: HTTPCredential) -> DownloadRequest {
        var request = self
        request.headers["Authorization"] = credential.authorization
        return request
    }
}

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
