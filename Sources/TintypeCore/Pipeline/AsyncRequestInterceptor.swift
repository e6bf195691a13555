/// Rewrites a request, or returns its response, before disk caches and loaders are used. It may wait, for example for a
/// token or for the real URL of an image.
///
/// It is called after all ``RequestInterceptor``s and after a miss in memory, once for equal requests that run at the
/// same time. To rewrite a request without waiting, use a ``RequestInterceptor``.
///
/// It is called separately for each additional source of a request, before that source is loaded:
/// ``ImageRequest/alternatives``, ``ImageRequest/lowData``, and a ``LowResolution/source(_:)``. A
/// ``LowResolution/thumbnail(fitting:)`` is made from the source that the interceptors have chosen.
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
    /// Load this request, which may be unchanged. The next interceptor receives it first.
    ///
    /// The request may contain additional sources, unless the interceptor was called for an additional source.
    /// ``RequestInterceptor``s do not rewrite these sources. The following settings cannot be changed, because each
    /// caller has its own:
    /// ``DecodeOptions/scale``, ``ImageRequest/resultModifier``, ``ImageRequest/placeholderKey``,
    /// ``ImageRequest/priority``, ``LoadPolicy/Delivery/header`` and ``LoadPolicy/Delivery/previewStorage``.
    case load(ImageRequest)
    /// Deliver this response to all waiting callers. No cache stores it.
    case answer(ImageResponse)
}

extension ImageLoad {
    /// Asks the interceptors one after another, and loads the request that the last one returns.
    func loadIntercepted(from start: JobStart) async throws(TintypeError) -> ImageResponse {
        // The scale belongs to each caller, unless it depends on the source.
        let asked = request.others == nil ? request.withoutScale : request
        await NextStep.leaveThread()
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
