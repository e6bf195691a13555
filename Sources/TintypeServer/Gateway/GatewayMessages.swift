package import Foundation
package import TintypeCore
package import TintypeHTTP

/// A request that a ``Gateway`` answers or passes on.
package struct GatewayRequest: Hashable, Sendable {
    /// The URL at the origin.
    package var url: URL
    /// The method (RFC 9110, 9).
    package var method: String
    /// The header fields for the origin, without those of one connection. Conditions and ranges may be among them.
    package var headers: HTTPFields
    /// The body; `nil` for none.
    package var body: Data?

    /// Creates a request.
    package init(url: URL, method: String = "GET", headers: HTTPFields = HTTPFields(), body: Data? = nil) {
        (self.url, self.method, self.headers, self.body) = (url, method, headers, body)
    }

    /// The request in the form that the caching rules judge.
    var download: DownloadRequest { DownloadRequest(url: url, method: method, headers: headers, body: body) }
}

/// The response of a ``Gateway``.
package struct GatewayResponse: Sendable {
    /// Where the body comes from.
    package enum Body: Sendable {
        /// The whole body of a stored response. It may map a file.
        case stored(Data)
        /// A body that still arrives.
        case stream(GatewayStream)
    }

    /// The status code.
    package let status: Int
    /// The header fields, with `Age` if the response was stored.
    package let headers: HTTPFields
    /// The body.
    package let body: Body
    /// Whether the client has the stored response already, by the conditions of its request (RFC 9110, 13.1).
    package let isUnmodified: Bool
}

/// A body that a ``Gateway`` passes on while it arrives, and stores at its end if the response may be stored.
///
/// One task reads it. Releasing a stream that was not read to its end closes its connection, and stores nothing.
package final class GatewayStream: Sendable {
    /// What is stored at the end of the body.
    struct Copy: Sendable {
        let received: ReceivedBytes
        /// Released when the body is stored, or will not be.
        let turn: GatewayTurns.Turn?
        let store: @Sendable (Data, SpillFile?) -> Void
    }

    private struct State: Sendable {
        /// The number of bytes that have arrived.
        var count = 0
        /// `nil` for a response that is not stored.
        var copy: Copy?
    }

    private let response: ExchangeResponse
    private let state: Locked<State>

    /// - Parameter copy: Receives the body; `nil` for a response that is not stored.
    init(_ response: ExchangeResponse, copy: Copy?) {
        self.response = response
        state = Locked(State(copy: copy))
    }

    /// The number of bytes of the body; `nil` if the origin does not say.
    package var length: Int? { response.announced }

    /// Waits for the next part of the body; `nil` at its end. Memory holds about one part, and what the copy has not
    /// yet moved to its file: the origin waits while no part is asked for.
    ///
    /// - Throws: `TintypeError.Code.truncatedBody`, `TintypeError.Code.timedOut` or
    ///   `TintypeError.Code.cancelled`.
    package func next() async throws(TintypeError) -> Data? {
        let (count, copy) = state.withLock { ($0.count, $0.copy) }
        let part = try await response.part(after: count)
        guard !part.isEmpty else {
            try response.checkLength(count)
            await store(copy)
            return nil
        }
        state.withLock { $0.count += part.count }
        if let copy { await add(part, to: copy) }
        return part
    }

    /// A body that is too large to be stored, or a full disk, does not concern the client.
    private func add(_ part: Data, to copy: Copy) async {
        do throws(TintypeError) {
            try part.withTypedBytes { bytes throws(TintypeError) in try copy.received.append(bytes) }
            if copy.received.isWorthSpilling { try await copy.received.spill(for: JobContext(priority: .normal)) }
        } catch {
            state.withLock { $0.copy = nil }
        }
    }

    private func store(_ copy: Copy?) async {
        state.withLock { $0.copy = nil }
        guard let copy, let (data, file) = try? await copy.received.takeAll(for: JobContext(priority: .normal)) else {
            return
        }
        copy.store(data, file)
    }
}
