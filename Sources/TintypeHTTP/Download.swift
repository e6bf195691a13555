public import Foundation
public import TintypeCore

/// One caller's share of a transfer: its progress, its priority, its cancellation and its result.
///
/// Releasing the handle does not stop the transfer. All members may be called from any thread.
public final class Download: Sendable {
    private typealias End = Result<LoadedBytes, TintypeError>

    private let received = Locked<ReceivedBytes?>(nil)
    private let end = Promise<End>()
    private let handle: JobHandle
    private let onProgress: (@Sendable (LoadProgress) -> Void)?

    init(_ priority: ImagePriority, _ onProgress: (@Sendable (LoadProgress) -> Void)?) {
        handle = JobHandle(priority: priority)
        self.onProgress = onProgress
    }

    /// The progress of the transfer.
    public var progress: LoadProgress { received.withLock { $0 }?.progress ?? LoadProgress() }

    /// The bytes that have arrived so far; all of them at the end.
    public var receivedBytes: Data {
        (try? end.value?.get().data) ?? received.withLock { $0 }?.all ?? Data()
    }

    /// The priority that this caller asks for. The transfer has the highest priority of all its callers.
    public var priority: ImagePriority {
        get { handle.priority }
        set { handle.setPriority(newValue) }
    }

    /// Cancels this share: it ends at once with ``TintypeCore/TintypeError/Code/cancelled``, unless it has ended. The
    /// last caller that cancels stops the transfer.
    public func cancel() {
        finish(.failure(.cancelled))
        handle.cancel()
    }

    /// The bytes, when the transfer has ended. Any number of tasks may wait. Cancelling one of them cancels this share.
    ///
    /// - Throws: The error of the transfer, or ``TintypeCore/TintypeError/Code/cancelled``.
    public var bytes: LoadedBytes {
        get async throws(TintypeError) {
            try await end.wait {
                cancel()
                return .failure(.cancelled)
            }.get()
        }
    }

    // MARK: Called by the downloader

    /// Connects this share to its subscription of the transfer.
    ///
    /// - Parameter priority: The priority of the subscription.
    func bind(_ subscription: JobSubscription, subscribedAt priority: ImagePriority) {
        handle.bind(subscription, subscribedAt: priority)
    }

    func update(_ received: ReceivedBytes) {
        self.received.withLock { $0 = received }
        if let onProgress, !end.isFulfilled { onProgress(received.progress) }
    }

    func finish(_ result: Result<LoadedBytes, TintypeError>) {
        end.fulfill(result)
    }
}
