public import Foundation

/// What an ``Origin`` answers, and how well it behaves while it does.
public struct OriginResponse: Sendable {
    /// The status code. A 204 and a 304 go without body and length, and so does the body in answer to a HEAD.
    public var status: Int

    /// The header fields, besides those of the framing and of the connection.
    public var headers: [(name: String, value: String)]

    /// The whole body, whatever part of it ``ending`` lets through.
    public var body: Data

    /// How the client is told where the body ends.
    public var framing: Framing

    /// The time before the head, from the arrival of the request.
    public var latency: Duration

    /// The bytes of body a second, sent in slices of 10 ms; nil sends as fast as it goes.
    public var bandwidth: Int?

    /// How the response ends.
    public var ending: Ending

    /// Holds the response back, before the head or in the body, until the gate opens.
    public var gate: OriginGate?

    /// Makes a response that behaves well unless told otherwise.
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
    /// An image.
    ///
    /// - Parameter type: The media type: `image/png`.
    public static func image(_ data: Data, type: String) -> OriginResponse {
        OriginResponse(headers: [("Content-Type", type)], body: data)
    }

    /// A page of HTML.
    public static func html(_ text: String) -> OriginResponse {
        OriginResponse(headers: [("Content-Type", "text/html; charset=utf-8")], body: Data(text.utf8))
    }

    /// A bare status with an empty body.
    public static func status(_ code: Int) -> OriginResponse {
        OriginResponse(status: code)
    }

    /// A redirect.
    ///
    /// - Parameter location: A URL, or a path at the same origin, sent as it is.
    public static func redirect(to location: String, status: Int = 302) -> OriginResponse {
        OriginResponse(status: status, headers: [("Location", location)])
    }

    /// The same response but for one property: `.image(data, type: "image/png").with(\.bandwidth, 10_000)`.
    public func with<Value>(_ property: WritableKeyPath<OriginResponse, Value>, _ value: Value) -> OriginResponse {
        var copy = self
        copy[keyPath: property] = value
        return copy
    }

    /// The same response with one more header field.
    public func with(header name: String, _ value: String) -> OriginResponse {
        with(\.headers, headers + [(name, value)])
    }
}

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

extension OriginResponse {
    /// How a response ends. Bytes are those of the body, not of its chunks' heads.
    public enum Ending: Sendable, Hashable {
        /// As it should.
        case whole

        /// With the connection closed in good order after this many bytes.
        case cut(after: Int)

        /// With a TCP reset after this many bytes.
        case reset(after: Int)

        /// Not at all: nothing follows these many bytes, and the connection stays open.
        case silence(after: Int)

        /// Not at all, without so much as a head; the connection stays open.
        case never

        /// Not at all, without so much as a head: the connection is closed in good order.
        case dropped
    }
}

extension OriginResponse.Ending {
    /// How many bytes of a body of `count` are sent.
    func bytesSent(of count: Int) -> Int {
        switch self {
        case .whole: count
        case .cut(let bytes), .reset(let bytes), .silence(let bytes): min(max(0, bytes), count)
        case .never, .dropped: 0
        }
    }
}
