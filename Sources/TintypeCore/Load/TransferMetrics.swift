/// What one transfer took: durations and counts, for whoever wants to know why a picture was slow.
public struct TransferMetrics: Hashable, Sendable {
    /// Waiting for a place among the transfers, and for the limit of starts.
    public var queued = Duration.zero
    /// Resolving the name and connecting; with TLS, its handshake too. `nil` when a connection was used again.
    ///
    /// One time for all three: async-http-client shows a connection only when its handshake is over, and says nothing
    /// before that.
    public var connecting: Duration?
    /// From the sending of the last request to the head of its response, connecting included.
    public var firstByte = Duration.zero
    /// From the head to the last byte of the body.
    public var body = Duration.zero
    /// From the call to the end.
    public var total = Duration.zero
    /// Bytes of body that came over the wire.
    public var wireBytes = 0
    /// Bytes of body once content codings were taken off and resumed bytes put in front.
    public var bodyBytes = 0
    /// Bytes that an earlier, interrupted transfer had left.
    public var resumedBytes = 0
    /// The protocol of the response: `http/1.1` or `http/2`.
    public var httpVersion = ""
    /// Whether the last request went over a connection that had been used before; `nil` when that is not known.
    public var isConnectionReused: Bool?
    /// Whether the last connection was encrypted.
    public var isEncrypted = false
    /// Times that the transfer was tried; more than one after a retry.
    public var attempts = 1
    /// Redirects that the last attempt followed.
    public var redirects = 0
    /// The status of the last response.
    public var status = 0

    public init() {}
}
