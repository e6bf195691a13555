import TintypeCore

/// A command and the task that waits for its reply.
final class RedisCall: Sendable {
    /// Which connections carry a command.
    enum Kind: Sendable {
        /// A small command with a small reply.
        case control
        /// A command that carries a value.
        case value
    }

    let command: RESPCommand
    let kind: Kind
    private let result = Promise<Result<RESPValue, TintypeError>>()

    init(_ command: RESPCommand, _ kind: Kind) {
        (self.command, self.kind) = (command, kind)
    }

    /// Whether nobody waits for a reply any more.
    var isFinished: Bool { result.isFulfilled }

    /// Ends the wait. Only the first result counts.
    func finish(_ result: Result<RESPValue, TintypeError>) {
        self.result.fulfill(result)
    }

    /// Waits for the reply. A cancelled wait ends at once.
    func wait() async throws(TintypeError) -> RESPValue {
        try await result.wait {
            result.fulfill(.failure(.cancelled))
            return .failure(.cancelled)
        }.get()
    }
}
