import TintypeCore

/// Changes responses before their status is looked at and their body is read, or refuses them.
public struct DownloadResponseModifier: HTTPInterceptor {
    public let id: String
    private let modify: @Sendable (DownloadResponse) async throws -> DownloadResponse?

    /// - Parameter modify: the response to go on with; `nil` ends the transfer with
    ///   ``TintypeCore/TintypeError/Code/refusedResponse``.
    public init(id: String, _ modify: @escaping @Sendable (DownloadResponse) async throws -> DownloadResponse?) {
        self.id = id
        self.modify = modify
    }

    /// Sets header fields.
    public static func headers(_ fields: [String: String]) -> DownloadResponseModifier {
        DownloadResponseModifier(id: "response-headers:\(fields.sorted { $0.key < $1.key })") { response in
            var response = response
            for (name, value) in fields { response.headers[name] = value }
            return response
        }
    }

    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        guard let modified = try await modify(try await next(request)) else {
            throw TintypeError(.refusedResponse, stage: .load, "a response modifier refused the response")
        }
        return modified
    }
}
