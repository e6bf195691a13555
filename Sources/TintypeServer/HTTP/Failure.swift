import Foundation
import TintypeCore

/// Why a request gets no image: what the client is told, and how long that holds.
struct Failure: Error, Hashable, Sendable {
    /// The kind of a failure. It decides the status and the caching.
    enum Kind: Hashable, Sendable {
        /// The path, an option or an argument is wrong.
        case invalidRequest
        /// The URL was valid until a time that has passed.
        case expired
        /// The signature is missing or wrong, or the bearer token is.
        case badSignature
        /// The source or an option is not allowed.
        case forbiddenSource
        /// The server has no such route.
        case noSuchRoute
        /// The origin answered with a status from 400 to 499.
        case originRefused(status: Int)
        /// The origin is unreachable, failed, or broke the protocol.
        case originFailed
        /// The origin was too slow.
        case originTimedOut
        /// The source is no image, damaged, beyond a limit, or in a format that no decoder reads.
        case unprocessable
        /// The output format is not available.
        case unsupportedOutput
        /// Too many requests wait.
        case queueFull
        /// The server is shutting down, or has lost something that it needs, such as memory.
        case unavailable
        /// The request took too long.
        case deadlineExceeded
        /// The client closed the connection. No response is sent.
        case clientGone
        /// A defect of the server or of its configuration.
        case internalError
    }

    /// The kind of the failure.
    let kind: Kind
    /// A stable name of the cause, such as `undecodable`.
    let code: String
    /// The cause in English. It may name the source, so only a server in development mode sends it.
    let detail: String

    /// The failure of a request whose client has left.
    static let clientGone = Failure(.clientGone, code: "cancelled", detail: "the client closed the connection")

    /// Creates a failure.
    init(_ kind: Kind, code: String, detail: String) {
        (self.kind, self.code, self.detail) = (kind, code, detail)
    }
}

extension Failure {
    /// The status of the response (RFC 9110, 15; 499 stands in logs only).
    var status: Int {
        switch kind {
        case .invalidRequest: 400
        case .expired: 410
        case .badSignature, .forbiddenSource: 403
        case .noSuchRoute: 404
        case .originRefused(let status): status
        case .originFailed: 502
        case .originTimedOut: 504
        case .unprocessable: 422
        case .unsupportedOutput: 415
        case .queueFull: 429
        case .unavailable, .deadlineExceeded: 503
        case .clientGone: 499
        case .internalError: 500
        }
    }

    /// For how long clients and caches may keep the response, in seconds; `nil` for not at all.
    var maximumAge: Int? {
        switch kind {
        case .originRefused: 60
        case .unprocessable, .unsupportedOutput: 300
        default: nil
        }
    }

    /// For how long the server answers from memory instead of trying again, in seconds; `nil` for not at all.
    var negativeLifetime: Int? {
        switch kind {
        case .originFailed, .originTimedOut: 5
        default: maximumAge
        }
    }

    /// Whether the failure depends on the bytes of the source, so that a changed source ends it.
    var dependsOnContent: Bool { kind == .unprocessable || kind == .unsupportedOutput }

    /// Whether a stale source may be used instead: its origin is gone for a while (RFC 5861, 4).
    var permitsStaleSource: Bool { kind == .originFailed || kind == .originTimedOut }

    /// Whether the origin has said that the source is no longer what it was, so that it must not be used any more
    /// (RFC 9111, 4.3.3).
    var endsSource: Bool {
        switch kind {
        case .originRefused, .unprocessable, .forbiddenSource: true
        default: false
        }
    }

    /// Whether the client is asked to come back after some seconds.
    var asksForRetry: Bool {
        switch kind {
        case .queueFull, .unavailable, .deadlineExceeded: true
        default: false
        }
    }

    /// All values of ``metricType``.
    static let metricTypes = [
        "client_gone", "download", "internal", "path_parsing", "processing", "queue", "security", "timeout",
        "unavailable",
    ]

    /// The type for `tintype_errors_total`: one of a fixed set.
    var metricType: String {
        switch kind {
        case .invalidRequest, .expired, .noSuchRoute: "path_parsing"
        case .badSignature, .forbiddenSource: "security"
        case .originRefused, .originFailed: "download"
        case .originTimedOut, .deadlineExceeded: "timeout"
        case .unprocessable, .unsupportedOutput: "processing"
        case .queueFull: "queue"
        case .unavailable: "unavailable"
        case .clientGone: "client_gone"
        case .internalError: "internal"
        }
    }
}
