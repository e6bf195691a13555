import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import TintypeCore

/// One request at the client below, and its answer as it arrives. Letting go of it gives it up.
final class WireExchange: Sendable {
    private let inbox: WireInbox
    private let task: HTTPClient.Task<Void>
    /// Stays until this ends, and its connections with it.
    private let client: PooledClient

    /// Sends a request.
    ///
    /// - Parameter tls: what holds for this request alone.
    /// - Throws: what the client below says of one that it cannot send.
    init(_ request: DownloadRequest, over client: PooledClient, tls: TLSConfiguration?) throws {
        let inbox = WireInbox(client.connections, uptime: client.uptime)
        let wire = try HTTPClient.Request(
            url: request.url, method: HTTPMethod(rawValue: request.method), headers: request.headers.wire,
            body: request.body.map { .byteBuffer(ByteBuffer(bytes: $0)) }, tlsConfiguration: tls)
        task = client.client.execute(request: wire, delegate: inbox)
        self.inbox = inbox
        self.client = client
    }

    deinit {
        task.cancel()
        inbox.close()
    }

    /// The head of the answer.
    func head() async throws -> WireHead {
        try await withTaskCancellationHandler { try await inbox.head() } onCancel: { task.cancel() }
    }

    /// More of the body, as it arrives; `nil` at its end.
    func pieces() async throws -> [ByteBuffer]? {
        try await withTaskCancellationHandler { try await inbox.pieces() } onCancel: { task.cancel() }
    }

    /// Whether the request failed over a connection that had brought another answer before; `nil` when that is not known.
    var failedOnReusedConnection: Bool? { inbox.failedConnection?.isReused }
}
