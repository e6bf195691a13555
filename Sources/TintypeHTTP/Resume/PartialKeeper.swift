import Foundation
import TintypeCore

/// What one transfer has of its body so far: kept between its tries, and on disk when it is given up.
final class PartialKeeper: Sendable {
    private struct State: Sendable {
        var partial: Partial?
        /// What a body that is under way may become if it breaks off.
        var pending: (url: URL, validator: PartialValidator, total: Int?)?
    }

    private let state: Locked<State>

    init(_ partial: Partial?) {
        state = Locked(State(partial: partial))
    }

    /// What an earlier try, or an earlier process, has left of a URL.
    func partial(for request: DownloadRequest) -> Partial? {
        guard request.method == "GET", !request.headers.contains("Range") else { return nil }
        guard let current, current.place == PartialFile.digest(of: request.url) else { return nil }
        return current
    }

    var current: Partial? { state.withLock { $0.partial } }

    func forget() {
        state.withLock { $0 = State() }
    }

    /// A body begins to arrive.
    ///
    /// - Parameter response: the head of the whole, or of the rest.
    func begin(_ response: DownloadResponse, total: Int?) {
        let canBreak = response.headers["accept-ranges"]?.lowercased() != "none"
        let validator = canBreak ? PartialValidator(response.headers) : nil
        let url = response.url
        state.withLock { $0.pending = validator.map { (url, $0, total) } }
    }

    /// A body broke off.
    func interrupted(at data: Data) {
        state.withLock { state in
            guard let pending = state.pending else { return state.partial = nil }
            state.partial =
                data.isEmpty
                ? nil
                : Partial(
                    place: PartialFile.digest(of: pending.url), validator: pending.validator, total: pending.total,
                    data: data)
        }
    }
}
