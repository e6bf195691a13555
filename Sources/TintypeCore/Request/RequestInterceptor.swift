/// Rewrites requests before their keys are computed, for example to set defaults, or a URL at which the server provides
/// the requested size.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to load instead. Called on the caller's thread for every request, including memory hits, so
    /// it must be fast.
    func intercept(_ request: ImageRequest) -> ImageRequest
}
