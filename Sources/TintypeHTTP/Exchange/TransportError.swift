import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TintypeCore

extension TintypeError {
    /// What an error of the HTTP client means to the one who wanted a picture.
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
        case is CancellationError: (.cancelled, "cancelled")
        case is HTTPParserError: (.transport, "the server does not speak HTTP: \(error)")
        default: (.transport, "\(error)")
        }
    }

    private static func meaning(_ error: HTTPClientError) -> (Code, String) {
        switch error {
        case .cancelled: (.cancelled, "cancelled")
        case .connectTimeout: (.timedOut, "no connection in time")
        case .readTimeout: (.timedOut, "no progress in time")
        case .deadlineExceeded, .writeTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            (.timedOut, error.shortDescription.lowercased())
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath:
            (.invalidSource, error.shortDescription.lowercased())
        case .alreadyShutdown: (.invalidated, "the downloader was invalidated")
        case .invalidProxyResponse: (.unreachable, "the proxy did not connect to the server")
        case .proxyAuthenticationRequired: (.unreachable, "the proxy wants a credential")
        case .remoteConnectionClosed: (.transport, "the server closed the connection")
        case _ where error.isOfRequest: (.invalidSource, error.shortDescription.lowercased())
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
        guard let first = error.connectionErrors.first?.error else { return "the host \(error.host) is not known" }
        let reason = (first as? IOError).map(message) ?? "\(first)"
        return "cannot connect to \(error.host):\(error.port): \(reason)"
    }
}

extension TintypeError {
    /// A status that is not acceptable, and when the server wants to be asked again.
    init(badStatus response: DownloadResponse, at now: Date) {
        let status = HTTPResponseStatus(statusCode: response.status)
        let retryAfter = RetryAfter(response.headers, at: now)
        let wish = retryAfter.map { ", to be asked again in \($0.delay.components.seconds) s" } ?? ""
        self.init(
            .badStatus, stage: .load, "HTTP \(status)\(wish)", status: response.status, underlying: retryAfter)
    }

    /// How long a server wants to be left alone (RFC 9110, 10.2.3).
    var retryAfter: Duration? { (underlying as? RetryAfter)?.delay }
}

/// What a `Retry-After` field says: seconds, or a date.
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
    /// Whether a field of the request is to blame, which the client has looked at before it sent anything.
    fileprivate var isOfRequest: Bool {
        let kinds: [HTTPClientError] = [.invalidHeaderFieldNames([]), .invalidHeaderFieldValues([])]
        return kinds.contains { $0.shortDescription == shortDescription }
    }
}

extension Error {
    /// Whether the other side closed the connection before it answered.
    var isClosedConnection: Bool {
        if let error = self as? HTTPClientError { return error == .remoteConnectionClosed }
        if let error = self as? IOError { return [ECONNRESET, EPIPE].contains(error.errnoCode) }
        if let error = self as? ChannelError { return error == .ioOnClosedChannel || error == .eof }
        return false
    }
}
