package import Foundation
import TintypeCore
import TintypeHTTP

/// The body of a response that is sent while it arrives. It is read once.
///
/// Its end is reported exactly once, also if nobody reads it: then when the object is released.
package final class BodyStream: Sendable {
    /// How the sending of a body ended.
    struct End: Hashable, Sendable {
        /// The number of bytes that were handed over.
        var byteCount = 0
        /// Whether the body was sent as a whole.
        var isComplete = false
        /// The time of sending.
        var time = Duration.zero
    }

    private struct State: Sendable {
        var end = End()
        /// The number of bytes of the last part.
        var pending = 0
        var start: ContinuousClock.Instant?
        var observer: (@Sendable (End) -> Void)?
    }

    private let source: GatewayStream
    private let state = Locked(State())

    init(_ source: GatewayStream) {
        self.source = source
    }

    deinit { finish(isComplete: false) }

    /// The number of bytes; `nil` if the origin does not say.
    var length: Int? { source.length }

    /// Has the end of the body reported.
    func whenEnded(_ observer: @escaping @Sendable (End) -> Void) { state.withLock { $0.observer = observer } }

    /// Waits for the next part of the body; `nil` at its end.
    ///
    /// - Throws: The error of the origin. What was sent so far is then no whole response.
    package func next() async throws -> Data? {
        state.withLock { state in
            if state.start == nil { state.start = .now }
            // A part is sent when the next one is asked for.
            state.end.byteCount += state.pending
            state.pending = 0
        }
        do throws(TintypeError) {
            guard let part = try await source.next() else {
                finish(isComplete: true)
                return nil
            }
            state.withLock { $0.pending = part.count }
            return part
        } catch {
            finish(isComplete: false)
            throw error
        }
    }

    private func finish(isComplete: Bool) {
        let (end, observer) = state.withLock { state in
            state.end.isComplete = isComplete
            if let start = state.start { state.end.time = ContinuousClock.now - start }
            defer { state.observer = nil }
            return (state.end, state.observer)
        }
        observer?(end)
    }
}
