import CTintypeTLS
import Foundation
package import TintypeCore

/// OpenSSL, loaded when the first server with TLS starts.
enum TLSLibrary {
    /// The system's libssl, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in
        do throws(TintypeError) {
            return try RuntimeLibrary(
                names, functions: .init(tintype_tls_function_names()),
                .init("libssl, which encrypts connections", packages: "libssl3 on Debian, openssl-libs on Fedora"))
        } catch {
            throw error.at(.load)
        }
    }

    #if canImport(Darwin)
    /// Homebrew's folders are not in the search path.
    private static let names = ["/opt/homebrew/opt/openssl@3/lib/", "/usr/local/opt/openssl@3/lib/"]
        .map { "\($0)libssl.3.dylib" }
    #else
    private static let names = ["libssl.so.3"]
    #endif
}

/// The server's side of TLS.
///
/// `@unchecked Sendable` because the context is not changed after it was made, and OpenSSL counts references atomically.
package final class TLSContext: @unchecked Sendable {
    fileprivate let context: OpaquePointer

    /// - Parameter protocols: The application protocols that are offered (ALPN), the preferred one first. A client that
    ///   shares none gets none.
    /// - Throws: ``TintypeError/Code/insecure`` if a certificate or the key cannot be used, and
    ///   ``TintypeError/Code/noCoder`` if libssl is not installed.
    package init(_ identity: OriginIdentity, protocols: [String] = []) throws(TintypeError) {
        let library = try TLSLibrary.standard.get().functions
        let names = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        var message = [CChar](repeating: 0, count: 300)
        let context = identity.withServer(names) {
            tintype_tls_context_for_server(library, &$0, &message, message.count)
        }
        guard let context else { throw TintypeError(.insecure, stage: .load, String(cText: message)) }
        self.context = context
    }

    deinit {
        tintype_tls_context_free(context)
    }
}

extension OriginIdentity {
    /// Calls a closure with the texts as C strings.
    fileprivate func withServer<Result>(_ protocols: [UInt8], _ body: (inout tintype_tls_server) -> Result) -> Result {
        func withOptional(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
            text.map { $0.withCString(body) } ?? body(nil)
        }
        return certificates.withCString { certificates in
            key.withCString { key in
                withOptional(clients) { clients in
                    protocols.withUnsafeBufferPointer { protocols in
                        var server = tintype_tls_server(
                            certificates: certificates, key: key, clients: clients, protocols: protocols.baseAddress,
                            protocols_size: protocols.count)
                        return body(&server)
                    }
                }
            }
        }
    }
}

/// The result of reading from a socket, or writing to it.
enum SocketTransfer {
    case bytes(Int)
    /// Nothing can be done until the socket is readable, or writable.
    case needsRead, needsWrite
    /// The peer has closed its side, or the connection is broken.
    case ended
}

/// The server's side of TLS on one socket.
final class TLSSession {
    // Lives as long as its sessions.
    private let context: TLSContext
    /// Null if memory is missing. Then every transfer fails.
    private let session: OpaquePointer?

    init(_ context: TLSContext, _ descriptor: Int32) {
        self.context = context
        session = tintype_tls_session_open(context.context, descriptor)
    }

    deinit {
        tintype_tls_session_free(session)
    }

    /// Whether the handshake has ended.
    var isEstablished: Bool { session.map(tintype_tls_is_established) ?? false }

    /// The application protocol that both sides have chosen.
    var applicationProtocol: String? {
        var count = 0
        guard let session, let name = tintype_tls_protocol(session, &count) else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: count), as: UTF8.self)
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> SocketTransfer {
        guard let session, let bytes = buffer.baseAddress else { return .ended }
        return Self.transfer(tintype_tls_read(session, bytes, buffer.count))
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> SocketTransfer {
        guard let session, let bytes = buffer.baseAddress else { return .ended }
        return Self.transfer(tintype_tls_write(session, bytes, buffer.count))
    }

    /// Sends the alert that closes a session in order.
    func close() {
        if let session { tintype_tls_close(session) }
    }

    private static func transfer(_ result: Int) -> SocketTransfer {
        switch result {
        case TINTYPE_TLS_NEEDS_READ: .needsRead
        case TINTYPE_TLS_NEEDS_WRITE: .needsWrite
        case 1...: .bytes(result)
        default: .ended
        }
    }
}
