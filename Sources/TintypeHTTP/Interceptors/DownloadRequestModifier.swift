import TintypeCore

/// Changes requests before they are sent, or refuses them.
public struct DownloadRequestModifier: HTTPInterceptor {
    public let id: String
    private let modify: @Sendable (DownloadRequest) async throws -> DownloadRequest?

    /// - Parameter modify: the request to send; `nil` ends the transfer with
    ///   ``TintypeCore/TintypeError/Code/refusedRequest``.
    public init(id: String, _ modify: @escaping @Sendable (DownloadRequest) async throws -> DownloadRequest?) {
        self.id = id
        self.modify = modify
    }

    /// Sets header fields.
    public static func headers(_ fields: [String: String]) -> DownloadRequestModifier {
        DownloadRequestModifier(id: "headers:\(fields.sorted { $0.key < $1.key })") { request in
            var request = request
            for (name, value) in fields { request.headers[name] = value }
            return request
        }
    }

    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        guard let modified = try await modify(request) else {
            throw TintypeError(.refusedRequest, stage: .load, "a request modifier refused the request")
        }
        return try await next(modified)
    }
}
