import TintypeCore

/// A gate a test opens by hand: responses wait in front of it. Once open it stays open.
public final class OriginGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    /// The bytes of body that go out before the gate, at most the whole body; nil if the head waits as well.
    public let bodyBytes: Int?

    private let state = Locked(State())

    /// Makes a closed gate.
    ///
    /// - Parameter bodyBytes: The bytes of body that go out before the gate; nil holds back the head as well.
    public init(after bodyBytes: Int? = nil) {
        self.bodyBytes = bodyBytes
    }

    /// Lets through every response that waits and every one to come.
    public func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Calls `resume` when the gate opens; at once if it is open.
    func whenOpen(_ resume: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(resume) }
            return state.isOpen
        }
        if isOpen { resume() }
    }
}
