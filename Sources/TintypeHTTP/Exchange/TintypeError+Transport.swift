import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import TintypeCore

extension TintypeError {
    /// What an error of the HTTP client means to the one who wanted a picture.
    init(transport error: any Error) {
        let (code, message) = Self.meaning(error)
        self.init(code, stage: .load, message, underlying: error)
    }

    private static func meaning(_ error: any Error) -> (Code, String) {
        switch error {
        case let error as HTTPClientError: meaning(error)
        case let error as NIOConnectionError: (.unreachable, connectionMessage(error))
        case let error as IOError where refusals.contains(error.errnoCode): (.unreachable, message(error))
        case let error as IOError: (.transport, message(error))
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
        case .remoteConnectionClosed: (.transport, "the server closed the connection")
        default: (.transport, error.shortDescription)
        }
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
