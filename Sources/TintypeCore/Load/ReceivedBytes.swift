public import Foundation

/// The bytes of one running load, as far as they have arrived.
///
/// A loader appends; who makes previews reads on from where it was. Memory is bounded by ``limit``: what is announced
/// or arrives beyond it is refused.
public final class ReceivedBytes: Sendable {
    private struct State: Sendable {
        /// What is in memory: everything, or what follows the spilled bytes.
        var data = Data()
        var spilled: Spilled?
        var expected: Int?
        /// Whose bytes these are, when several loads share one transfer.
        var shared: ReceivedBytes?

        var count: Int { data.count + (spilled?.count ?? 0) }

        /// What a server announces is not memory yet: a liar gets no more than a first instalment.
        mutating func claimMemory() {
            if let expected, spilled == nil { data.reserveCapacity(min(expected, 4 << 20)) }
        }
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
        return state.withLock { LoadProgress(received: $0.count, expected: $0.expected) }
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
            state.spilled = nil
            state.expected = nil
        }
    }

    /// Announces how many bytes will come, so that memory is claimed once. A negative count announces nothing.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` when that is more than ``limit``.
    public func expect(_ count: Int) throws(TintypeError) {
        guard count >= 0 else { return }
        guard count <= limit else { throw tooLarge }
        state.withLock { $0.expected = count }
        onProgress(self)
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` when there would be more than ``limit``.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        let fits = state.withLock { state in
            guard bytes.count <= limit - state.count else { return false }
            if state.data.isEmpty { state.claimMemory() }
            state.data.append(base, count: bytes.count)
            return true
        }
        guard fits else { throw tooLarge }
        onProgress(self)
    }

    /// Takes a whole body, without a copy of it.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` when it is more than ``limit``.
    package func take(whole data: Data) throws(TintypeError) {
        guard data.count <= limit else { throw tooLarge }
        state.withLock { $0.data = data }
        onProgress(self)
    }

    /// Everything so far.
    public var all: Data { shared?.all ?? bytes(from: 0) }

    /// Takes everything out; nothing is left behind.
    public func take() -> Data {
        state.withLock { state in
            defer { state.data = Data() }
            return state.data
        }
    }

    /// A copy of at most the first `count` bytes.
    func head(_ count: Int) -> Data {
        if let shared { return shared.head(count) }
        let (spilled, head) = state.withLock { ($0.spilled, Data($0.data.prefix(count))) }
        return spilled.map { Data($0.contents.prefix(count)) } ?? head
    }

    /// A copy of what arrived after the first `offset` bytes.
    package func bytes(from offset: Int) -> Data {
        if let shared { return shared.bytes(from: offset) }
        // Copied under the lock: another reference to the bytes would make the next append copy all of them.
        let (spilled, rest) = state.withLock { state in
            (state.spilled, Data(state.data.dropFirst(max(0, offset - (state.spilled?.count ?? 0)))))
        }
        guard let spilled, offset < spilled.count else { return rest }
        return spilled.contents.dropFirst(offset) + rest
    }

    /// Whether there is a file, and how many bytes are in memory.
    var spilledAndWaiting: (spilled: Bool, waiting: Int) { state.withLock { ($0.spilled != nil, $0.data.count) } }

    var contents: (spilled: Spilled?, data: Data) { state.withLock { ($0.spilled, $0.data) } }

    /// Puts all that has arrived into a file's place.
    func replaceContents(_ spilled: Spilled) {
        state.withLock { state in
            state.spilled = spilled
            state.data = Data()
        }
    }

    private var tooLarge: TintypeError {
        TintypeError(.limitExceeded, stage: .load, "more than \(limit) bytes")
    }
}
