import CTintypeCurl
import Foundation

extension TransportFailure {
    /// Creates the failure that corresponds to an error of libcurl.
    ///
    /// - Parameters:
    ///   - message: The text of libcurl.
    ///   - isUnconnected: Whether no connection was established.
    ///   - usesProxy: Whether the connection goes to a proxy.
    init(_ code: CURLcode, _ message: String, isUnconnected: Bool, usesProxy: Bool) {
        self.init(Self.kind(of: code, isUnconnected: isUnconnected), Self.text(of: code, message, isUnconnected))
    }

    private static func kind(of code: CURLcode, isUnconnected: Bool) -> Kind {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY: .unreachable
        // The only limit of libcurl itself is that on connecting.
        case CURLE_OPERATION_TIMEDOUT: .connectTimedOut
        // An error of a proxy's answer to CONNECT, or of a connection.
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR: isUnconnected ? .unreachable : .closed
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM, CURLE_HTTP2: .closed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            .insecure
        // 100: a value that is too large, in newer versions.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLcode(100):
            .malformed
        case CURLE_URL_MALFORMAT: .invalidRequest
        default: .other
        }
    }

    private static func text(of code: CURLcode, _ message: String, _ isUnconnected: Bool) -> String {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: "the connection timed out"
        case CURLE_PEER_FAILED_VERIFICATION: "the certificate of the server is not trusted"
        case CURLE_SSL_CERTPROBLEM: "a client certificate or its key cannot be read"
        case CURLE_SSL_CACERT_BADFILE: "a trusted certificate cannot be read"
        case CURLE_SSL_CONNECT_ERROR where message.contains("wrong version number"): "the server does not speak TLS"
        case CURLE_SSL_CONNECT_ERROR: "no secure connection: the handshake failed"
        case CURLE_GOT_NOTHING: "the server closed the connection"
        default: message
        }
    }
}
