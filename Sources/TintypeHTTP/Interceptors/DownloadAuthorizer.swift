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
