public import Foundation
public import TintypeCore

/// An image loader that returns prepared answers and counts the loads.
///
/// Set an answer for each source with ``setAnswer(_:for:)``. A load of any other source fails with
/// `TintypeError.Code.notFound`. You can call every method from any thread, also while loads are running.
public final class FakeLoader: ImageLoader {
    /// The outcome of a load.
    public enum Answer: Sendable {
        /// The load succeeds with these bytes.
        case data(Data)
        /// The load succeeds with a decoded image, without bytes.
        case image(Image)
        /// The load fails without delivering bytes.
        case failure(TintypeError)
        /// The load delivers the first bytes, then fails.
        case brokenTransfer(Data, TintypeError)
        /// The stored entry is still valid, and `metadata` replaces its metadata. The load fails if no entry is stored.
        case notModified(metadata: Data)
        /// The load waits until the gate is open, then continues with the inner answer. If it is cancelled first, it
        /// fails with `TintypeError.Code.cancelled`.
        indirect case gated(Gate, Answer)
    }

    private struct State: Sendable {
        var answers: [String: Answer] = [:]
        var counts: [String: Int] = [:]
        var cancelled: [String: Int] = [:]
        var contexts: [String: LoadContext] = [:]
        var verdict = StoredVerdict.fresh
    }

    private let state = Shared(State())
    private let origin: ImageOrigin
    private let isStorable: Bool
    private let beforeAnswer: (@Sendable () async -> Void)?

    /// Creates a loader without answers.
    ///
    /// - Parameters:
    ///   - origin: The origin that the loaded bytes report. Bytes from the network are stored on disk.
    ///   - isStorable: Whether the origin's rules allow the bytes to be stored.
    ///   - beforeAnswer: Awaited before each answer. A test on the main actor can yield the actor here, so that no load
    ///     ends before the test suspends.
    public init(
        origin: ImageOrigin = .network, isStorable: Bool = true, beforeAnswer: (@Sendable () async -> Void)? = nil
    ) {
        self.origin = origin
        self.isStorable = isStorable
        self.beforeAnswer = beforeAnswer
    }

    /// Sets the answer to all further loads of a source.
    ///
    /// - Parameters:
    ///   - answer: The outcome of the loads. It replaces an earlier one.
    ///   - identity: The identity of the source, as in `ImageSource.identity`.
    public func setAnswer(_ answer: Answer, for identity: String) {
        state.withLock { $0.answers[identity] = answer }
    }

    /// Returns the number of loads of `identity` that have started.
    public func count(_ identity: String) -> Int {
        state.withLock { $0.counts[identity] ?? 0 }
    }

    /// Returns the number of loads of `identity` that were cancelled while they waited at a gate.
    package func cancelledCount(_ identity: String) -> Int {
        state.withLock { $0.cancelled[identity] ?? 0 }
    }

    /// Waits until `count` loads of `identity` have started, or until the task is cancelled.
    package func waitForLoads(_ count: Int, of identity: String) async {
        await state.wait { $0.counts[identity, default: 0] >= count }
    }

    /// Waits until `count` loads of `identity` were cancelled while they waited at a gate, or until the task is
    /// cancelled.
    package func waitForCancelled(_ count: Int, of identity: String) async {
        await state.wait { $0.cancelled[identity, default: 0] >= count }
    }

    /// Returns the context that the last load of `identity` received, or `nil` if there was none.
    package func lastContext(_ identity: String) -> LoadContext? {
        state.withLock { $0.contexts[identity] }
    }

    /// Sets the verdict on stored bytes. `StoredVerdict.fresh` by default.
    package func judge(_ verdict: StoredVerdict) {
        state.withLock { $0.verdict = verdict }
    }

    /// Returns `StoredVerdict.fresh`, or the verdict that a test has set.
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        state.withLock { $0.verdict }
    }

    /// Returns `true` for every source.
    public func canLoad(_ source: ImageSource) -> Bool { true }

    /// Counts the load and performs the answer set for the source.
    ///
    /// - Throws: The error of the answer; `TintypeError.Code.notFound` if there is none;
    ///   `TintypeError.Code.cancelled` if the task is cancelled at a gate.
    @concurrent
    public func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let identity = source.identity
        let answer = state.withLock { state in
            state.counts[identity, default: 0] += 1
            state.contexts[identity] = context
            return state.answers[identity]
        }
        guard let answer else {
            throw TintypeError(
                .notFound, stage: .load, "FakeLoader has no answer for this source", subject: identity)
        }
        await beforeAnswer?()
        return try await produce(answer, identity, context)
    }

    private func produce(
        _ answer: Answer, _ identity: String, _ context: LoadContext
    ) async throws(TintypeError) -> LoadedBytes {
        switch answer {
        case .failure(let error): throw error
        case .brokenTransfer(let data, let error):
            try data.withTypedBytes { bytes throws(TintypeError) in try context.received.append(bytes) }
            throw error
        case .notModified(let metadata):
            guard let stored = context.stored else {
                throw TintypeError(
                    .badStatus, stage: .load, "notModified needs a stored entry", subject: identity, status: 304)
            }
            return .notModified(stored, metadata: metadata)
        case .gated(let gate, let answer):
            guard await gate.wait() else {
                state.withLock { $0.cancelled[identity, default: 0] += 1 }
                throw .cancelled
            }
            return try await produce(answer, identity, context)
        case .image(let image): return LoadedBytes(decoded: image, origin: origin)
        case .data(let data):
            try context.received.expect(data.count)
            try data.withTypedBytes { bytes throws(TintypeError) in try context.received.append(bytes) }
            return LoadedBytes(data: context.received.take(), origin: origin, isStorable: isStorable)
        }
    }
}
