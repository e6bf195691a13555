import Foundation
import TintypeCore
import TintypeHTTP

/// The value of `x-amz-content-sha256`: what the signature says about the body.
enum PayloadHash: Hashable, Sendable {
    /// The SHA-256 digest of the body, in 64 lower-case hexadecimal digits.
    case digest(String)
    /// The signature does not cover the body. Only over TLS, which protects it.
    case unsigned

    /// The digest of an empty body.
    static let empty = PayloadHash.digest(SHA256Digest().hexadecimal)

    var text: String {
        switch self {
        case .digest(let digits): digits
        case .unsigned: "UNSIGNED-PAYLOAD"
        }
    }
}

/// A request before it is signed.
struct S3Request: Sendable {
    var method: String
    /// The place in the store.
    var address: S3Address
    var query: [(name: String, value: String)] = []
    /// The header fields; all of them are signed.
    var headers = HTTPFields()
    var body: Data?
    var payloadHash = PayloadHash.empty
}

/// Signs requests. May be used from any thread.
final class S3Signer: Sendable {
    private let region: String
    private let keys = Locked(SigningKeyCache())

    init(region: String) {
        self.region = region
    }

    /// Returns the request as it is sent: with the header fields of the signature, unless there are no credentials.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` for a key that no URL can contain.
    func sign(
        _ request: S3Request, with credentials: S3Credentials?, at date: Date
    ) throws(TintypeError) -> TransportRequest {
        let url = try request.address.url(query: CanonicalRequest.query(request.query))
        var sent = TransportRequest(url: url, method: request.method, headers: request.headers, body: request.body)
        guard let credentials else { return sent }
        let date = SigningDate(date)
        sent.headers["x-amz-content-sha256"] = request.payloadHash.text
        sent.headers["x-amz-date"] = date.text
        if let token = credentials.sessionToken { sent.headers["x-amz-security-token"] = token }
        sent.headers["Authorization"] = authorization(of: request, sent.headers, credentials, date)
        return sent
    }

    private func authorization(
        of request: S3Request, _ headers: HTTPFields, _ credentials: S3Credentials, _ date: SigningDate
    ) -> String {
        var headers = headers
        // The transport adds the field itself.
        headers["Host"] = request.address.host
        let canonical = CanonicalRequest(
            method: request.method, path: request.address.path, query: request.query, headers: headers,
            payloadHash: request.payloadHash.text)
        let signature = SignatureV4(of: canonical, at: date, region: region)
        let key = keys.withLock { $0.key(for: signature.scope, secret: credentials.secretAccessKey) }
        return signature.authorization(credentials.accessKeyID, key)
    }
}
