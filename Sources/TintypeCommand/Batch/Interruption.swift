import Dispatch
import Foundation
import Synchronization
import Tintype
import TintypeTerminal

/// The user's request to stop, by `SIGINT` or `SIGTERM`.
///
/// After the first signal, a command cancels its loads, begins nothing further, and finishes the images that it has
/// loaded. The second one ends the process at once, after it has restored the terminal and removed the temporary files.
final class Interruption: Sendable {
    private struct State: Sendable {
        var isRequested = false
        var actions: [@Sendable () -> Void] = []
        var lastAction: (@Sendable () -> Void)?
    }

    /// The interruption of this process. Signals are handled from its first use on.
    static let shared = Interruption(signals: [SIGINT, SIGTERM])

    /// An interruption that never comes: signals keep their default action, which ends the process.
    static let none = Interruption(signals: [])

    /// The exit status of a command that was interrupted, which is that of a shell for a command that `SIGINT` has
    /// ended.
    static let exitStatus: Int32 = 130

    /// The signals that are handled, unless the parent process ignores them.
    let signals: Set<Int32>
    private let state = Locked(State())
    /// A bit for each signal that came before its source was registered. Atomic, because a handler of a signal cannot
    /// take a lock, and handlers of two signals may run at once.
    private static let earlySignals = Atomic<UInt64>(0)

    /// - Parameter signals: The signals to handle. One that the parent process ignores stays ignored.
    init(signals: Set<Int32>) {
        self.signals = signals
        for number in signals where !SignalHandlers.isIgnored(number) {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
            // The handler holds the source, which must live as long as the process.
            source.setEventHandler { [weak self] in withExtendedLifetime(source) { self?.request() } }
            // The source is registered on another thread, some milliseconds later.
            let bit: UInt64 = 1 << UInt64(number)
            // Also creates the static value, which a handler must not do.
            Self.earlySignals.bitwiseAnd(~bit, ordering: .relaxed)
            signal(number) { Interruption.earlySignals.bitwiseOr(1 << UInt64($0), ordering: .relaxed) }
            source.setRegistrationHandler { [weak self] in
                if Self.earlySignals.load(ordering: .relaxed) & bit != 0 { self?.request() }
            }
            source.activate()
        }
    }

    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// - Throws: `TintypeError.Code.cancelled` if the user has interrupted the command.
    func check() throws(TintypeError) {
        if isRequested { throw .cancelled }
    }

    /// Calls `action` when the user interrupts the command; at once, if this has happened.
    func whenRequested(_ action: @escaping @Sendable () -> Void) {
        let isRequested = state.withLock { state in
            if !state.isRequested { state.actions.append(action) }
            return state.isRequested
        }
        if isRequested { action() }
    }

    /// Sets the action to perform before the second signal ends the process, such as restoring the terminal.
    func setLastAction(_ action: (@Sendable () -> Void)?) {
        state.withLock { $0.lastAction = action }
    }

    /// Handles a signal.
    func request() {
        let actions = state.withLock { state -> [@Sendable () -> Void]? in
            guard !state.isRequested else { return nil }
            state.isRequested = true
            defer { state.actions = [] }
            return state.actions
        }
        guard let actions else {
            state.withLock { $0.lastAction }?()
            TerminalDevice.leaveRawModes()
            SharedPixels.removeAll()
            OutputFile.removeTemporaryFiles()
            _exit(Self.exitStatus)
        }
        for action in actions { action() }
    }
}
