import Foundation
import TintypeHTTP

/// Responses with an error as a JSON object (RFC 9457).
struct ProblemResponse: Sendable {
    /// The media type of the body.
    static let contentType = "application/problem+json"

    /// The failure.
    var failure: Failure
    /// The identifier of the request.
    var requestID: String
    /// Whether the body tells the detail, which may name the source.
    var isDevelopment = false
    /// The names for `Vary`, if the URL is negotiable: a cache may keep the response.
    var vary: [String] = []
    /// The web origins that may read the response.
    var crossOrigin = CrossOriginPolicy.none
    /// The header fields of the request.
    var request = HTTPFields()
    /// An image to show in place of the problem; `nil` for none.
    var fallback: Fallback?

    /// An image for requests that fail.
    struct Fallback: Hashable, Sendable {
        /// The media type.
        var contentType: String
        /// The image.
        var bytes: Data
        /// For how long caches keep it, in seconds.
        var maximumAge = 60
    }

    /// The field that marks a fallback image with the code of the failure.
    static let fallbackFieldName = "Tintype-Fallback"

    /// Returns the response to a GET request.
    ///
    /// - Parameter generator: Spreads the times at which clients come back.
    func response(using generator: inout some RandomNumberGenerator) -> ServerResponse {
        var fields: HTTPFields = ["Content-Type": fallback?.contentType ?? Self.contentType]
        fields["Cache-Control"] = (maximumAge.map(CacheRule.seconds) ?? .noStore).control
        if fallback != nil { fields[Self.fallbackFieldName] = failure.code }
        if failure.asksForRetry { fields["Retry-After"] = "\(RetryDelay.seconds(using: &generator))" }
        VaryList.add(vary, to: &fields)
        crossOrigin.add(to: &fields, for: request)
        ProtectiveFields.add(to: &fields)
        return ServerResponse(status: failure.status, fields: fields, body: fallback?.bytes ?? body)
    }

    /// A fallback image keeps the status of the failure, so it must not stay in caches for longer than the failure
    /// lasts.
    private var maximumAge: Int? {
        guard let fallback else { return failure.maximumAge }
        return failure.negativeLifetime == nil ? nil : min(fallback.maximumAge, failure.maximumAge ?? .max)
    }

    private var body: Data {
        var object = JSONObjectText()
        object.add("type", "about:blank")
        object.add("title", StatusPhrase.of(failure.status))
        object.add("status", failure.status)
        object.add("code", failure.code)
        if isDevelopment { object.add("detail", failure.detail) }
        object.add("request_id", requestID)
        return Data((object.text + "\n").utf8)
    }
}

/// The delays of `Retry-After` (RFC 9110, 10.2.3).
enum RetryDelay {
    /// The delays, in seconds.
    static let range = 1...5

    /// Returns a delay at random, so that clients that were refused together do not come back together.
    static func seconds(using generator: inout some RandomNumberGenerator) -> Int {
        Int.random(in: range, using: &generator)
    }
}

/// The names of status codes (RFC 9110, 15).
enum StatusPhrase {
    private static let phrases = [
        400: "Bad Request", 402: "Payment Required", 403: "Forbidden", 404: "Not Found", 406: "Not Acceptable",
        409: "Conflict", 410: "Gone", 414: "URI Too Long", 415: "Unsupported Media Type",
        422: "Unprocessable Content", 429: "Too Many Requests", 451: "Unavailable For Legal Reasons",
        499: "Client Closed Request", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]

    /// Returns the name of a status; that of its class for one without a name.
    static func of(_ status: Int) -> String { phrases[status] ?? (status < 500 ? "Client Error" : "Server Error") }
}
