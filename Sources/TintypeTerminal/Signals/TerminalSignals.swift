import Foundation
import TintypeCore

/// Handles the signals that concern a terminal while a session uses it, until it is released. A process has one such
/// object at a time.
///
///     let signals = TerminalSignals(session) { /* show everything again, on the main actor */ }
///
/// A signal that ends or stops the process restores the terminal first, and then has its usual effect: `SIGINT`,
/// `SIGTERM`, `SIGHUP`, `SIGQUIT`, `SIGTSTP`, and those of crashes. `SIGWINCH` updates the size of the session.
/// `SIGKILL` and `SIGSTOP` cannot be handled.
public final class TerminalSignals: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

    private let pipe = SignalPipe()
    private let crashes: CrashRestoration

    /// Begins to handle signals.
    ///
    /// - Parameters:
    ///   - session: The session to restore.
    ///   - excluded: Signals that the program handles itself, by ending the session.
    ///   - onEnd: Called on a thread of its own before a signal ends the process, when the terminal has been restored.
    ///   - onChange: Called on a thread of its own when the size has changed or the process continues: everything must
    ///     be shown again.
    public init(
        _ session: TerminalSession, except excluded: Set<Int32> = [], onEnd: @escaping @Sendable () -> Void = {},
        onChange: @escaping @Sendable () -> Void
    ) {
        pipe.forward(Self.signals.filter { !excluded.contains($0) }) { [pipe] number in
            switch number {
            case SIGWINCH: session.resize()
            case SIGTSTP:
                session.suspend()
                pipe.raise(number)
                // The process continues here.
                pipe.reinstall(number)
                try? session.resume()
            default:
                session.end()
                onEnd()
                pipe.raise(number)
            }
            onChange()
        }
        crashes = CrashRestoration(session)
    }

    deinit {
        pipe.end()
        crashes.end()
    }
}

/// Passes signals from their handler, which may call only async-signal-safe functions, to a thread (the self-pipe trick
/// of D. J. Bernstein). If several objects handle a signal, the newest one gets it.
final class SignalPipe: Sendable {
    // Unsafe because a signal handler cannot take a lock. It is set once, before handlers are installed. The pipe stays
    // open: a handler on another thread may still write to it after the former dispositions are restored.
    private nonisolated(unsafe) static var input: Int32 = -1

    /// What an object does with its signals.
    private struct Action: Sendable {
        let owner: ObjectIdentifier
        let signals: Set<Int32>
        let run: @Sendable (Int32) -> Void
    }

    private struct State: Sendable {
        var isOpen = false
        var actions: [Action] = []
    }

    private static let state = Locked(State())
    private static let handlers = SignalHandlers()

    /// Calls `action` with the number of each signal, on a thread of its own, until ``end()``. Signals that the parent
    /// process ignores, as nohup does, stay ignored.
    func forward(_ signals: [Int32], to action: @escaping @Sendable (Int32) -> Void) {
        let signals = Set(signals.filter { !SignalHandlers.isIgnored($0) })
        let action = Action(owner: ObjectIdentifier(self), signals: signals, run: action)
        Self.state.withLock { state in
            state.isOpen = state.isOpen || Self.open()
            guard state.isOpen else { return }
            state.actions.append(action)
            for number in signals { Self.handlers.replace(number) { Self.install(number) } }
        }
    }

    private static func open() -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        input = ends[1]
        let output = ends[0]
        Thread.detachNewThread { receive(from: output) }
        return true
    }

    private static func receive(from output: Int32) {
        var byte: UInt8 = 0
        while true {
            let count = Foundation.read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            let number = Int32(byte)
            let run = state.withLock { state in state.actions.last { $0.signals.contains(number) }?.run }
            // No action: the signal arrived just before its former disposition was restored.
            if let run { run(number) } else { handlers.raise(number) }
        }
    }

    /// Restores the former dispositions of signals that nothing else handles.
    func end() {
        let ended = Self.state.withLock { state in
            let ended = state.actions.filter { $0.owner == ObjectIdentifier(self) }
            state.actions.removeAll { $0.owner == ObjectIdentifier(self) }
            let handled = Set(state.actions.flatMap(\.signals))
            for number in ended.flatMap(\.signals) where !handled.contains(number) { Self.handlers.restore(number) }
            return ended
        }
        // Released here, because what the actions hold may end a session, which waits for the terminal.
        withExtendedLifetime(ended) {}
    }

    /// Installs the handler of a signal again, unless its former disposition has been restored.
    func reinstall(_ number: Int32) {
        Self.handlers.replaceAgain(number) { Self.install(number) }
    }

    /// Installs the handler of a signal.
    private static func install(_ number: Int32) {
        signal(number) { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = Foundation.write(SignalPipe.input, &byte, 1)
            errno = error
        }
    }

    /// Performs the default action of a signal; after ``end()``, its former disposition.
    func raise(_ number: Int32) {
        Self.handlers.raise(number)
    }
}

/// The dispositions of some signals before their handlers were installed. If other code has replaced a handler since,
/// that signal is left alone.
package final class SignalHandlers: Sendable {
    /// Unchecked because it is a copy of plain values and addresses, which is only passed back to the kernel.
    private struct Replacement: @unchecked Sendable {
        var former = sigaction()
        /// The address of the handler that was installed last.
        var address: Int?
    }

    private let replacements = Locked<[Int32: Replacement]>([:])

    /// Whether the process ignores a signal.
    package static func isIgnored(_ number: Int32) -> Bool { (address(of: number) ?? 1) == 1 }

    /// Whether a signal has its default disposition.
    static func isDefault(_ number: Int32) -> Bool { address(of: number) == 0 }

    /// Returns the address of the handler of a signal: functions cannot be compared. `SIG_DFL` and `SIG_IGN` have the
    /// addresses 0 and 1.
    private static func address(of number: Int32) -> Int? {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return nil }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }

    /// Saves the disposition of a signal, and runs `install`, which changes it. Does nothing if the signal is already
    /// replaced.
    func replace(_ number: Int32, install: () -> Void) {
        replacements.withLock { replacements in
            if let replacement = replacements[number], replacement.address == Self.address(of: number) { return }
            var replacement = Replacement()
            guard sigaction(number, nil, &replacement.former) == 0 else { return }
            install()
            replacement.address = Self.address(of: number)
            replacements[number] = replacement
        }
    }

    /// Runs `install` again for a signal that was replaced, unless its effect has been restored meanwhile.
    func replaceAgain(_ number: Int32, install: () -> Void) {
        replacements.withLock { replacements in
            guard let replacement = replacements[number], replacement.address == Self.address(of: number) else {
                return
            }
            install()
            replacements[number]?.address = Self.address(of: number)
        }
    }

    /// Performs the default action of a signal; after ``restore()``, its former disposition.
    func raise(_ number: Int32) {
        replaceAgain(number) { signal(number, SIG_DFL) }
        // Sent to this thread, it takes effect before the call returns. Sent to the process, it may wait for another
        // thread until its handler is installed again, and does not stop the process.
        var (signals, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        pthread_kill(pthread_self(), number)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Restores the former dispositions of all signals.
    func restore() {
        for number in replacements.withLock({ Array($0.keys) }) { restore(number) }
    }

    /// Restores the former disposition of a signal. Holds the lock, so that it cannot interleave with
    /// ``replaceAgain(_:install:)``.
    func restore(_ number: Int32) {
        replacements.withLock { replacements in
            guard var replacement = replacements.removeValue(forKey: number),
                replacement.address == Self.address(of: number)
            else { return }
            sigaction(number, &replacement.former, nil)
        }
    }
}
