import TintypeCore

/// Wraps an exchange: sees the request before it is sent and the response before its body is read.
///
/// An interceptor may change either, send the request again, or return a response without sending it. It is called once
/// for each attempt, and sees the final response after all redirects. A redirect to another origin keeps the header
/// fields that an interceptor added only if they are safe there (``DownloaderConfiguration/crossOriginFields``).
///
/// A load under `LoadPolicy.Freshness.http` calls the interceptors before it uses a cached image, because the header
/// fields that they add decide whether it may. For that call, `next` throws a `CancellationError` and sends nothing,
/// and the calling task is cancelled.
///
/// Interceptors run on the global concurrent executor. They do not see the conditions of a revalidation, such as
/// `If-None-Match`; they see a 304 response to it.
public protocol HTTPInterceptor: Sendable {
    /// The identity of the interceptor. Requests with interceptors of equal identities share one transfer.
    var id: String { get }

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - request: The request that would be sent.
    ///   - next: Sends a request through the inner interceptors to the server. It may be called more than once, or not
    ///     at all.
    /// - Throws: Any error, which ends the attempt. A `TintypeError` is passed on unchanged.
    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse
}

extension HTTPInterceptor where Self: AnyObject {
    /// The identity of the object.
    public var id: String { "\(ObjectIdentifier(self))" }
}

/// The rest of an exchange, inside an interceptor.
public struct HTTPExchange: Sendable {
    let send: @Sendable (DownloadRequest) async throws -> DownloadResponse

    /// Sends a request, and returns its response before the body is read.
    ///
    /// - Throws: The error of an inner interceptor or of the transfer; a `CancellationError` if nothing is to be sent,
    ///   or if the task is cancelled.
    public func callAsFunction(_ request: DownloadRequest) async throws -> DownloadResponse {
        try await send(request)
    }

    /// Returns this exchange wrapped in interceptors, the first one outermost.
    func inside(_ interceptors: [any HTTPInterceptor]) -> HTTPExchange {
        interceptors.reversed().reduce(self) { next, interceptor in
            HTTPExchange { try await interceptor.intercept($0, next: next) }
        }
    }
}
