import AsyncHTTPClient
public import Foundation
import NIOCore
import TintypeCore

/// The body of a response: still on its way, or at hand.
public struct DownloadBody: Sendable {
    enum Content: Sendable {
        case data(Data)
        case wire(WireBody)
    }

    let content: Content

    public init(_ data: Data) {
        content = .data(data)
    }

    init(_ wire: WireBody) {
        content = .wire(wire)
    }

    /// The whole body, without its content coding, within the limit of the transfer. To be called once.
    public func collect() async throws -> Data {
        switch content {
        case .data(let data): return data
        case .wire(let wire):
            let received = ReceivedBytes(limit: wire.limits.byteCount)
            try await wire.receive(into: received)
            return received.take()
        }
    }

    /// Reads a short body to its end, so that the connection can be used again; gives up a long one, and one that does not
    /// say how long it is.
    func discard() async {
        guard case .wire(let wire) = content, let announced = wire.announced, announced <= 4096 else { return }
        var count = 0
        while count <= announced, let pieces = try? await wire.response.pieces(), !pieces.isEmpty {
            count += pieces.reduce(0) { $0 + $1.readableBytes }
        }
    }

    func receive(into received: ReceivedBytes) async throws {
        switch content {
        case .data(let data): try data.withTypedBytes { bytes throws(TintypeError) in try received.append(bytes) }
        case .wire(let wire): try await wire.receive(into: received)
        }
    }
}
