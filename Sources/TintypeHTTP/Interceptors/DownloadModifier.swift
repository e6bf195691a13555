public import Foundation
import TintypeCore

/// An interceptor made of a closure of the program: it changes or refuses requests or responses, or decrypts bodies.
public struct DownloadModifier: HTTPInterceptor {
    /// The identity of the modifier: the same for closures with the same effect.
    public let id: String
    private let body: @Sendable (DownloadRequest, HTTPExchange) async throws -> DownloadResponse

    /// Passes the exchange on, modified.
    ///
    /// - Throws: `TintypeError.Code.refusedRequest`, `TintypeError.Code.refusedResponse`,
    ///   `TintypeError.Code.undecipherable`, or the error of the closure.
    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        try await body(request, next)
    }

    // MARK: Requests

    /// Returns a modifier that changes requests before they are sent, or refuses them.
    ///
    /// - Parameters:
    ///   - id: The identity of the modifier: the same for closures with the same effect.
    ///   - modify: Returns the request to send; `nil` fails the transfer with
    ///     `TintypeError.Code.refusedRequest`.
    public static func request(
        id: String, _ modify: @escaping @Sendable (DownloadRequest) async throws -> DownloadRequest?
    ) -> DownloadModifier {
        DownloadModifier(id: id) { request, next in
            guard let modified = try await modify(request) else {
                throw TintypeError(.refusedRequest, stage: .load, "a request modifier refused the request")
            }
            return try await next(modified)
        }
    }

    /// Returns a modifier that sets header fields of requests.
    public static func headers(_ fields: [String: String]) -> DownloadModifier {
        request(id: "headers:\(fields.sorted { $0.key < $1.key })") { request in
            var request = request
            for (name, value) in fields { request.headers[name] = value }
            return request
        }
    }

    // MARK: Responses

    /// Returns a modifier that changes responses before their status is checked and their body is read, or refuses
    /// them.
    ///
    /// - Parameters:
    ///   - id: The identity of the modifier: the same for closures with the same effect.
    ///   - modify: Returns the response to use; `nil` fails the transfer with
    ///     `TintypeError.Code.refusedResponse`.
    public static func response(
        id: String, _ modify: @escaping @Sendable (DownloadResponse) async throws -> DownloadResponse?
    ) -> DownloadModifier {
        DownloadModifier(id: id) { request, next in
            guard let modified = try await modify(try await next(request)) else {
                throw TintypeError(.refusedResponse, stage: .load, "a response modifier refused the response")
            }
            return modified
        }
    }

    /// Returns a modifier that decrypts the bodies of successful responses. It needs the whole body, so there are no
    /// previews.
    ///
    /// - Parameters:
    ///   - id: The identity of the modifier: the same for closures with the same effect.
    ///   - decrypt: Returns the bytes of the image, given the body and the head of the response; `nil` fails the
    ///     transfer with `TintypeError.Code.undecipherable`.
    public static func decryptor(
        id: String, _ decrypt: @escaping @Sendable (Data, DownloadResponse) async throws -> Data?
    ) -> DownloadModifier {
        DownloadModifier(id: id) { request, next in
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

    /// Decodes bodies in Base64 (RFC 4648, 4), and ignores line breaks in them.
    public static let base64 = decryptor(id: "base64") { data, _ in
        Data(base64Encoded: data, options: .ignoreUnknownCharacters)
    }
}
