import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TintypeCore

/// One request at the client below, and its answer as it arrives. Letting go of it gives it up.
final class WireExchange: Sendable {
    private let inbox: WireInbox
    private let task: Task<Void, Never>

    /// Sends a request, on the event loop of the connection it goes over.
    init(_ request: HTTPClientRequest, over client: PooledClient) {
        let inbox = WireInbox(client.connections.loop)
        task = Task(executorPreference: client.executor) { await Self.run(request, client, inbox) }
        self.inbox = inbox
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

    @concurrent
    private static func run(_ request: HTTPClientRequest, _ client: PooledClient, _ inbox: WireInbox) async {
        do {
            let response = try await client.client.execute(request, deadline: .distantFuture)
            inbox.receive(WireHead(response, arrived: client.uptime(), over: client.connections.facts))
            for try await piece in response.body { await inbox.receive(piece) }
            inbox.finish(.success(()))
        } catch {
            inbox.finish(.failure(error), over: client.connections.facts?.use)
        }
    }
}

extension WireHead {
    fileprivate init(_ response: HTTPClientResponse, arrived: Duration, over connection: ConnectionFacts?) {
        self.init(
            status: Int(response.status.code), version: response.version, headers: response.headers, arrived: arrived,
            connection: connection?.use)
        connection?.answers += 1
    }
}
