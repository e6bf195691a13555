import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import TintypeCore

extension TintypeError {
    /// Creates the error that corresponds to an error of the HTTP client.
    init(transport error: any Error) {
        if let error = error as? TintypeError {
            self = error
            return
        }
        let (code, message) = Self.meaning(error)
        self.init(code, stage: .load, message, underlying: error)
    }

    private static func meaning(_ error: any Error) -> (Code, String) {
        switch error {
        case let error as HTTPClientError: meaning(error)
        case let error as NIOConnectionError: (.unreachable, connectionMessage(error))
        case let error as IOError where refusals.contains(error.errnoCode): (.unreachable, message(error))
        case let error as IOError: (.transport, message(error))
        case let error as NIOSSLError: (.insecure, secureMessage(error))
        case let error as NIOSSLExtraError: (.insecure, "no secure connection: \(error.description)")
        case let error as NIOHTTP2Errors.StreamClosed: (.transport, "the server ended the stream: \(error.errorCode)")
        case is CancellationError: (.cancelled, "cancelled")
        case let error as UnsentRequest: (.transport, error.description)
        case let error as OtherVersion: (.transport, error.description)
        case is HTTPParserError: (.transport, "the server does not speak HTTP: \(error)")
        default: (.transport, "\(error)")
        }
    }

    private static func meaning(_ error: HTTPClientError) -> (Code, String) {
        switch error {
        case .cancelled: (.cancelled, "cancelled")
        case .connectTimeout: (.timedOut, "the connection timed out")
        case .readTimeout: (.timedOut, "the server sent nothing within the idle timeout")
        case .deadlineExceeded, .writeTimeout, .tlsHandshakeTimeout, .socksHandshakeTimeout,
            .httpProxyHandshakeTimeout, .getConnectionFromPoolTimeout:
            (.timedOut, error.shortDescription.lowercased())
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath:
            (.invalidSource, error.shortDescription.lowercased())
        case .alreadyShutdown: (.invalidated, "the HTTP client was shut down")
        case .invalidProxyResponse: (.unreachable, "the proxy did not connect to the server")
        case .proxyAuthenticationRequired: (.unreachable, "the proxy requires a credential")
        case .remoteConnectionClosed: (.transport, "the server closed the connection")
        case _ where error.isInvalidRequest: (.invalidSource, error.shortDescription.lowercased())
        default: (.transport, error.shortDescription)
        }
    }

    private static func secureMessage(_ error: NIOSSLError) -> String {
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return "the certificate of the server is not trusted" }
        if text.contains("WRONG_VERSION_NUMBER") { return "the server does not speak TLS" }
        return "no secure connection: the handshake failed"
    }

    private static let refusals: Set<Int32> = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN]

    private static func message(_ error: IOError) -> String {
        SystemError.description(error.errnoCode)
    }

    private static func connectionMessage(_ error: NIOConnectionError) -> String {
        guard let first = error.connectionErrors.first?.error else { return "the host \(error.host) is unknown" }
        let reason = (first as? IOError).map(message) ?? "\(first)"
        return "cannot connect to \(error.host):\(error.port): \(reason)"
    }
}

extension TintypeError {
    /// Creates the error for a status code that is not accepted, with the delay that the server asks for
    /// (`Retry-After`).
    init(badStatus response: DownloadResponse, at now: Date) {
        let status = HTTPResponseStatus(statusCode: response.status)
        let retryAfter = RetryAfter(response.headers, at: now)
        let suffix = retryAfter.map { ", retry after \($0.delay.components.seconds) s" } ?? ""
        self.init(
            .badStatus, stage: .load, "HTTP \(status)\(suffix)", status: response.status, underlying: retryAfter)
    }

    /// The delay that the server asks for before a retry (RFC 9110, 10.2.3); `nil` for none.
    var retryAfter: Duration? { (underlying as? RetryAfter)?.delay }
}

/// A `Retry-After` field: a number of seconds, or a date (RFC 9110, 10.2.3).
struct RetryAfter: Error, Hashable {
    let delay: Duration

    init?(_ headers: HTTPFields, at now: Date) {
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

extension HTTPClientError {
    /// Whether a header field of the request is invalid. The client checks them before it sends anything.
    fileprivate var isInvalidRequest: Bool {
        let kinds: [HTTPClientError] = [.invalidHeaderFieldNames([]), .invalidHeaderFieldValues([])]
        return kinds.contains { $0.shortDescription == shortDescription }
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
        if self is UnsentRequest || self is OtherVersion { return true }
        guard isIdempotent else { return false }
        if self is HTTPParserError { return isReused == true }
        return isClosedConnection && isReused != false
    }

    /// Whether the client had no usable connection to the server in time.
    var isConnectTimeout: Bool {
        let error = self as? HTTPClientError
        return error == .connectTimeout || error == .getConnectionFromPoolTimeout
    }

    /// Whether the server closed the connection, or refused an HTTP/2 stream, before it responded. NIO reports the
    /// streams that GOAWAY refuses as cancelled.
    private var isClosedConnection: Bool {
        if let error = self as? NIOHTTP2Errors.StreamClosed {
            return [.refusedStream, .cancel].contains(error.errorCode)
        }
        if let error = self as? HTTPClientError { return error == .remoteConnectionClosed }
        if let error = self as? IOError { return [ECONNRESET, EPIPE].contains(error.errnoCode) }
        if let error = self as? ChannelError { return error == .ioOnClosedChannel || error == .eof }
        return false
    }
}
