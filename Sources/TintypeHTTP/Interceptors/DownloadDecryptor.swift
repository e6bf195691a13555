public import Foundation
import TintypeCore

/// Makes the bytes of a picture of the bytes that a server sends. There are no previews, since it needs all of them.
public struct DownloadDecryptor: HTTPInterceptor {
    public let id: String
    private let decrypt: @Sendable (Data, DownloadResponse) async throws -> Data?

    /// - Parameter decrypt: the bytes of the picture; `nil` ends the transfer with
    ///   ``TintypeCore/TintypeError/Code/undecipherable``.
    public init(id: String, _ decrypt: @escaping @Sendable (Data, DownloadResponse) async throws -> Data?) {
        self.id = id
        self.decrypt = decrypt
    }

    /// For bodies in Base64 (RFC 4648, 4); line breaks in them do not matter.
    public static let base64 = DownloadDecryptor(id: "base64") { data, _ in
        Data(base64Encoded: data, options: .ignoreUnknownCharacters)
    }

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
