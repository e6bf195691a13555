import Foundation
import TintypeCore

extension TerminalDevice {
    /// Runs `body` in raw mode, outside of a session.
    ///
    /// A signal that ends or stops the process meanwhile first restores the modes and removes shared pixels. A program
    /// that handles a signal itself calls ``leaveRawModes()`` before it ends.
    ///
    /// - Throws: `TintypeError.Code.unreadable` if this is no terminal.
    func inRawMode<Value>(_ body: () -> Value) throws(TintypeError) -> Value {
        let mode = GuardedRawMode(self)
        defer { mode.end() }
        try enterRawMode()
        return body()
    }
}

/// Restores the modes of a terminal when a signal comes, until the end of its raw mode.
private final class GuardedRawMode: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    private let device: TerminalDevice
    /// `nil` if the program handles all signals itself.
    private let pipe: SignalPipe?
    private let isOver = Locked(false)

    init(_ device: TerminalDevice) {
        self.device = device
        let signals = Self.signals.filter(SignalHandlers.isDefault)
        pipe = signals.isEmpty ? nil : SignalPipe()
        pipe?.forward(signals) { number in self.handle(number) }
    }

    private func handle(_ number: Int32) {
        device.leaveRawMode()
        if number != SIGTSTP { SharedPixels.removeAll() }
        pipe?.raise(number)
        // The process continues here.
        pipe?.reinstall(number)
        isOver.withLock { isOver in
            if !isOver { try? device.enterRawMode() }
        }
    }

    func end() {
        isOver.withLock { isOver in
            isOver = true
            device.leaveRawMode()
        }
        pipe?.end()
    }
}
