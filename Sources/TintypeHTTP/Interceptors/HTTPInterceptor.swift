import TintypeCore

/// Stands around an exchange: sees the request before it is sent and the response before its body is read, and may
/// change either, send it again, or answer itself.
///
/// It is called once a try, and sees one response however many redirects there are. What it adds to a request goes to
/// another origin only if it is no credential.
public protocol HTTPInterceptor: Sendable {
    /// Requests that differ only in interceptors of equal ids share one transfer.
    var id: String { get }

    /// - Parameter next: sends the request on, and may be called more than once.
    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse
}

extension HTTPInterceptor where Self: AnyObject {
    /// An object is itself and no other.
    public var id: String { "\(ObjectIdentifier(self))" }
}

/// The rest of an exchange, inside an interceptor.
public struct HTTPExchange: Sendable {
    let send: @Sendable (DownloadRequest) async throws -> DownloadResponse

    public func callAsFunction(_ request: DownloadRequest) async throws -> DownloadResponse {
        try await send(request)
    }

    /// This exchange inside interceptors, the first one outermost.
    func inside(_ interceptors: [any HTTPInterceptor]) -> HTTPExchange {
        interceptors.reversed().reduce(self) { next, interceptor in
            HTTPExchange { try await interceptor.intercept($0, next: next) }
        }
    }
}
