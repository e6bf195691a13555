package import Foundation
public import TintypeCore

extension TintypeError {
    /// Creates the error that corresponds to an error of the transport.
    init(transport error: any Error) {
        switch error {
        case let error as TintypeError: self = error
        case let error as TransportFailure:
            self.init(error.code, stage: .load, error.description, underlying: error)
        case is CancellationError: self = .cancelled
        default: self.init(.transport, stage: .load, "\(error)", underlying: error)
        }
    }
}

extension TransportFailure {
    fileprivate var code: TintypeError.Code {
        switch kind {
        case .unreachable: .unreachable
        case .connectTimedOut: .timedOut
        case .insecure: .insecure
        case .closed, .unsent, .malformed, .other: .transport
        case .invalidRequest: .invalidSource
        }
    }
}

extension TintypeError {
    /// Creates the error for a status code that is not accepted, with the delay that the server asks for
    /// (`Retry-After`).
    init(badStatus response: DownloadResponse, at now: Date) {
        let http = HTTPFailure(response, at: now)
        let suffix = http.retryAfter.map { ", retry after \($0.components.seconds) s" } ?? ""
        self.init(
            .badStatus, stage: .load, "HTTP \(HTTPReason.text(of: response.status))\(suffix)", status: response.status,
            underlying: http)
    }

    /// The response that was not accepted, because of its status or its content type; `nil` for other errors.
    public var http: HTTPFailure? {
        underlying as? HTTPFailure ?? (underlying as? TintypeError)?.http
    }
}

/// A response that was not accepted: see `TintypeError.http`.
public struct HTTPFailure: Error, Sendable {
    /// The URL that the response came from, after all redirects. It may contain a secret of the redirect.
    package let url: URL
    /// The status code.
    package let status: Int
    /// The header fields, as the origin sent them; the first 100 whose names and values have at most 8,000 bytes
    /// together, because errors may be remembered.
    public let headers: HTTPFields
    /// The delay that the server asks for before a retry (`Retry-After`, RFC 9110, 10.2.3); `nil` for none.
    public let retryAfter: Duration?

    init(_ response: DownloadResponse, at now: Date) {
        (url, status) = (response.url, response.status)
        retryAfter = RetryAfter(response.headers, at: now)?.delay
        var room = 8_000
        headers = HTTPFields(
            response.headers.all.prefix(100).filter { field in
                let count = field.name.utf8.count + field.value.utf8.count
                guard count <= room else { return false }
                room -= count
                return true
            })
    }
}

/// A `Retry-After` field: a number of seconds, or a date (RFC 9110, 10.2.3).
package struct RetryAfter: Hashable {
    /// The delay, which is not negative.
    package let delay: Duration

    /// Reads the field; returns `nil` without a valid one.
    package init?(_ headers: HTTPFields, at now: Date) {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Int(text), seconds >= 0 {
            delay = .seconds(min(seconds, 1 << 40))
        } else if let date = HTTPDate.parse(text) {
            delay = .seconds(max(0, date.timeIntervalSince(now)))
        } else {
            return nil
        }
    }
}

extension Error {
    /// Whether a request may be sent again after this error, because no server has responded to it.
    ///
    /// On a reused connection, bytes that the server sent before it received this request may arrive after the request
    /// was sent. They are not a response to this request.
    ///
    /// - Parameters:
    ///   - isIdempotent: Whether the request is idempotent (RFC 9110, 9.2.2).
    ///   - isReused: Whether the connection carried another request before; `nil` if that is unknown.
    func allowsReplay(isIdempotent: Bool, isReused: Bool?) -> Bool {
        switch (self as? TransportFailure)?.kind {
        case .unsent: true
        case .malformed: isIdempotent && isReused == true
        case .closed: isIdempotent && isReused != false
        case .unreachable, .connectTimedOut, .insecure, .invalidRequest, .other, nil: false
        }
    }
}
