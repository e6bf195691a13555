import Foundation
import TintypeCore

/// Judges the cache entries of one source by the request that a load would send for it now.
struct ResponseJudge: EntryJudge {
    /// The request after all interceptors, with cookies; `nil` if it is unknown, so that no entry may be used.
    let request: DownloadRequest?

    /// Whether the request may only be answered from a cache (RFC 9111, 5.2.1.7).
    var allowsOnlyCache: Bool { request.map { CacheControl($0.headers).has("only-if-cached") } ?? false }

    func judge(_ entry: CacheEntry, for key: CacheKey, at now: Date) -> EntryJudgement {
        // Without the header fields of the response, its freshness is unknown. An entry of another version may be the
        // image of another user.
        guard let response = StoredResponse(decoding: entry.metadata) else {
            return .selected(.stale(usableOnError: entry.metadata.isEmpty))
        }
        guard let request else { return .selected(.stale(usableOnError: false)) }
        guard response.isSelected(by: request) || response.selection.matchesNothing else {
            return .otherVariant(response.selection.number(of: request.headers, for: key.source))
        }
        return .selected(Freshness(request: request, stored: response, now: now).verdict)
    }
}

extension TransferSettings {
    /// Returns the request as it would be sent: after all interceptors, with cookies.
    ///
    /// The interceptors run for it, because only they know the fields that they add. What they call to send the request
    /// throws, and they are cancelled.
    ///
    /// - Returns: `nil` if the interceptors send nothing within the total time-out.
    func requestToSend(for request: DownloadRequest) async -> DownloadRequest? {
        let now = configuration.clock.date()
        guard !interceptors.isEmpty else { return request.withCookies(self, at: now) }
        return await intercepted(request)?.withCookies(self, at: now)
    }

    private func intercepted(_ request: DownloadRequest) async -> DownloadRequest? {
        let sent = SharedPromise<DownloadRequest?>()
        let interceptors = interceptors
        // A task of its own: the interceptors may go on after the request is known.
        let task = Task {
            let exchange = HTTPExchange { request in
                sent.fulfill(request)
                throw CancellationError()
            }
            _ = try? await exchange.inside(interceptors)(request)
            sent.fulfill(nil)
        }
        defer { task.cancel() }
        guard let totalTimeout else { return await sent.wait { nil } }
        return try? await TimeLimit.run(totalTimeout, configuration.clock) { await sent.wait { nil } }
    }
}
