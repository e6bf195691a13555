import CTintypeTLS
import TintypeCore

/// The result of reading from a socket, or writing to it.
package enum SocketTransfer: Equatable, Sendable {
    case bytes(Int)
    /// Nothing can be done until the socket is readable, or writable.
    case needsRead, needsWrite
    /// The peer has closed its side, or the connection is broken.
    case ended
}

/// TLS on one socket that does not block. Belongs to one thread at a time, and does not own the socket.
package final class TLSSession {
    // Lives as long as its sessions.
    private let context: TLSContext
    /// Null if memory is missing or the host cannot be verified. Then every transfer fails.
    private let session: OpaquePointer?
    /// Why the session has failed; `nil` before that, and if the peer has closed it.
    package private(set) var failure: String?

    /// Opens a session. The handshake happens in the first transfers.
    ///
    /// - Parameter host: For a client, the name or address for which the certificate of the server must be. A server
    ///   ignores it.
    package init(_ context: TLSContext, _ descriptor: Int32, host: String = "") {
        self.context = context
        session =
            context.isServer
            ? tintype_tls_session_open(context.context, descriptor)
            : tintype_tls_session_connect(context.context, descriptor, host)
        if session == nil { failure = "a session for the host cannot be opened" }
    }

    deinit {
        tintype_tls_session_free(session)
    }

    /// Whether the handshake has ended.
    package var isEstablished: Bool { session.map(tintype_tls_is_established) ?? false }

    /// The application protocol that both sides have chosen.
    package var applicationProtocol: String? {
        var count = 0
        guard let session, let name = tintype_tls_protocol(session, &count) else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: count), as: UTF8.self)
    }

    package func read(_ buffer: UnsafeMutableRawBufferPointer) -> SocketTransfer {
        guard let session, let bytes = buffer.baseAddress else { return .ended }
        return transfer(tintype_tls_read(session, bytes, buffer.count))
    }

    package func write(_ buffer: UnsafeRawBufferPointer) -> SocketTransfer {
        guard let session, let bytes = buffer.baseAddress else { return .ended }
        return transfer(tintype_tls_write(session, bytes, buffer.count))
    }

    /// Sends the alert that closes a session in order.
    package func close() {
        if let session { tintype_tls_close(session) }
    }

    private func transfer(_ result: Int) -> SocketTransfer {
        switch result {
        case TINTYPE_TLS_NEEDS_READ: return .needsRead
        case TINTYPE_TLS_NEEDS_WRITE: return .needsWrite
        case 1...: return .bytes(result)
        case TINTYPE_TLS_FAILED: failure = explanation()
        default: break
        }
        return .ended
    }

    private func explanation() -> String {
        var message = [CChar](repeating: 0, count: 300)
        if let session { tintype_tls_explain(session, &message, message.count) }
        return String(cText: message)
    }
}
