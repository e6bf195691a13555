public import Foundation

/// The bytes of one running load, as far as they have arrived.
///
/// A loader appends; who makes previews reads on from where it was. Memory is bounded by ``limit``: what is announced
/// or arrives beyond it is refused.
public final class ReceivedBytes: Sendable {
    private struct State: Sendable {
        var data = Data()
        var expected: Int?
        /// Whose bytes these are, when several loads share one transfer.
        var shared: ReceivedBytes?
    }

    /// The most bytes that are taken.
    public let limit: Int
    private let state = Locked(State())
    private let onProgress: @Sendable (ReceivedBytes) -> Void

    /// - Parameter onProgress: called after every change, on the loader's thread.
    public init(limit: Int, onProgress: @escaping @Sendable (ReceivedBytes) -> Void = { _ in }) {
        self.limit = limit
        self.onProgress = onProgress
    }

    public var progress: LoadProgress {
        if let shared { return shared.progress }
        return state.withLock { LoadProgress(received: $0.data.count, expected: $0.expected) }
    }

    private var shared: ReceivedBytes? { state.withLock { $0.shared } }

    /// Shows the bytes of another load from now on, without a copy of them, and tells that they have changed.
    package func show(_ other: ReceivedBytes) {
        state.withLock { $0.shared = other }
        onProgress(self)
    }

    /// Gives up what has arrived, for a load that begins anew.
    package func restart() {
        state.withLock { state in
            state.data = Data()
            state.expected = nil
        }
    }

    /// Announces how many bytes will come, so that memory is claimed once.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` when that is more than ``limit``.
    public func expect(_ count: Int) throws(TintypeError) {
        guard count <= limit else { throw tooLarge }
        state.withLock { state in
            state.expected = count
            // What a server announces is not memory yet: a liar gets no more than a first instalment.
            state.data.reserveCapacity(min(count, 4 << 20))
        }
        onProgress(self)
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` when there would be more than ``limit``.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        let fits = state.withLock { state in
            guard bytes.count <= limit - state.data.count else { return false }
            state.data.append(base, count: bytes.count)
            return true
        }
        guard fits else { throw tooLarge }
        onProgress(self)
    }

    /// Everything so far.
    public var all: Data { shared?.all ?? state.withLock { $0.data } }

    /// Takes everything out; nothing is left behind.
    public func take() -> Data {
        state.withLock { state in
            defer { state.data = Data() }
            return state.data
        }
    }

    /// A copy of at most the first `count` bytes.
    func head(_ count: Int) -> Data {
        shared?.head(count) ?? state.withLock { Data($0.data.prefix(count)) }
    }

    /// A copy of what arrived after the first `offset` bytes.
    func bytes(from offset: Int) -> Data {
        shared?.bytes(from: offset) ?? state.withLock { offset < $0.data.count ? Data($0.data[offset...]) : Data() }
    }

    private var tooLarge: TintypeError {
        TintypeError(.limitExceeded, stage: .load, "more than \(limit) bytes")
    }
}
