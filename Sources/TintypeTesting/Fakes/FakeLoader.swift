public import Foundation
public import TintypeCore

/// A loader that answers from a table, waits where a test tells it to, and counts.
public final class FakeLoader: ImageLoader {
    /// What it answers for a source.
    public enum Answer: Sendable {
        case data(Data)
        case failure(TintypeError)
        /// The first bytes of something, and then a failure.
        case brokenOff(Data, TintypeError)
        /// What is stored is still good; its metadata becomes this.
        case notModified(metadata: Data)
        /// As the answer inside, once the gate is open.
        indirect case gated(Gate, Answer)
    }

    private struct State: Sendable {
        var answers: [String: Answer] = [:]
        var counts: [String: Int] = [:]
        var cancelled: [String: Int] = [:]
        var contexts: [String: LoadContext] = [:]
        var verdict = StoredVerdict.fresh
    }

    private let state = Locked(State())
    private let origin: ImageOrigin
    private let isStorable: Bool

    /// - Parameters:
    ///   - origin: where its bytes claim to come from; what comes from the network goes to disk.
    ///   - isStorable: whether they may be kept there under the origin's own rules.
    public init(origin: ImageOrigin = .network, isStorable: Bool = true) {
        self.origin = origin
        self.isStorable = isStorable
    }

    /// Answers loads of `identity` from now on; see `ImageSource.identity`.
    public func answer(_ identity: String, _ answer: Answer) {
        state.withLock { $0.answers[identity] = answer }
    }

    /// The loads of `identity` that were started.
    public func count(_ identity: String) -> Int {
        state.withLock { $0.counts[identity] ?? 0 }
    }

    /// The loads of `identity` that were cancelled while they ran.
    public func cancelledCount(_ identity: String) -> Int {
        state.withLock { $0.cancelled[identity] ?? 0 }
    }

    /// What the last load of `identity` was given.
    public func lastContext(_ identity: String) -> LoadContext? {
        state.withLock { $0.contexts[identity] }
    }

    /// What is said of stored bytes from now on.
    public func judge(_ verdict: StoredVerdict) {
        state.withLock { $0.verdict = verdict }
    }

    public func verdict(
        on stored: CacheEntry, for source: ImageSource, _ extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        state.withLock { $0.verdict }
    }

    public func canLoad(_ source: ImageSource) -> Bool { true }

    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let identity = source.identity
        let answer = state.withLock { state in
            state.counts[identity, default: 0] += 1
            state.contexts[identity] = context
            return state.answers[identity]
        }
        guard let answer else { throw TintypeError(.notFound, stage: .load, "no answer was set", subject: identity) }
        return try await give(answer, identity, context)
    }

    private func give(
        _ answer: Answer, _ identity: String, _ context: LoadContext
    ) async throws(TintypeError) -> LoadedBytes {
        switch answer {
        case .failure(let error): throw error
        case .brokenOff(let data, let error):
            try data.withTypedBytes { bytes throws(TintypeError) in try context.received.append(bytes) }
            throw error
        case .notModified(let metadata):
            guard let stored = context.stored else {
                throw TintypeError(.badStatus, stage: .load, "nothing is stored", subject: identity, status: 304)
            }
            return .stillGood(stored, metadata: metadata)
        case .gated(let gate, let answer):
            guard await gate.wait() else {
                state.withLock { $0.cancelled[identity, default: 0] += 1 }
                throw .cancelled
            }
            return try await give(answer, identity, context)
        case .data(let data):
            try context.received.expect(data.count)
            try data.withTypedBytes { bytes throws(TintypeError) in try context.received.append(bytes) }
            return LoadedBytes(data: context.received.take(), origin: origin, isStorable: isStorable)
        }
    }
}
