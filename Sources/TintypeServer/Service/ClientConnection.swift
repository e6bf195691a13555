import TintypeCore

/// The connection of a client, or one stream of HTTP/2. It knows when the client has closed it, so that nothing is made
/// for a client that has left. Its requests follow each other.
package final class ClientConnection: Sendable {
    private struct State: Sendable {
        var isClosed = false
        /// Cancels the request that is being answered; `nil` for none.
        var cancel: (@Sendable () -> Void)?
    }

    /// The address at the other end; `nil` if it has none.
    package let peer: String?
    private let state = Locked(State())

    /// Creates an open connection.
    package init(peer: String? = nil) {
        self.peer = peer
    }

    /// Cancels the request that is being answered, and all that follow, because the client has left.
    package func close() {
        let cancel = state.withLock { state in
            state.isClosed = true
            return state.cancel
        }
        cancel?()
    }

    /// Answers a request in a task that is cancelled when the client leaves.
    func answering<Response: Sendable>(_ answer: @escaping @Sendable () async -> Response) async -> Response {
        let task = Task { await answer() }
        let isClosed = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isClosed
        }
        if isClosed { task.cancel() }
        defer { state.withLock { $0.cancel = nil } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
