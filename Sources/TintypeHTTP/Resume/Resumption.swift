import Foundation
import TintypeCore

/// The bytes that one transfer has received of its body, so that a later attempt or a later process can request the
/// rest.
///
/// They are in memory between the attempts of a transfer. With a ``PartialStore``, they are written to disk when the
/// transfer fails, and one step at a time while a large body arrives.
final class Resumption: Sendable {
    private struct State: Sendable {
        var partial: PartialBody?
        /// The file that has the beginning of ``partial``; `nil` if there is none, or another body may have replaced
        /// it.
        var partialJournal: PartialJournal?
        /// The body that is arriving.
        var arriving: ArrivingBody?
        /// The file of the arriving body.
        var journal: PartialJournal?
        /// Whether the arriving body is written to disk.
        var isJournaled = true
        /// Whether ``partial`` may be written to disk.
        var isStorable = true
    }

    /// A body that may become a partial one. Most arrive completely, so nothing is computed before it is needed.
    private struct ArrivingBody: Sendable {
        let request: DownloadRequest
        let response: DownloadResponse
        let byteCount: Int?
        /// The redirects that led to the response; `nil` if there were none.
        let redirects: ExchangeChain?

        private var redirectLinks: [ExchangeChain.Link] { redirects.map { $0.redirects + [$0.last] } ?? [] }

        /// Whether the body may be written to disk (RFC 9111, 5.2.2.5).
        var isStorable: Bool {
            Storability.allows(response, to: redirects?.request ?? request, after: redirectLinks.map(\.head))
        }

        /// Whether another user may get other bytes for the same URL. The key of a partial body does not contain what
        /// interceptors and cookies add to the request.
        private var mayDependOnUser: Bool {
            request.identifiesUser || response.headers.contains("vary")
                || redirectLinks.contains { $0.request.identifiesUser || $0.headers.contains("vary") }
        }

        /// Returns the partial body with `data`; `nil` when the server supports no ranges, or sent no strong validator.
        /// Bodies of two users may have the same date and length, but not the same entity tag.
        ///
        /// - Parameter data: Returns the bytes. Called only if they can be used.
        func partial(_ data: () -> Data) -> PartialBody? {
            guard response.headers["accept-ranges"]?.lowercased() != "none",
                let validator = StrongValidator(response.headers), !validator.isDate || !mayDependOnUser
            else { return nil }
            return PartialBody(
                urlDigest: PartialFile.digest(of: response.url), validator: validator, total: byteCount, data: data())
        }
    }

    private let state: Locked<State>
    private let store: PartialStore?
    private let request: DownloadRequest

    /// - Parameter store: `nil` stores everything in memory.
    init(of request: DownloadRequest, in store: PartialStore?) {
        state = Locked(State())
        self.request = request
        self.store = store
    }

    /// Loads the partial body that an earlier process left.
    ///
    /// - Throws: `TintypeError.Code.cancelled` when the job is cancelled.
    func load(for job: JobContext) async throws(TintypeError) {
        guard let store, let partial = try await store.partial(for: request, job: job) else { return }
        state.withLock { $0.partial = partial }
    }

    /// Returns the partial body that an earlier attempt or process left for the URL of `request`; `nil` if the request
    /// has a range of its own.
    func partial(for request: DownloadRequest) -> PartialBody? {
        guard let partial = state.withLock({ $0.partial }), request.method == "GET",
            !request.headers.contains("Range"), partial.urlDigest == PartialFile.digest(of: request.url),
            !partial.validator.isDate || !request.identifiesUser
        else { return nil }
        return partial
    }

    /// Discards the partial body.
    func discard() {
        state.withLock { $0 = State() }
    }

    // MARK: The arriving body

    /// Records that a body begins to arrive.
    ///
    /// - Parameters:
    ///   - response: The head of the response, with the whole body or with the rest.
    ///   - request: The request as it was sent.
    ///   - redirects: The redirects that led to the response; `nil` if there were none.
    ///   - byteCount: The number of bytes of the whole body; `nil` when it is unknown.
    ///   - isRest: Whether the body is the rest of the partial one, so that it continues its file, too.
    func beginBody(
        of response: DownloadResponse, to request: DownloadRequest, after redirects: ExchangeChain?, byteCount: Int?,
        isRest: Bool = false
    ) {
        state.withLock { state in
            state.arriving = ArrivingBody(
                request: request, response: response, byteCount: byteCount, redirects: redirects)
            state.journal = isRest ? state.partialJournal : nil
            state.partialJournal = nil
            state.isJournaled = true
        }
    }

    /// Writes the received bytes to disk, if another ``PartialJournal/step`` is complete. A failure does not end the
    /// transfer.
    func write(_ received: ReceivedBytes, for job: JobContext) async {
        guard let store else { return }
        let (journal, arriving, isJournaled) = state.withLock { ($0.journal, $0.arriving, $0.isJournaled) }
        let count = received.progress.received
        guard let arriving, isJournaled, count - (journal?.count ?? 0) >= PartialJournal.step else { return }
        do throws(TintypeError) {
            let next = try await WorkQueue.disk.run(for: job) { [request] () throws(TintypeError) -> PartialJournal? in
                guard arriving.isStorable, let empty = arriving.partial({ Data() }) else { return nil }
                var journal = journal
                // In steps, so that the bytes of an earlier transfer are not in memory all at once.
                while case let start = journal?.count ?? 0, count - start >= PartialJournal.step {
                    guard let new = received.bytes(from: start, atMost: PartialJournal.step), !new.isEmpty,
                        let grown = store.append(new, to: journal, for: request, empty: empty)
                    else { return nil }
                    journal = grown
                }
                return journal
            }
            state.withLock { state in
                state.journal = next
                state.isJournaled = next != nil
            }
        } catch {
            // The job was cancelled before the write began. The file is as it was, and the rest can follow it.
        }
    }

    /// Records that the body broke off.
    ///
    /// - Parameter data: Returns what has arrived, with the bytes of earlier attempts. Called only if a later request
    ///   can continue it.
    func recordInterruption(at data: () -> Data) {
        let arriving = state.withLock { $0.arriving }
        let partial = arriving?.partial(data)
        state.withLock { state in
            state.partial = partial?.data.isEmpty == false ? partial : nil
            state.partialJournal = state.partial == nil ? nil : state.journal
            if store != nil { state.isStorable = arriving?.isStorable ?? true }
        }
    }

    // MARK: The end of the transfer

    /// Writes the file of a transfer that failed, or removes it if nothing can be resumed.
    func saveOrRemoveFile() {
        guard let store else { return }
        let (partial, journal) = state.withLock { ($0.isStorable ? $0.partial : nil, $0.partialJournal) }
        if let partial {
            store.saveLater(partial, for: request, in: journal)
        } else {
            store.removeLater(request)
        }
    }
}

extension DownloadRequest {
    /// Whether the request has a field that tells the server who the user is.
    fileprivate var identifiesUser: Bool { headers.contains("cookie") || headers.contains("authorization") }
}
