extension OriginResponse {
    /// How the client is told where a body ends.
    public enum Framing: Sendable, Hashable {
        /// By the right Content-Length.
        case contentLength

        /// By a Content-Length of this many bytes, right or wrong; the whole body is sent and the connection closed.
        case declared(Int)

        /// By chunks of this many bytes.
        case chunked(size: Int)

        /// By nothing but the end of the connection.
        case untilClose
    }
}

extension OriginResponse.Framing {
    /// The header field that announces this framing of a body of so many bytes.
    func header(bodyCount: Int) -> (name: String, value: String)? {
        switch self {
        case .contentLength: ("Content-Length", "\(bodyCount)")
        case .declared(let count): ("Content-Length", "\(count)")
        case .chunked: ("Transfer-Encoding", "chunked")
        case .untilClose: nil
        }
    }

    /// Whether the client can tell the next response on the connection from the end of this one.
    var allowsKeepAlive: Bool {
        switch self {
        case .contentLength, .chunked: true
        case .declared, .untilClose: false
        }
    }

    /// The bytes of body in a chunk; nil without chunks.
    var chunkSize: Int? {
        guard case .chunked(let size) = self else { return nil }
        return max(1, size)
    }
}
