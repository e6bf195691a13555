import Foundation
import TintypeCore

/// The part of a session that its thread shares with the program. It lives until both have released it.
final class SessionCore: Sendable {
    let capabilities: TerminalCapabilities
    let screen: TerminalScreen
    /// The row at whose beginning the cursor stands between frames; `nil` if it may be anywhere.
    let restingRow: Int?
    let device: TerminalDevice
    let onKey: @Sendable (TerminalKey) -> Void
    /// The clock of the flow control.
    let time: TimeSource
    /// The state that callers share with the thread.
    let state: Locked<SessionState>
    /// Wakes the thread when the state has changed.
    let wake = WakeSignal()
    /// Sent once, when the session must end.
    let ending = WakeSignal()
    /// Sent when the thread has restored the terminal for a pause.
    let paused = WakeSignal()
    /// Sent once, when the thread has restored the terminal.
    let ended = WakeSignal()
    /// The thread of the session; `nil` until it runs.
    private let thread = Locked<pthread_t?>(nil)

    init(
        _ capabilities: TerminalCapabilities, screen: TerminalScreen, restingRow: Int?, device: TerminalDevice,
        time: TimeSource, onKey: @escaping @Sendable (TerminalKey) -> Void
    ) {
        self.capabilities = capabilities
        self.screen = screen
        self.restingRow = restingRow
        self.device = device
        self.time = time
        self.onKey = onKey
        state = Locked(SessionState(size: capabilities.size))
    }

    /// Records that the calling thread is that of the session.
    func enterThread() {
        thread.withLock { $0 = pthread_self() }
    }

    /// Whether the calling thread is that of the session, which must not wait for itself.
    var isOnThread: Bool {
        thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Changes the state, and wakes the thread.
    func change<Result: Sendable>(_ body: (inout SessionState) -> Result) -> Result {
        let result = state.withLock { body(&$0) }
        wake.send()
        return result
    }

    /// The bytes that restore the terminal.
    func restoration(after output: TerminalScreen.FormerOutput) -> [UInt8] {
        // Placeholders vanish with the text of the screen.
        let graphics = capabilities.hasPlaceholders ? GraphicsProtocol.blocks : capabilities.bestProtocol
        let end = capabilities.hasPlaceholders && output == .cutOff ? ControlSequence.endOfPassedString : ""
        return Array(end.utf8) + screen.restoration(graphics, after: output, restingRow: restingRow)
    }
}
