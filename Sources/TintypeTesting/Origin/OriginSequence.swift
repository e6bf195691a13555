import TintypeCore

/// Responses given one after another, of which the last repeats; without any, a 404.
final class OriginSequence: Sendable {
    private let remaining: Locked<ArraySlice<OriginResponse>>

    init(_ responses: [OriginResponse]) {
        remaining = Locked(responses[...])
    }

    func next() -> OriginResponse {
        remaining.withLock { remaining in
            (remaining.count > 1 ? remaining.popFirst() : remaining.first) ?? .status(404)
        }
    }
}
