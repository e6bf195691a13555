import Foundation
import TintypeCore

/// An interceptor that adds a credential which must be fetched and renewed, such as a token.
///
/// The credential is fetched for every attempt. After a 401 response it is renewed once, for all transfers that got one
/// at the same time, and each sends its request once more. Meanwhile the transfer occupies one of the limited slots, so
/// both closures have a time limit.
public final class DownloadAuthorizer: HTTPInterceptor {
    package typealias Source = @Sendable () async throws -> HTTPCredential

    private let current: Source
    private let renewals: SharedRenewal
    private let limit: Duration
    private let clock: TransferClock

    /// Creates an authorizer.
    ///
    /// - Parameters:
    ///   - current: Returns the credential for an attempt.
    ///   - renewed: Returns a new credential after a 401 response. From then on the new credential is used instead of
    ///     `current`.
    ///   - limit: The longest time that either may take. A closure that takes longer is cancelled and abandoned, and
    ///     the transfers that waited for it fail with `TintypeError.Code.timedOut`, which may be retried.
    public convenience init(
        current: @escaping @Sendable () async throws -> HTTPCredential,
        renewed: @escaping @Sendable () async throws -> HTTPCredential, limit: Duration = .seconds(60)
    ) {
        self.init(current: current, renewed: renewed, limit: limit, clock: .system)
    }

    /// Creates an authorizer whose time limits run on another clock, for tests.
    package init(
        current: @escaping Source, renewed: @escaping Source, limit: Duration, clock: TransferClock
    ) {
        self.current = current
        self.limit = limit
        self.clock = clock
        renewals = SharedRenewal(limit, clock, renewed)
    }

    /// Sends a request with the current credential, and once more with a renewed one after a 401 response of its
    /// origin.
    ///
    /// - Throws: The error of a closure; `TintypeError.Code.timedOut` when one takes too long.
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
    /// Returns this request with a credential in its `Authorization` field.
    func authorized(by credential: HTTPCredential) -> DownloadRequest {
        var request = self
        request.headers["Authorization"] = credential.authorization
        return request
    }
}

/// Renews a credential once for all transfers whose credential was rejected at the same time.
final class SharedRenewal: Sendable {
    private struct State: Sendable {
        var credential: HTTPCredential?
        /// The number of renewals.
        var generation = 0
        var running: Task<HTTPCredential, any Error>?
    }

    private let source: @Sendable () async throws -> HTTPCredential
    private let limit: Duration
    private let clock: TransferClock
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: The longest time of a renewal. After a timeout, the next call starts another one.
    ///   - source: Returns a new credential.
    init(
        _ limit: Duration, _ clock: TransferClock, _ source: @escaping @Sendable () async throws -> HTTPCredential
    ) {
        self.limit = limit
        self.clock = clock
        self.source = source
    }

    /// The last renewed credential, if there is one, and the number of renewals.
    var latest: (credential: HTTPCredential?, generation: Int) {
        state.withLock { ($0.credential, $0.generation) }
    }

    /// Returns a credential that is newer than a generation: one that was renewed in the meantime, one that is being
    /// renewed, or a new one.
    ///
    /// - Throws: The error of the source; `TintypeError.Code.timedOut` after the limit;
    ///   `TintypeError.Code.cancelled` when the calling task is cancelled.
    func renew(after generation: Int) async throws -> HTTPCredential {
        let task: Task<HTTPCredential, any Error>? = state.withLock { state in
            guard state.generation == generation else { return nil }
            if state.running == nil { state.running = Task { try await self.run() } }
            return state.running
        }
        // The renewal has a limit of its own; a transfer that is cancelled does not wait for it.
        if let task { return try await BoundedWait.wait(nil, clock) { try await task.value } }
        if let credential = latest.credential { return credential }
        return try await BoundedWait.wait(limit, clock, for: source)
    }

    /// Runs in a task of its own: the transfer that started it may be cancelled.
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
