/// Decides about a load before caches on disk and loaders are asked: it may wait, for example for a token or for the real
/// source of an image, and it may answer itself.
///
/// It is asked after a miss in memory, once for equal requests that run at the same time, and after all
/// ``RequestInterceptor``s. Those are enough to rewrite a request without waiting.
///
/// Each other source of a request is decided about as a request of its own, before it is loaded: ``ImageRequest/alternatives``,
/// ``ImageRequest/lowData``, and a ``LowResolution/source(_:)``. A ``LowResolution/thumbnail(fitting:)`` is made from the source
/// that the interceptors have chosen.
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
    ///
    /// It may name other sources, unless the interceptor was asked about such a source itself. ``RequestInterceptor``s do not
    /// rewrite sources that it adds. The settings of each caller stay as the caller has requested them:
    /// ``DecodeOptions/scale``, ``ImageRequest/resultModifier``, ``ImageRequest/placeholderKey``, ``ImageRequest/priority``,
    /// ``LoadPolicy/header`` and ``LoadPolicy/previewStorage``.
    case load(ImageRequest)
    /// This is the result. It is delivered to the callers that wait, and no cache stores it.
    case answer(ImageResponse)
}

extension ImageLoad {
    /// Asks the interceptors one after another, and loads the request that the last one returns.
    func loadIntercepted(from start: JobStart) async throws(TintypeError) -> ImageResponse {
        // The scale belongs to each caller, unless it depends on the source.
        let asked = request.others == nil ? request.withoutScale : request
        do throws(TintypeError) {
            var decision = InterceptedRequest.load(asked)
            for interceptor in services.configuration.asyncInterceptors {
                guard case .load(let next) = decision else { break }
                decision = try await watch.watch(.request, next.key) { _ throws(TintypeError) in
                    try await interceptor.intercept(next)
                }
            }
            switch decision {
            case .answer(var response):
                response.isReplacement = true
                return response
            case .load(let next):
                // Otherwise an interceptor that adds a source to each request would be asked about sources without end.
                let isOther = start == .interceptorsOfOtherSource
                return try await services.join(
                    isOther ? next.withoutOtherSources : services.completed(next, from: asked), for: self)
            }
        } catch {
            throw job.failure(error).about(request.source.displayName)
        }
    }
}

extension ImageRequest {
    /// The request at the scale in the name of its source.
    fileprivate var withoutScale: ImageRequest {
        guard rendition.decode.scale != nil else { return self }
        return with { $0.rendition.decode.scale = nil }
    }
}
