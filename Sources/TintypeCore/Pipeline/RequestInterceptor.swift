/// Rewrites a request before its key is made: defaults, other URLs, sizes that a server can make itself.
public protocol RequestInterceptor: Sendable {
    /// Called on the caller's thread for every request, memory hits included; so it has to be quick.
    func intercept(_ request: ImageRequest) -> ImageRequest
}
