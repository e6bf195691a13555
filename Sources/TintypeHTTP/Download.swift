public import Foundation
public import TintypeCore

/// One caller's share in a transfer: a handle to follow it, to change its priority and to cancel it.
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

    /// How much has arrived.
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

    /// Cancels this share: it ends at once with ``TintypeCore/TintypeError/Code/cancelled``, unless it has ended. The last caller
    /// that cancels stops the transfer.
    public func cancel() {
        finish(.failure(.cancelled))
        handle.cancel()
    }

    /// The bytes, once they are there. Any number of tasks may wait. Cancelling a waiting task cancels the download.
    public var bytes: LoadedBytes {
        get async throws(TintypeError) {
            try await end.wait {
                cancel()
                return .failure(.cancelled)
            }.get()
        }
    }

    // MARK: From the downloader

    /// - Parameter priority: The priority that the subscription was made with.
    func bind(_ subscription: JobSubscription, subscribedAt priority: ImagePriority) {
        handle.bind(subscription, subscribedAt: priority)
    }

    func update(_ received: ReceivedBytes) {
        self.received.withLock { $0 = received }
        if end.value == nil, let onProgress { onProgress(received.progress) }
    }

    func finish(_ result: Result<LoadedBytes, TintypeError>) {
        end.fulfill(result)
    }
}
