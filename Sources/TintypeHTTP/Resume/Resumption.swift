import Foundation
import TintypeCore

/// What one transfer has of its body so far: kept between its tries, and on disk when it is given up, or a step at a time
/// where it is large.
final class PartialKeeper: Sendable {
    private struct State: Sendable {
        var partial: Partial?
        /// What a body that is under way may become if it breaks off.
        var pending: Pending?
        var journal: PartialJournal?
        /// Whether the body that is under way is written as it arrives.
        var writes = true
    }

    /// A body whose bytes are not there yet. Most come to a good end, so nothing is made of it before that is needed.
    private struct Pending: Sendable {
        let response: DownloadResponse
        let total: Int?

        /// `nil` where the server says nothing by which to know the body again, or gives no parts of it.
        func partial(_ data: Data) -> Partial? {
            guard response.headers["accept-ranges"]?.lowercased() != "none",
                let validator = PartialValidator(response.headers)
            else { return nil }
            return Partial(
                place: PartialFile.digest(of: response.url), validator: validator, total: total, data: data)
        }
    }

    private let state: Locked<State>
    private let store: PartialStore?
    private let request: DownloadRequest

    init(of request: DownloadRequest, in store: PartialStore?) {
        state = Locked(State())
        self.request = request
        self.store = store
    }

    /// Looks for what an earlier process has left.
    func find(for job: JobContext) async throws(TintypeError) {
        guard let store, let partial = try await store.find(request, for: job) else { return }
        state.withLock { $0.partial = partial }
    }

    /// What an earlier try, or an earlier process, has left of a URL.
    func partial(for request: DownloadRequest) -> Partial? {
        guard let current = state.withLock({ $0.partial }), request.method == "GET",
            !request.headers.contains("Range"), current.place == PartialFile.digest(of: request.url)
        else { return nil }
        return current
    }

    func forget() {
        state.withLock { $0 = State() }
    }

    /// A body begins to arrive.
    ///
    /// - Parameter response: the head of the whole, or of the rest.
    func begin(_ response: DownloadResponse, total: Int?) {
        state.withLock { state in
            state.pending = Pending(response: response, total: total)
            state.journal = nil
            state.writes = true
        }
    }

    /// More of the body has arrived: writes it down when that is worth it. What cannot be written stops no transfer.
    func noted(_ received: ReceivedBytes, for job: JobContext) async {
        guard let store else { return }
        let (journal, pending, writes) = state.withLock { ($0.journal, $0.pending, $0.writes) }
        let count = received.progress.received
        guard let pending, writes, count - (journal?.count ?? 0) >= PartialJournal.step else { return }
        let new = received.bytes(from: journal?.count ?? 0)
        let next = try? await WorkQueue.disk.run(for: job) { [request] () throws(TintypeError) in
            pending.partial(Data()).flatMap { store.adding(new, to: journal, of: request, $0) }
        }
        state.withLock { state in
            state.journal = next ?? nil
            state.writes = state.journal != nil
        }
    }

    /// A body broke off.
    func interrupted(at data: Data) {
        state.withLock { state in
            state.partial = data.isEmpty ? nil : state.pending?.partial(data)
        }
    }

    // MARK: The end

    /// The transfer has come to a good end: nothing of it is left on disk.
    func succeeded(for job: JobContext) async {
        try? await store?.remove(request, for: job)
    }

    /// The transfer was given up.
    func failed() {
        guard let store else { return }
        if let partial = state.withLock({ $0.partial }) {
            store.keep(partial, of: request)
        } else {
            store.forget(request)
        }
    }
}
