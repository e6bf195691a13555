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
