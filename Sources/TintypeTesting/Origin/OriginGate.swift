import TintypeCore

/// A gate at which an ``Origin`` holds responses until a test opens it.
///
/// Set it as `OriginResponse.gate`. A gate stays open once opened, and several responses can share it. You can open
/// it from any thread.
public final class OriginGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    /// The number of body bytes sent before the gate, at most the whole body; `nil` holds back the head too.
    package let bodyBytes: Int?

    private let state = Locked(State())

    /// Creates a closed gate.
    ///
    /// - Parameter bodyBytes: The number of body bytes to send before the gate; `nil` holds back the head too.
    public init(after bodyBytes: Int? = nil) {
        self.bodyBytes = bodyBytes
    }

    /// Releases all waiting and all future responses.
    public func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Calls `resume` when the gate opens, or immediately if it is open.
    func whenOpen(_ resume: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(resume) }
            return state.isOpen
        }
        if isOpen { resume() }
    }
}
