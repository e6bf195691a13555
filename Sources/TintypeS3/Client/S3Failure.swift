import Foundation
public import TintypeCore
import TintypeHTTP

/// The response of a store that refuses a request: see `TintypeError.s3`.
public struct S3Failure: Error, Hashable, Sendable {
    /// The status of the response.
    public let status: Int
    /// The code, such as `NoSuchKey`; `nil` if the response has none, as that to a `HEAD` request.
    public let code: String?
    /// The message of the store, at most 200 characters.
    public let message: String?
    /// The ID by which the operator of the store finds the request.
    public let requestID: String?
    /// The region of the bucket, if the store names it.
    let region: String?
    /// The delay that the store asks for before a retry.
    let retryAfter: Duration?

    init(status: Int, headers: HTTPFields, document: ErrorDocument, at now: Date) {
        self.status = status
        code = document.code
        message = document.message
        requestID = document.requestID ?? headers["x-amz-request-id"].flatMap(ErrorDocument.requestID)
        region = headers["x-amz-bucket-region"].flatMap { S3Endpoint.isRegion($0) ? $0 : nil }
        retryAfter = RetryAfter(headers, at: now)?.delay
    }

    /// The error to throw.
    ///
    /// - Parameter subject: The name of the object or the bucket.
    func error(about subject: String) -> TintypeError {
        let parts = ["HTTP \(HTTPReason.text(of: status))", code, message, hint].compactMap { $0 }
        let suffix = requestID.map { " (request ID \($0))" } ?? ""
        return TintypeError(
            .badStatus, stage: .load, parts.joined(separator: ", ") + suffix, subject: subject, status: status,
            underlying: self)
    }

    /// What to do, where the message of the store does not say.
    private var hint: String? {
        switch code {
        case "SignatureDoesNotMatch": "check the secret access key"
        case "InvalidAccessKeyId": "check the access key ID"
        case "RequestTimeTooSkewed": "check the clock of this machine"
        case "ExpiredToken", "InvalidToken": "renew the temporary keys"
        case "InvalidObjectState": "the object is archived, restore it"
        case "PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect":
            region.map { "the bucket is in the region \($0)" } ?? "check the region"
        default: status == 301 ? region.map { "the bucket is in the region \($0)" } : nil
        }
    }

    /// Whether the object is in an archive, from which it must be restored before it can be read.
    var isArchived: Bool { code == "InvalidObjectState" }

    /// Whether another attempt may succeed.
    var isTransient: Bool {
        // AWS answers a request whose body arrives too slowly with 400.
        [408, 429, 500, 502, 503, 504].contains(status) || code == "RequestTimeout"
    }
}

extension TintypeError {
    /// The response of a store that caused this error; `nil` for other errors.
    public var s3: S3Failure? {
        underlying as? S3Failure ?? (underlying as? TintypeError)?.s3
    }

    /// Whether the store has no object with the key. Without a code, as after a `HEAD` request, it may have no bucket.
    var isMissingObject: Bool {
        guard let failure = s3, failure.status == 404 else { return false }
        return [nil, "NoSuchKey", "NoSuchVersion", "NotFound"].contains(failure.code)
    }
}
