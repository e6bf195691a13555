/// Decides on a redirect.
public struct RedirectHook: Sendable {
    let decide: @Sendable (DownloadRequest, DownloadResponse) async throws -> DownloadRequest?

    /// - Parameter decide: given the request that would be sent and the response that asks for it, returns the request
    ///   to send; `nil` refuses.
    public init(_ decide: @escaping @Sendable (DownloadRequest, DownloadResponse) async throws -> DownloadRequest?) {
        self.decide = decide
    }
}
