public import Foundation
import TintypeCore

/// Wraps an exchange: sees the request before it is sent and the response before its body is read.
///
/// An interceptor may change either, send the request again, or return a response without sending it. It is called once
/// for each attempt, and sees the final response after all redirects. A redirect to another origin keeps the header
/// fields that an interceptor added only if they are safe there (``DownloaderConfiguration/crossOriginFields``).
///
/// A load under ``TintypeCore/LoadPolicy/Freshness/http`` calls the interceptors before it uses a cached image, because the
/// header fields that they add decide whether it may. For that call, `next` throws a `CancellationError` and sends nothing,
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
    /// - Throws: Any error, which ends the attempt. A ``TintypeCore/TintypeError`` is passed on unchanged.
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
    /// - Throws: The error of an inner interceptor or of the transfer; a `CancellationError` if nothing is to be sent, or
    ///   if the task is cancelled.
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

/// An interceptor that changes requests before they are sent, or refuses them.
public struct DownloadRequestModifier: HTTPInterceptor {
    /// The identity of the modifier: the same for closures with the same effect.
    public let id: String
    private let modify: @Sendable (DownloadRequest) async throws -> DownloadRequest?

    /// Creates a modifier from a closure.
    ///
    /// - Parameters:
    ///   - id: The identity of the modifier: the same for closures with the same effect.
    ///   - modify: Returns the request to send; `nil` fails the transfer with
    ///     ``TintypeCore/TintypeError/Code/refusedRequest``.
    public init(id: String, _ modify: @escaping @Sendable (DownloadRequest) async throws -> DownloadRequest?) {
        self.id = id
        self.modify = modify
    }

    /// Returns a modifier that sets header fields of requests.
    public static func headers(_ fields: [String: String]) -> DownloadRequestModifier {
        DownloadRequestModifier(id: "headers:\(fields.sorted { $0.key < $1.key })") { request in
            var request = request
            for (name, value) in fields { request.headers[name] = value }
            return request
        }
    }

    /// Sends the modified request.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/refusedRequest``, or the error of the closure.
    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        guard let modified = try await modify(request) else {
            throw TintypeError(.refusedRequest, stage: .load, "a request modifier refused the request")
        }
        return try await next(modified)
    }
}

/// An interceptor that changes responses before their status is checked and their body is read, or refuses them.
public struct DownloadResponseModifier: HTTPInterceptor {
    /// The identity of the modifier: the same for closures with the same effect.
    public let id: String
    private let modify: @Sendable (DownloadResponse) async throws -> DownloadResponse?

    /// Creates a modifier from a closure.
    ///
    /// - Parameters:
    ///   - id: The identity of the modifier: the same for closures with the same effect.
    ///   - modify: Returns the response to use; `nil` fails the transfer with
    ///     ``TintypeCore/TintypeError/Code/refusedResponse``.
    public init(id: String, _ modify: @escaping @Sendable (DownloadResponse) async throws -> DownloadResponse?) {
        self.id = id
        self.modify = modify
    }

    /// Returns a modifier that sets header fields of responses.
    public static func headers(_ fields: [String: String]) -> DownloadResponseModifier {
        DownloadResponseModifier(id: "response-headers:\(fields.sorted { $0.key < $1.key })") { response in
            var response = response
            for (name, value) in fields { response.headers[name] = value }
            return response
        }
    }

    /// Returns the modified response.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/refusedResponse``, or the error of the closure.
    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        guard let modified = try await modify(try await next(request)) else {
            throw TintypeError(.refusedResponse, stage: .load, "a response modifier refused the response")
        }
        return modified
    }
}

/// An interceptor that decrypts the bodies of successful responses. It needs the whole body, so there are no previews.
public struct DownloadDecryptor: HTTPInterceptor {
    /// The identity of the decryptor: the same for closures with the same effect.
    public let id: String
    private let decrypt: @Sendable (Data, DownloadResponse) async throws -> Data?

    /// Creates a decryptor from a closure.
    ///
    /// - Parameters:
    ///   - id: The identity of the decryptor: the same for closures with the same effect.
    ///   - decrypt: Returns the bytes of the image, given the body and the head of the response; `nil` fails the
    ///     transfer with ``TintypeCore/TintypeError/Code/undecipherable``.
    public init(id: String, _ decrypt: @escaping @Sendable (Data, DownloadResponse) async throws -> Data?) {
        self.id = id
        self.decrypt = decrypt
    }

    /// Decodes bodies in Base64 (RFC 4648, 4), and ignores line breaks in them.
    public static let base64 = DownloadDecryptor(id: "base64") { data, _ in
        Data(base64Encoded: data, options: .ignoreUnknownCharacters)
    }

    /// Returns the response with a decrypted body.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/undecipherable``, or the error of the closure.
    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        var response = try await next(request)
        guard (200..<300).contains(response.status) else { return response }
        let encrypted = try await response.body.collect()
        guard let decrypted = try await decrypt(encrypted, response) else {
            throw TintypeError(.undecipherable, stage: .load, "the body could not be decrypted")
        }
        response.body = DownloadBody(decrypted)
        return response
    }
}
