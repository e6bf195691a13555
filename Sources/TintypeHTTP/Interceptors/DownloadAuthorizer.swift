import Foundation
import TintypeCore

/// Proves who asks, with something that has to be got and renewed: a token, a signature.
///
/// The credential is asked for at every try. When the answer is 401, it is renewed once, however many transfers got that
/// answer at the same time, and each sends its request once more.
public final class DownloadAuthorizer: HTTPInterceptor {
    public typealias Source = @Sendable () async throws -> HTTPCredential

    private let current: Source
    private let renewals: SharedRenewal

    /// - Parameters:
    ///   - current: the credential to use now; called for each try.
    ///   - renewed: a new one, called after a 401; from then on it is used in place of `current`.
    public init(current: @escaping Source, renewed: @escaping Source) {
        self.current = current
        renewals = SharedRenewal(renewed)
    }

    public func intercept(_ request: DownloadRequest, _ next: HTTPExchange) async throws -> DownloadResponse {
        let before = renewals.latest
        let credential: HTTPCredential
        if let renewed = before.credential { credential = renewed } else { credential = try await current() }
        let response = try await next(request.authorized(by: credential))
        guard response.status == 401, response.url.hasOrigin(of: request.url) else { return response }
        await response.body.discard()
        let renewed = try await renewals.renew(after: before.generation)
        return try await next(request.authorized(by: renewed))
    }
}

extension DownloadRequest {
    func authorized(by credential: HTTPCredential) -> DownloadRequest {
        var request = self
        request.headers["Authorization"] = credential.authorization
        return request
    }
}
