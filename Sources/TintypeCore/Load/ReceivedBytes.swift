public import Foundation

/// The bytes of a running load that have arrived so far.
///
/// A loader appends bytes; previews read on from where they stopped. At most `limit` bytes are accepted, whether
/// announced or received. All members may be called from any thread.
public final class ReceivedBytes: Sendable {
    private struct State: Sendable {
        /// The bytes in memory: all of them, or those after the spilled ones.
        var data = Data()
        var spilled: Spilled?
        /// Whether the cache has no file for the body.
        var isWithoutCache = false
        var expected: Int?
        /// The bytes of another load that this one shows instead of its own.
        var shared: ReceivedBytes?

        var count: Int { data.count + (spilled?.count ?? 0) }

        /// Reserves memory for the announced bytes, but at most 4 MB: a server may announce more than it sends.
        mutating func claimMemory() {
            if let expected, spilled == nil { data.reserveCapacity(min(expected, 4 << 20)) }
        }
    }

    /// The largest number of bytes that is accepted.
    package let limit: Int
    /// The cache that is likely to store the bytes.
    package let cache: (any SpillFileMaker)?
    private let state = Locked(State())
    private let onProgress: @Sendable (ReceivedBytes) -> Void

    /// Creates an empty buffer for one load.
    ///
    /// - Parameters:
    ///   - limit: The largest number of bytes to accept.
    ///   - cache: The cache that is likely to store the bytes. A large body arrives in its folder.
    ///   - onProgress: Called after every change, on the loader's thread.
    package init(
        limit: Int, for cache: (any SpillFileMaker)? = nil,
        onProgress: @escaping @Sendable (ReceivedBytes) -> Void = { _ in }
    ) {
        self.limit = limit
        self.cache = cache
        self.onProgress = onProgress
    }

    /// The numbers of received and of expected bytes.
    public var progress: LoadProgress {
        if let shared { return shared.progress }
        return state.withLock { LoadProgress(received: $0.count, expected: $0.expected) }
    }

    private var shared: ReceivedBytes? { state.withLock { $0.shared } }

    /// Shows the bytes of another load from now on, without copying them, and reports progress.
    package func show(_ other: ReceivedBytes) {
        state.withLock { $0.shared = other }
        onProgress(self)
    }

    /// Removes all received bytes, for a load that starts again.
    package func restart() {
        state.withLock { state in
            state.data = Data()
            state.spilled = nil
            state.expected = nil
        }
    }

    /// Announces the total number of bytes, so that memory is allocated once. A negative count announces nothing.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if `count` is more than `limit`.
    public func expect(_ count: Int) throws(TintypeError) {
        guard count >= 0 else { return }
        guard count <= limit else { throw tooLarge }
        state.withLock { $0.expected = count }
        onProgress(self)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if there would be more than `limit`.
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

    /// Appends bytes, without copying them if all bytes before them are in a file.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if there would be more than `limit`.
    package func append(_ part: Data) throws(TintypeError) {
        let isAdopted = state.withLock { state in
            guard state.spilled != nil, state.data.isEmpty, part.count <= limit - state.count else { return false }
            state.data = part
            return true
        }
        if isAdopted { return onProgress(self) }
        try part.withTypedBytes { bytes throws(TintypeError) in try append(bytes) }
    }

    /// Sets a complete body without copying it.
    ///
    /// - Parameter expected: The announced number of bytes; `nil` leaves it as it is.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if it has more than ``limit`` bytes.
    package func setAll(to data: Data, expected: Int? = nil) throws(TintypeError) {
        guard data.count <= limit else { throw tooLarge }
        state.withLock { state in
            state.data = data
            if let expected { state.expected = expected }
        }
        onProgress(self)
    }

    /// A copy of all received bytes. Empty if a large body is in a file that cannot be read.
    package var all: Data { bytes(from: 0) ?? Data() }

    /// Removes and returns the bytes in memory.
    public func take() -> Data {
        state.withLock { state in
            defer { state.data = Data() }
            return state.data
        }
    }

    /// Returns a copy of at most the first `count` bytes; nothing if they are in a file that cannot be read.
    func head(_ count: Int) -> Data {
        if let shared { return shared.head(count) }
        let (spilled, head) = state.withLock { ($0.spilled, Data($0.data.prefix(count))) }
        return spilled.map { $0.bytes(0..<min(count, $0.count)) ?? Data() } ?? head
    }

    /// Returns a copy of at most `maximum` received bytes after the first `offset` bytes; `nil` if they are in a file
    /// that cannot be read.
    package func bytes(from offset: Int, atMost maximum: Int = .max) -> Data? {
        if let shared { return shared.bytes(from: offset, atMost: maximum) }
        // Copied under the lock: a second reference to the bytes would make the next append copy all of them.
        let (spilled, rest) = state.withLock { state in
            let start = max(0, offset - (state.spilled?.count ?? 0))
            return (state.spilled, Data(state.data.dropFirst(start).prefix(maximum)))
        }
        guard let spilled, offset < spilled.count else { return rest }
        let end = offset + min(maximum, spilled.count - offset)
        guard var bytes = spilled.bytes(offset..<end) else { return nil }
        bytes.append(rest.prefix(maximum - bytes.count))
        return bytes
    }

    /// Whether there is a file, how many bytes are in memory, and whether the cache may have a file for the body.
    var spillState: (hasFile: Bool, memoryCount: Int, usesCache: Bool) {
        state.withLock { ($0.spilled != nil, $0.data.count, cache != nil && !$0.isWithoutCache) }
    }

    var contents: (spilled: Spilled?, data: Data) { state.withLock { ($0.spilled, $0.data) } }

    /// Replaces all received bytes with a file.
    func replaceContents(_ spilled: Spilled) {
        state.withLock { state in
            state.spilled = spilled
            state.data = Data()
        }
    }

    /// Replaces all received bytes with bytes in memory, because the cache has no file for them.
    func keepInMemory(_ data: Data) {
        state.withLock { state in
            state.spilled = nil
            state.isWithoutCache = true
            state.data = data
        }
    }

    private var tooLarge: TintypeError { .exceeded(byteLimit: limit) }
}
