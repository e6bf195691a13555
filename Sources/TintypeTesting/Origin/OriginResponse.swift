public import Foundation

/// A response of an ``Origin``, including its faults.
///
///     origin.serve("/slow.png", response: .image(data, type: "image/png").setting(\.bandwidth, to: 10_000))
///     origin.serve("/cut.png", response: .image(data, type: "image/png").setting(\.ending, to: .reset(after: 500)))
public struct OriginResponse: Sendable {
    /// The status code. Responses with status 204 or 304 have no body and no length; a response to a HEAD has no body.
    package var status: Int

    /// The status line without its line break, correct or not, such as `HTTP/1.1 000 X`; `nil` makes it from
    /// ``status``.
    package var statusLine: String?

    /// Text before the status line, such as informational responses (RFC 9110, 15.2). Empty by default.
    package var preamble = ""

    /// The header fields, except those for the framing and the connection, which the origin adds.
    package var headers: [(name: String, value: String)]

    /// The complete body. ``ending`` may cut it off.
    package var body: Data

    /// The framing, which tells the client where the body ends.
    package var framing: Framing

    /// The delay between the request and the head.
    package var latency: Duration

    /// The bandwidth in bytes per second, sent in slices of 10 ms; `nil` is unlimited.
    package var bandwidth: Int?

    /// The ending of the response.
    package var ending: Ending

    /// The gate that holds the response back before the head or in the body; `nil` sends it immediately.
    package var gate: OriginGate?

    /// Creates a response. Without arguments it is a well-formed 200 with an empty body.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields, except those for the framing and the connection.
    ///   - body: The complete body.
    ///   - framing: The framing of the body.
    ///   - latency: The delay before the head.
    ///   - bandwidth: The bandwidth in bytes per second; `nil` is unlimited.
    ///   - ending: The ending of the response.
    ///   - gate: The gate that holds the response back.
    public init(
        status: Int = 200,
        headers: [(name: String, value: String)] = [],
        body: Data = Data(),
        framing: Framing = .contentLength,
        latency: Duration = .zero,
        bandwidth: Int? = nil,
        ending: Ending = .whole,
        gate: OriginGate? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.framing = framing
        self.latency = latency
        self.bandwidth = bandwidth
        self.ending = ending
        self.gate = gate
    }
}

extension OriginResponse {
    /// Returns a response with an image.
    ///
    /// - Parameters:
    ///   - data: The encoded image.
    ///   - type: The media type, such as `image/png`.
    ///   - latency: The delay before the head.
    ///   - bandwidth: The bandwidth in bytes per second; `nil` is unlimited.
    public static func image(
        _ data: Data, type: String, latency: Duration = .zero, bandwidth: Int? = nil
    ) -> OriginResponse {
        OriginResponse(headers: [("Content-Type", type)], body: data, latency: latency, bandwidth: bandwidth)
    }

    /// Returns a response with an HTML page in UTF-8.
    package static func html(_ text: String) -> OriginResponse {
        OriginResponse(headers: [("Content-Type", "text/html; charset=utf-8")], body: Data(text.utf8))
    }

    /// Returns a response with a status and an empty body.
    public static func status(_ code: Int) -> OriginResponse {
        OriginResponse(status: code)
    }

    /// Returns a redirect.
    ///
    /// - Parameters:
    ///   - location: A URL, or a path at the same origin. It is sent unchanged.
    ///   - status: The status code.
    public static func redirect(to location: String, status: Int = 302) -> OriginResponse {
        OriginResponse(status: status, headers: [("Location", location)])
    }

    /// Returns a copy with one property changed: `.image(data, type: "image/png").setting(\.bandwidth, to: 10_000)`.
    package func setting<Value>(
        _ property: WritableKeyPath<OriginResponse, Value>, to value: Value
    ) -> OriginResponse {
        var copy = self
        copy[keyPath: property] = value
        return copy
    }

    /// Returns a copy with one more header field.
    package func with(header name: String, value: String) -> OriginResponse {
        setting(\.headers, to: headers + [(name, value)])
    }
}

extension OriginResponse {
    /// The framing of a body, which tells the client where it ends.
    public enum Framing: Sendable, Hashable {
        /// A correct `Content-Length`.
        case contentLength

        /// A `Content-Length` of this many bytes, correct or not. The whole body is sent, then the connection is
        /// closed.
        case declared(Int)

        /// Chunks of this many bytes.
        case chunked(size: Int)

        /// No length: the connection is closed after the body.
        case untilClose
    }
}

extension OriginResponse.Framing {
    /// The header field of this framing for a body of `bodyCount` bytes, if it has one.
    func header(bodyCount: Int) -> (name: String, value: String)? {
        switch self {
        case .contentLength: ("Content-Length", "\(bodyCount)")
        case .declared(let count): ("Content-Length", "\(count)")
        case .chunked: ("Transfer-Encoding", "chunked")
        case .untilClose: nil
        }
    }

    /// Whether the client can tell where the next response on the connection begins.
    var allowsKeepAlive: Bool {
        switch self {
        case .contentLength, .chunked: true
        case .declared, .untilClose: false
        }
    }

    /// The number of body bytes in a chunk, or `nil` without chunks.
    var chunkSize: Int? {
        guard case .chunked(let size) = self else { return nil }
        return max(1, size)
    }
}

extension OriginResponse {
    /// The ending of a response. Numbers of bytes count the body without chunk heads.
    public enum Ending: Sendable, Hashable {
        /// The response is complete.
        case whole

        /// The connection is closed in order after this many bytes.
        case cut(after: Int)

        /// The connection is reset (TCP RST) after this many bytes.
        case reset(after: Int)

        /// Nothing follows this many bytes, and the connection stays open.
        case silence(after: Int)

        /// Nothing is sent, not even a head, and the connection stays open.
        case never

        /// Nothing is sent, not even a head, and the connection is closed in order.
        case dropped
    }
}

extension OriginResponse.Ending {
    /// Returns the number of bytes to send of a body of `count` bytes.
    func bytesSent(of count: Int) -> Int {
        switch self {
        case .whole: count
        case .cut(let bytes), .reset(let bytes), .silence(let bytes): min(max(0, bytes), count)
        case .never, .dropped: 0
        }
    }
}
