/// Decides about a load before caches on disk and loaders are asked: it may wait, for example for a token or for the real
/// source of an image, and it may answer itself.
///
/// It is asked after a miss in memory, once for equal requests that run at the same time, and after all
/// ``RequestInterceptor``s. Those are enough to rewrite a request without waiting.
public protocol AsyncRequestInterceptor: Sendable {
    /// Returns the request to load instead, or the response.
    ///
    /// The task is cancelled when no caller waits for the image any more.
    ///
    /// - Throws: The error with which the request fails.
    @concurrent
    func intercept(_ request: ImageRequest) async throws(TintypeError) -> InterceptedRequest
}

/// The decision of an ``AsyncRequestInterceptor``.
public enum InterceptedRequest: Sendable {
    /// This request is loaded, after the next interceptors have decided about it. It may be the same one.
    case load(ImageRequest)
    /// This is the result. It is delivered to the callers that wait, and no cache stores it.
    case answer(ImageResponse)
}

extension ImageLoad {
    /// Asks the interceptors one after another, and loads the request that the last one returns.
    func loadIntercepted() async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            var decision = InterceptedRequest.load(request)
            for interceptor in services.configuration.asyncInterceptors {
                guard case .load(let next) = decision else { break }
                decision = try await watch.watch(.request, next.key) { _ throws(TintypeError) in
                    try await interceptor.intercept(next)
                }
            }
            switch decision {
            case .answer(let response): return response
            case .load(let next): return try await join(services.withOtherRequests(of: next))
            }
        } catch {
            throw job.failure(error).about(request.source.displayName)
        }
    }
}
