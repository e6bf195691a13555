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
