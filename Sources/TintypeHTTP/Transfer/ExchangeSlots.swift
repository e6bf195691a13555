package import TintypeCore

/// Limits how many exchanges of one server run at once. The most urgent job gets the next slot.
package final class ExchangeSlots: Sendable {
    private static let host = ""

    private let queue: TransferQueue

    /// Creates a number of free slots.
    ///
    /// - Parameter count: At least 1.
    package init(count: Int) {
        var configuration = DownloaderConfiguration()
        configuration.maximumConcurrentDownloads = count
        configuration.connectionsPerHost = count
        queue = TransferQueue(configuration)
    }

    /// Waits for a slot, which ``leave()`` frees.
    ///
    /// - Throws: `TintypeError.Code.cancelled`; then no slot was taken.
    package func enter(for job: JobContext) async throws(TintypeError) {
        if !queue.tryEnter(Self.host, for: job) { try await queue.enter(Self.host, for: job) }
    }

    /// Frees a slot.
    package func leave() {
        queue.leave(Self.host)
    }
}
